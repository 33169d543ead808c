import pytest
from hypothesis import given
from hypothesis import strategies as st

from strata_rag.errors import GoldenError
from strata_rag.evaluation import (
    Evidence,
    GoldenSet,
    Question,
    Span,
    check_evidence,
    resolve_evidence,
    text_of,
)

TEXT = "The warranty lasts\n two years. It is void  after repair. Two years are the limit: two years."
TEXTS = {"a/b.md": TEXT, "c.md": "nothing here"}


def windows(size, step):
    spans = {}
    for doc, text in TEXTS.items():
        ends = [(at, min(at + size, len(text))) for at in range(0, len(text), step)]
        spans[doc] = [Span(f"{doc}#{start}-{end}", start, end) for start, end in ends]
    return spans


def golden(*evidence, level="chunk"):
    return GoldenSet((Question("q", "?", evidence=evidence, where="g.yaml:3:5"),), level=level)


def judged(*evidence, spans=None, level="chunk"):
    return dict(
        resolve_evidence(golden(*evidence, level=level), TEXTS, spans or windows(40, 20)).questions[0].judged
    )


def test_a_quote_is_relevant_where_a_chunk_holds_it_whole():
    # "void  after" stands at 37-48: of the windows 0-40, 20-60, 40-80, 60-92 only 20-60 holds it.
    assert judged(Evidence("a/b.md", quote="void after")) == {"a/b.md#20-60": 1.0}


def test_every_place_of_a_quote_counts_and_white_space_is_free():
    at = [TEXT.index("two\n"[:3]), TEXT.rindex("two years")]
    found = judged(Evidence("a/b.md", quote="two  years", grade=2))
    assert set(found.values()) == {2.0}
    assert all(any(int(item.split("#")[1].split("-")[0]) <= start for item in found) for start in at)
    assert judged(Evidence("a/b.md", quote="lasts two years.")) == {"a/b.md#0-40": 1.0}


def test_a_quote_that_no_chunk_holds_whole_is_in_the_chunks_that_hold_most_of_it():
    spans = {"a/b.md": [Span("one", 0, 40), Span("two", 40, 92)], "c.md": []}
    # 30-60 overlaps the first by 10 and the second by 20.
    assert judged(Evidence("a/b.md", start=30, end=60), spans=spans) == {"two": 1.0}
    assert judged(Evidence("a/b.md", start=20, end=60), spans=spans) == {"one": 1.0, "two": 1.0}


def test_at_document_level_the_document_is_relevant_by_its_best_grade():
    found = judged(
        Evidence("a/b.md", quote="void after"),
        Evidence("./a\\b.md", quote="limit", grade=3),
        level="document",
    )
    assert found == {"a/b.md": 3.0}


def test_the_digest_is_that_of_the_evidence_whatever_the_chunking():
    source = golden(Evidence("a/b.md", quote="void after"))
    digests = {resolve_evidence(source, TEXTS, windows(size, size)).digest for size in (10, 40)}
    assert digests == {source.digest}
    assert golden(Evidence("a/b.md", quote="limit")).digest != source.digest


def test_every_fault_is_listed_with_its_place_and_the_nearest_id():
    wrong = golden(
        Evidence("x/b.md", quote="void"),
        Evidence("a/b.md", quote="The Warranty Lasts"),
        Evidence("c.md", quote="warranty"),
        Evidence("c.md", start=5, end=13),
    )
    faults = check_evidence(wrong, TEXTS)
    assert [fault.where for fault in faults] == ["g.yaml:3:5"] * 4
    problems = [fault.problem for fault in faults]
    assert "a document of the corpus was expected, found 'x/b.md'" in problems[0]
    assert faults[0].hint == "did you mean a/b.md?"
    assert "it only in another case" in problems[1]
    assert "it nowhere" in problems[2]
    assert "(12 characters) were expected, found 5-13" in problems[3]
    with pytest.raises(GoldenError):
        resolve_evidence(wrong, TEXTS, {})


@given(st.text(min_size=1, max_size=60), st.integers(1, 20), st.integers(1, 20), st.data())
def test_a_document_is_put_together_from_overlapping_chunks_and_a_span_of_it_is_found(text, size, step, data):
    step = min(step, size)
    starts = list(range(0, len(text), step))
    assert text_of((at, text[at : at + size]) for at in starts) == text
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    spans = {"d": [Span(str(at), at, min(at + size, len(text))) for at in starts]}
    made = GoldenSet((Question("q", "?", evidence=(Evidence("d", start=start, end=end),)),), level="chunk")
    found = resolve_evidence(made, {"d": text}, spans).questions[0].judged
    whole = {span.chunk_id for span in spans["d"] if span.start <= start and end <= span.end}
    assert set(found) == whole if whole else found


def test_gaps_between_chunks_are_white_space():
    assert text_of([(4, "cd"), (0, "ab")]) == "ab  cd"


def test_evidence_is_read_from_yaml_and_json_lines(load):
    yaml = (
        "- {id: q, question: x, evidence: [{doc: a, quote: 'b c', grade: 2}, {doc: a, start: 0, end: 007}]}"
    )
    lines = (
        '{"id": "q", "question": "x", "evidence": '
        '[{"doc": "a", "quote": "b c", "grade": 2}, {"doc": "a", "start": 0, "end": 7}]}'
    )
    expected = (Evidence("a", quote="b c", grade=2.0), Evidence("a", start=0, end=7))
    assert load(yaml).questions[0].evidence == load(lines, "g.jsonl").questions[0].evidence == expected


@pytest.mark.parametrize(
    ("evidence", "problem"),
    [
        ("evidence: a", "a list was expected, found 'a'"),
        ("evidence: []", "at least one entry was expected"),
        ("evidence: [{quote: b}]", "doc: a document's id was expected"),
        ("evidence: [{doc: a}]", "either a quote, or whole numbers start < end was expected, found neither"),
        ("evidence: [{doc: a, quote: b, start: 1}]", "found quote 'b', start '1'"),
        ("evidence: [{doc: a, start: 5, end: 5}]", "found start '5', end '5'"),
        ("evidence: [{doc: a, quote: ' '}]", "quote: text was expected"),
        ("evidence: [{doc: a, quote: b, grade: 0}]", "grade: a number above 0 was expected, found '0'"),
        ("evidence: [{dok: a, quote: b}]", "one of doc, quote, start, end, grade was expected, found 'dok'"),
        ("evidence: [{doc: a, quote: b}], relevant: [a]", "either relevant items or evidence was expected"),
        ("evidence: [{doc: a, quote: b}], kind: unanswerable", "no evidence was expected of an unanswerable"),
    ],
)
def test_faulty_evidence_is_refused_at_its_place(faults, evidence, problem):
    found = faults(f"- {{id: q, question: x, {evidence}}}")
    assert any(problem in line and line.startswith("golden.yaml:1:") for line in found), found
