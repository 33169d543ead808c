import json
import time

import pytest

from strata_rag.errors import GoldenError

GOOD = """\
level: document
kinds: [table]
questions:
  - id: 007
    question: no
    relevant: [a.md, b.md]
  - id: q2
    question: "What is AB-1234/x?"
    relevant: {a.md: 3, b.md: 0, c.md: -1, d.md: 0.5}
    kind: code
    level: chunk
    lang: en
    tags: [x, y]
    reference_answer: The valve.
    expected: [valve, "1:30"]
  - {id: q3, question: Who?, kind: unanswerable}
  - {id: q4, question: Not labelled yet}
  - {id: q5, question: By the old name, expected_doc_ids: [a.md], kind: table}
"""


def test_a_yaml_file_is_read_as_its_author_wrote_it(load):
    golden = load(GOOD)
    first, second, third, fourth, fifth = golden.questions
    assert (first.id, first.text, first.relevant) == ("007", "no", {"a.md": 1.0, "b.md": 1.0})
    assert first.kind == "retrieval"
    assert second.judged == {"a.md": 3.0, "b.md": 0.0, "c.md": -1.0, "d.md": 0.5}
    assert second.relevant == {"a.md": 3.0, "d.md": 0.5}
    assert (second.kind, second.level, second.lang, second.tags) == ("code", "chunk", "en", ("x", "y"))
    assert (second.reference_answer, second.expected) == ("The valve.", ("valve", "1:30"))
    assert third.kind == "unanswerable"
    assert third.judged == fourth.judged == {}
    assert (fifth.relevant, fifth.kind) == ({"a.md": 1.0}, "table")
    assert second.where.endswith("golden.yaml:7:5")


def test_yaml_list_and_json_lines_say_the_same(load):
    rows = [
        {"id": "1", "question": "a\u2028b\u0085c", "relevant": ["d1"]},
        {"id": "2", "question": "q \U0001f600", "relevant": {"d1": 2, "d2": 0.5}, "tags": ["t"]},
    ]
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\r\n" for row in rows)
    from_lines = load("\ufeff" + lines, "golden.jsonl")
    from_yaml = load("\ufeff" + json.dumps(rows, ensure_ascii=False).replace("\n", "\r\n"), "golden.yml")
    assert from_lines.digest == from_yaml.digest
    assert from_lines.questions[0].text == from_yaml.questions[0].text == "a\u2028b\u0085c"


def test_numbers_in_json_keep_their_digits(load):
    assert load('{"id": 1.50, "question": "q"}', "golden.jsonl").questions[0].id == "1.50"


def test_an_id_listed_twice_counts_once(load):
    assert load("- {id: 1, question: q, relevant: [a, a]}").questions[0].relevant == {"a": 1.0}


# The caret marks the place that the fault must name; it is no part of the file.
QUESTION_FAULTS = {
    "a scalar where a list is due": (
        "relevant: ^a.md",
        "question 'q': relevant: a list was expected, found 'a.md'",
    ),
    "a scalar for tags": ("tags: ^x", "question 'q': tags: a list was expected, found 'x'"),
    "a list in a list": ("relevant: [^[a]]", "question 'q': relevant: text was expected, found a list"),
    "an unknown kind": ("kind: ^retreival", "question 'q': kind: one of retrieval, metadata, unanswerable"),
    "an unknown level": ("level: ^page", "question 'q': level: one of document, chunk, project was expected"),
    "an unknown key": ("^relevent: [a]", "question: one of id, question, relevant"),
    "a repeated key": ("^id: q", "question: each key once was expected, found 'id' again"),
    "a repeated item": ("relevant: {a: 1, ^a: 1}", "question 'q': relevant: each key once was expected"),
    "an empty list": ("relevant: ^[]", "question 'q': relevant: at least one id was expected, found none"),
    "a key without a list": ("relevant: ^~", "question 'q': relevant: a list was expected, found nothing"),
    "an empty id in the list": (
        "relevant: [^'']",
        "question 'q': relevant: text was expected, found nothing",
    ),
    "an empty id with a grade": ("relevant: {^'': 1}", "question 'q': relevant: an id was expected"),
    "a word as grade": ("relevant: {a: ^high}", "question 'q': relevant: a: a grade was expected"),
    "a truth value as grade": ("relevant: {a: ^true}", "question 'q': relevant: a: a grade was expected"),
    "not a number as grade": ("relevant: {a: ^.nan}", "question 'q': relevant: a: a grade was expected"),
    "a grade too large": ("relevant: {a: ^1e9}", "question 'q': relevant: a: a grade was expected"),
    "both names of one key": (
        "relevant: [a], ^expected_doc_ids: [a]",
        "question 'q': either relevant or expected_doc_ids was expected, found both",
    ),
    "grades under the old name": (
        "expected_doc_ids: ^{a: 1}",
        "question 'q': expected_doc_ids: a list was expected",
    ),
    "an unanswerable question with answers": (
        "kind: unanswerable, relevant: ^[a]",
        "question 'q': relevant: no relevant item was expected of an unanswerable question",
    ),
    "a tag that would build an object": (
        "lang: ^!!python/name:os.system x",
        "question 'q': lang: plain YAML was expected, found the tag",
    ),
}


@pytest.mark.parametrize(("text", "expected"), QUESTION_FAULTS.values(), ids=QUESTION_FAULTS.keys())
def test_a_bad_field_is_refused_at_its_place(faults, text, expected):
    marked = f"- {{id: q, question: x, {text}}}"
    (found,) = faults(marked.replace("^", ""))
    assert found.startswith(f"golden.yaml:1:{marked.index('^') + 1}: {expected}")


FILE_FAULTS = {
    "empty": ("", "golden.yaml:1:1: questions were expected, found an empty file"),
    "only a comment": ("# nothing\n", "golden.yaml:1:1: questions were expected"),
    "no questions": ("[]", "golden.yaml:1:1: at least one question was expected"),
    "a scalar": ("hello", "golden.yaml:1:1: golden set: a list was expected, found 'hello'"),
    "no list of questions": (
        "level: chunk",
        "golden.yaml:1:1: questions: a list was expected, found nothing",
    ),
    "unknown key": ("queries: []\nquestions: []", "golden.yaml:1:1: golden set: one of questions, kinds"),
    "not YAML": ("- id: [1", "golden.yaml:1:9: YAML was expected"),
    "two documents": ("- a\n---\n- b", "golden.yaml:2:1: YAML was expected"),
    "a control character": ("- \x01", "golden.yaml:1:3: YAML was expected"),
    "too deep": ("[" * 60, "golden.yaml:1:51: at most 50 levels of nesting"),
    "far too deep": ("[" * 100_000, "golden.yaml:1:1001: YAML was expected"),
    "not UTF-8": (b"- id: caf\xe9\n", "golden.yaml:1:10: UTF-8 text was expected, found byte 0xe9"),
    "UTF-16": ("- id: a".encode("utf-16"), "golden.yaml:1:1: UTF-8 text was expected"),
    "text for a question": ("- foo", "golden.yaml:1:3: question: a mapping was expected, found 'foo'"),
    "an empty mapping": ("- {}", "golden.yaml:1:3: question: id and question were expected"),
    "a merge key": ("- {id: 1, question: q, <<: {kind: code}}", "golden.yaml:1:24: question: one of id"),
    "an object's tag": (
        "- !!python/object:os.x {id: 1}",
        "golden.yaml:1:3: question: a mapping was expected",
    ),
    "an id missing": ("- question: q", "golden.yaml:1:3: id: text was expected, found nothing"),
    "an id that is null": ("- {id: ~, question: q}", "golden.yaml:1:8: id: text was expected, found nothing"),
    "an empty question": ("- {id: 1, question: ' '}", "golden.yaml:1:21: question: text was expected"),
    "a question that is a list": (
        "- {id: 1, question: [a]}",
        "golden.yaml:1:21: question: text was expected",
    ),
    "the same id twice": (
        "- {id: 1, question: q}\n- {id: 1, question: r}",
        "golden.yaml:2:8: id: a unique id was expected, found '1', as at golden.yaml:1:3",
    ),
}


@pytest.mark.parametrize(("text", "expected"), FILE_FAULTS.values(), ids=FILE_FAULTS.keys())
def test_a_bad_file_is_refused_at_its_place(faults, text, expected):
    found = faults(text)
    assert found[0].startswith(expected)


LINE_FAULTS = {
    "not JSON": ('{"id": "1"', "golden.jsonl:1:11: one JSON object was expected on this line"),
    "a second value": ('{"id": "1", "question": "q"} {}', "golden.jsonl:1:30: one JSON object was expected"),
    "a list": ("[1]", "golden.jsonl:1:1: question: a mapping was expected, found a list"),
    "a repeated key": (
        '{"id": "1", "question": "q", "id": "2"}',
        "golden.jsonl:1:30: question: each key once was expected, found 'id' again",
    ),
    "a scalar for a list": (
        '\n{"id": "1", "question": "q", "relevant": "a"}',
        "golden.jsonl:2:30: question '1': relevant: a list was expected, found 'a'",
    ),
    "NaN as grade": (
        '{"id": "1", "question": "q", "relevant": {"a": NaN}}',
        "golden.jsonl:1:43: question '1': relevant: a: a grade was expected",
    ),
    "too deep": ("[" * 100_000, "golden.jsonl:1:1: at most 50 levels of nesting"),
    "empty": ("\n\n", "golden.jsonl:1:1: at least one question was expected"),
}


@pytest.mark.parametrize(("text", "expected"), LINE_FAULTS.values(), ids=LINE_FAULTS.keys())
def test_a_bad_line_is_refused_at_its_place(faults, text, expected):
    (found,) = faults(text, "golden.jsonl")
    assert found.startswith(expected)


def test_all_faults_are_reported_at_once_in_the_order_of_the_file(faults):
    found = faults("- {id: 1, question: '', tags: x}\n- {question: q, kind: no}\n- {id: 1, question: q}\n")
    places = [line.split(": ")[0] for line in found]
    assert places == [
        "golden.yaml:1:21",
        "golden.yaml:1:31",
        "golden.yaml:2:3",
        "golden.yaml:2:23",
        "golden.yaml:3:8",
    ]


def test_an_unknown_word_comes_with_the_nearest_known_one(load):
    with pytest.raises(GoldenError) as caught:
        load("- {id: 1, question: q, kind: retreival, relevent: [a]}")
    assert [fault.hint for fault in caught.value.faults] == [
        "did you mean retrieval?",
        "did you mean relevant?",
    ]


def test_five_thousand_questions_are_read_in_seconds(load):
    text = "".join(f"- id: q{i}\n  question: what is {i}?\n  relevant: [a{i}, b{i}]\n" for i in range(5000))
    start = time.perf_counter()
    assert len(load(text).questions) == 5000
    assert time.perf_counter() - start < 10
