"""Reference answers of golden sets: in YAML, and beside the queries of a BEIR folder."""

import json

import pytest

from strata_rag.errors import GoldenError
from strata_rag.evaluation import golden_yaml, load_golden


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "qrels").mkdir()
    (tmp_path / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\nq2\td2\t1\n")
    queries = [{"_id": f"q{n}", "text": f"what {n}?"} for n in (1, 2)]
    (tmp_path / "queries.jsonl").write_text("".join(json.dumps(one) + "\n" for one in queries))
    return tmp_path


def with_answers(folder, *lines):
    (folder / "answers.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return folder


def test_a_beir_folder_may_hold_reference_answers(folder):
    plain = load_golden(folder)
    golden = load_golden(
        with_answers(
            folder, {"_id": "q2", "answers": ["118", "one hundred", "118"]}, {"_id": "q9", "answer": "x"}
        )
    )
    first, second = golden.questions
    assert first.references == ()
    assert second.references == ("118", "one hundred")
    assert golden.digest != plain.digest


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ({"answer": "x"}, "found no _id"),
        ({"_id": "q1"}, "answer of query 'q1' was expected"),
        ({"_id": "q1", "answer": "  "}, "answer of query 'q1' was expected"),
        ({"_id": "q1", "answers": []}, "answer of query 'q1' was expected"),
    ],
)
def test_faults_of_reference_answers_are_told_with_their_line(folder, line, told):
    with pytest.raises(GoldenError, match=r"answers\.jsonl:1:1") as caught:
        load_golden(with_answers(folder, line))
    assert told in str(caught.value)


def test_further_answers_are_read_and_written_in_yaml(load):
    golden = load(
        "- {id: q, question: w?, relevant: [d], reference_answer: Two years, further_answers: [24 months]}"
    )
    assert golden.questions[0].references == ("Two years", "24 months")
    assert load(golden_yaml(golden)).digest == golden.digest


def test_the_shared_sets_have_their_reference_answers(shared):
    for name, references in (("anthropic-docs", 100), ("xquad-en", 1190)):
        golden = load_golden(shared / "data" / "beir" / name)
        assert sum(bool(question.references) for question in golden.questions) == references
