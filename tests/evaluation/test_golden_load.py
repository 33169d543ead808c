import pytest

from strata_rag.errors import GoldenError
from strata_rag.evaluation import load_golden

QUERIES = (
    '{"_id": "q1", "text": "one"}\n{"_id": 2, "text": "two\u2028\u0085"}\n{"_id": "q3", "text": "three"}\n'
)
QRELS = "query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td2\t0\nq1\td3\t-1\n2\td 4\t1.5\n"


@pytest.fixture
def beir(tmp_path):
    def write(queries=QUERIES, qrels=QRELS, split="test"):
        (tmp_path / "qrels").mkdir(exist_ok=True)
        (tmp_path / "queries.jsonl").write_bytes(queries.encode())
        (tmp_path / "qrels" / f"{split}.tsv").write_bytes(qrels.encode())
        return tmp_path

    return write


def test_a_beir_folder_yields_the_judged_queries_in_their_order(beir):
    golden = load_golden(beir())
    assert [question.id for question in golden.questions] == ["q1", "2"]
    assert golden.questions[0].judged == {"d1": 2.0, "d2": 0.0, "d3": -1.0}
    assert golden.questions[0].relevant == {"d1": 2.0}
    assert golden.questions[1].relevant == {"d 4": 1.5}
    assert golden.questions[1].text == "two\u2028\u0085"
    assert golden.unjudged == 1


def test_byte_order_marks_and_windows_line_ends_change_nothing(beir):
    plain = load_golden(beir())
    odd = load_golden(beir("\ufeff" + QUERIES.replace("\n", "\r\n"), "\ufeff" + QRELS.replace("\n", "\r\n")))
    assert odd.digest == plain.digest


def test_a_pair_judged_twice_with_one_grade_counts_once(beir):
    assert load_golden(beir(qrels=QRELS + "q1\td1\t2.0\n")).digest == load_golden(beir()).digest


def test_a_missing_split_lists_those_there_are(beir):
    beir(split="train")
    folder = beir(split="dev")
    with pytest.raises(GoldenError, match="'test'") as caught:
        load_golden(folder)
    assert caught.value.hint == "splits there are: dev, train"


@pytest.mark.parametrize(
    ("queries", "qrels", "expected"),
    [
        (QUERIES, QRELS + "q1\td1\t3\n", "test.tsv:6:7: one grade for query 'q1' and item 'd1' was expected"),
        (QUERIES, QRELS + "q9\td1\t3\n", "test.tsv:6:1: a query of"),
        (QUERIES, QRELS + "q1 d1 3\n", "test.tsv:6:1: three columns apart by tabs were expected"),
        (QUERIES, QRELS + "q1\t0\td1\t3\n", "test.tsv:6:1: three columns apart by tabs were expected"),
        (QUERIES, QRELS + "q1\td9\tgood\n", "test.tsv:6:7: a grade was expected"),
        (QUERIES, QRELS + "q1\t\t1\n", "test.tsv:6:1: a query id and an item id were expected"),
        (
            QUERIES,
            QRELS.split("\n", 1)[1],
            "test.tsv:1:1: the header query-id, corpus-id, score was expected",
        ),
        (QUERIES, "query-id\tcorpus-id\tscore\n", "test.tsv:1:1: at least one judgement was expected"),
        (QUERIES + "{\n", QRELS, "queries.jsonl:4:2: one JSON object was expected"),
        (QUERIES + "[]\n", QRELS, "queries.jsonl:4:1: an object with _id and text was expected"),
        (QUERIES + '{"_id": "q1", "text": "x"}\n', QRELS, "queries.jsonl:4:1: _id: a unique id was expected"),
        (QUERIES.replace('"one"', '" "'), QRELS, "queries.jsonl:1:1: text of query 'q1' was expected"),
    ],
)
def test_a_fault_in_a_beir_folder_is_refused_at_its_place(beir, queries, qrels, expected):
    with pytest.raises(GoldenError) as caught:
        load_golden(beir(queries, qrels))
    (line,) = caught.value.lines
    assert expected in line


def test_faults_of_both_files_are_reported_together(beir):
    with pytest.raises(GoldenError) as caught:
        load_golden(beir(QUERIES + "{\n", QRELS + "q9\td1\t1\nq1\td1\tx\n"))
    assert len(caught.value.faults) == 3


def test_a_folder_without_queries_is_refused(beir):
    folder = beir()
    (folder / "queries.jsonl").unlink()
    with pytest.raises(GoldenError, match=r"queries\.jsonl: a readable file was expected"):
        load_golden(folder)


@pytest.mark.parametrize("name", ["gone.yaml", "gone.jsonl", "gone", "golden.csv"])
def test_a_missing_or_foreign_file_is_one_clear_error(tmp_path, name):
    (tmp_path / "golden.csv").write_text("a,b")
    with pytest.raises(GoldenError) as caught:
        load_golden(tmp_path / name)
    assert len(caught.value.faults) == 1
    assert caught.value.exit_code == 2


def test_an_unknown_level_is_the_callers_mistake(beir):
    with pytest.raises(ValueError, match="level"):
        load_golden(beir(), level="page")


@pytest.mark.parametrize(
    ("name", "split", "questions", "judgements"),
    [
        ("cranfield", "test", 225, 1612),
        ("cranfield", "graded", 225, 1612),
        ("anthropic-docs", "test", 100, 192),
        ("xquad-en", "test", 1190, 1190),
        ("xquad-de", "test", 1190, 1190),
        ("xquad-de2en", "test", 1190, 1190),
    ],
)
def test_the_shared_sets_load_whole(shared, name, split, questions, judgements):
    golden = load_golden(shared / "data" / "beir" / name, split=split)
    assert (len(golden.questions), golden.judgements, golden.unjudged) == (questions, judgements, 0)
    assert all(question.relevant for question in golden.questions)
