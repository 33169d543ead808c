import json
from math import log2

import numpy as np
import pytest

from strata_rag.errors import InputError, NotMeasurable
from strata_rag.evaluation import (
    GoldenSet,
    Measure,
    Question,
    RunTable,
    align,
    bootstrap_mean,
    sign_flip_test,
)
from strata_rag.experiment import compare, compare_runs

from .conftest import at_ranks, golden_of

NDCG = Measure("nDCG", 10)


def test_two_runs_by_hand(make_run):
    # nDCG of one relevant document at rank r is 1 / log2(r + 1).
    one, two = make_run([1, 2, 0, 3]), make_run([1, 1, 1, 3])
    found = compare_runs([one, two])
    (pair,) = found.primary.pairs
    assert found.primary.measure == NDCG
    assert (pair.wins, pair.ties, pair.losses) == (2, 2, 0)
    assert pair.difference == pytest.approx(((1 - 1 / log2(3)) + 1) / 4)
    # Two non-zero differences of one sign: 2 of 4 assignments are as extreme.
    assert (pair.test.p, pair.p, pair.test.exact) == (0.5, 0.5, True)
    assert found.primary.best == 1
    assert found.group == (0, 1)
    assert [change.first.id for change in found.changes] == ["q2", "q1"]
    assert found.changes[0].second.ranking[0].id == "d2"


def test_the_figures_are_those_of_the_differences(make_run):
    rng = np.random.Generator(np.random.PCG64(0))
    one, two = make_run(rng.integers(0, 6, 60).tolist()), make_run(rng.integers(0, 4, 60).tolist())
    tables = [RunTable.read(run) for run in (one, two)]
    differences = tables[1].column(NDCG) - tables[0].column(NDCG)
    (pair,) = compare_runs([one, two], seed=5).primary.pairs
    interval = bootstrap_mean(differences, seed=5)
    assert (pair.low, pair.high) == pytest.approx((interval.low, interval.high))
    assert pair.test == sign_flip_test(differences, seed=5)


def test_the_order_of_runs_turns_the_sign_and_nothing_else(make_run):
    one, two = make_run([1, 2, 0, 3, 5]), make_run([1, 1, 1, 3, 2])
    (forth,) = compare_runs([one, two]).primary.pairs
    (back,) = compare_runs([two, one]).primary.pairs
    assert back.difference == -forth.difference
    assert (back.wins, back.losses, back.p) == (forth.losses, forth.wins, forth.p)


def test_all_pairs_are_corrected_and_the_group_is_those_not_told_from_the_best(make_run):
    bad, good, alike = [0] * 30, [1] * 30, [1] * 29 + [2]
    found = compare_runs([make_run(bad), make_run(good), make_run(alike)])
    assert [(pair.first, pair.second) for pair in found.primary.pairs] == [(0, 1), (0, 2), (1, 2)]
    assert found.primary.pair(1, 0).p == pytest.approx(3 * found.primary.pair(0, 1).test.p, rel=1)
    assert found.primary.best == 1
    assert found.group == (1, 2)
    assert found.changed == (2, 1)


def test_the_same_runs_give_the_same_figures(make_run):
    runs = [make_run(np.random.Generator(np.random.PCG64(s)).integers(0, 9, 40).tolist()) for s in range(4)]
    assert compare_runs(runs, seed=1) == compare_runs(runs, seed=1)
    for correction in ("holm", "max"):
        found = compare_runs(runs, correction=correction)
        assert all(pair.p >= pair.test.p for pair in found.primary.pairs)


def test_other_measures_are_held_against_the_best_run_without_correction(make_run):
    found = compare_runs([make_run([1, 2, 1]), make_run([3, 2, 1]), make_run([1, 1, 1])], measure="MRR@10")
    assert [str(measure.measure) for measure in found.exploratory] == ["nDCG@10", "Recall@5"]
    assert all(pair.p == pair.test.p for measure in found.exploratory for pair in measure.pairs)
    assert all({pair.first, pair.second} >= {2} for measure in found.exploratory for pair in measure.pairs)


def test_questions_without_a_value_leave_the_comparison(make_run):
    golden = GoldenSet((*golden_of(3).questions, Question("q3", "who?", kind="unanswerable")))
    one = make_run(rankings=at_ranks([1, 2, 3, 0]), golden=golden)
    two = make_run(rankings=at_ranks([1, 1, 1, 0]), golden=golden)
    assert compare_runs([one, two]).primary.n == 3


def test_runs_over_different_golden_sets_are_refused_and_common_compares_what_they_share(make_run):
    one, two = make_run([1, 2, 3, 4]), make_run([1, 1, 1, 1, 1])
    with pytest.raises(
        InputError, match=r"run2: expected the golden set of run1 .*4 questions.* found"
    ) as caught:
        compare_runs([one, two])
    assert "--common" in caught.value.hint
    found = compare_runs([one, two], common=True)
    assert (found.primary.n, found.left_out) == (4, 1)
    assert "1 questions are not in every run" in found.notes[0]


def test_common_leaves_out_questions_that_are_asked_or_judged_otherwise(make_run):
    base = golden_of(4).questions
    other = GoldenSet(
        (
            Question("q0", "asked otherwise", {"d0": 1.0}, kind="code"),
            Question("q1", base[1].text, {"d1": 1.0, "d7": 1.0}, kind="name"),
            *base[:1:-1],
        )
    )
    one = make_run([1, 1, 1, 2])
    two = make_run(rankings=at_ranks([1, 1, 2, 2]), golden=other)
    tables, left_out = align([RunTable.read(one), RunTable.read(two)], common=True)
    assert [question.id for question in tables[1].questions] == ["q2", "q3"]
    assert left_out == 2
    assert tables[1].with_rankings([0])[0].ranking[1].id == "d2"


def test_what_can_not_be_compared_is_refused(make_run, runs_dir):
    one, two = make_run([1, 2]), make_run([1, 1], measures=["Recall@5"])
    make_run(rankings={}, golden=GoldenSet((Question("z", "?", {"d": 1.0}), Question("y", "?", {"d": 1.0}))))
    with pytest.raises(InputError, match="two runs or more"):
        compare(runs_dir, ["run1"])
    with pytest.raises(InputError, match="found run1 twice"):
        compare(runs_dir, ["run1", str(one.path)])
    with pytest.raises(
        InputError, match=r"--measure: expected one that every run has \(Recall@5\), found nDCG@10"
    ):
        compare_runs([one, two], measure="nDCG@10")
    with pytest.raises(InputError, match="found 'F1'"):
        compare_runs([one, two], measure="F1")
    with pytest.raises(InputError, match="with the same judgements in every run, found none"):
        compare(runs_dir, ["run1", "run3"], common=True)
    with pytest.raises(NotMeasurable, match="at least 2 questions"):
        compare_runs([make_run([1]), make_run([2])])
    with pytest.raises(InputError, match="a measure that every run has, found none"):
        compare_runs([make_run([1, 2], measures=["MAP@5"]), make_run([2, 1], measures=["Hit@5"])])


def test_a_run_over_other_documents_is_noted(make_run):
    notes = compare_runs([make_run([1, 2]), make_run([1, 2], corpus_digest="e" * 64)]).notes
    assert notes == ("the runs searched different documents: a difference may come from the corpus",)


def test_names_are_the_shortest_that_differ(make_run):
    assert compare_runs([make_run([1, 2], label="a"), make_run([1, 2], label="b")]).names == ("a", "b")
    alike = compare_runs([make_run([1, 2], label="a"), make_run([1, 2], label="a", name="other")])
    assert alike.names == ("handbook: a", "other: a")
    same = compare_runs(
        [make_run([1, 2], label="a", run_id="x-111111"), make_run([1, 2], label="a", run_id="x-222222")]
    )
    assert same.names == ("handbook: a (111111)", "handbook: a (222222)")


def test_the_command_prints_text_json_and_markdown(make_run, strata):
    golden = GoldenSet((Question("q|1", "a <b> *c*?", {"d0": 1.0}), Question("q2", "no?", {"d1": 1.0})))
    for ranks in ([1, 2], [2, 1], [1, 1]):
        rankings = dict(zip(["q|1", "q2"], at_ranks(ranks).values(), strict=True))
        make_run(rankings=rankings, golden=golden)
    text = strata("compare", "run1", "run2", "latest")
    assert text.returncode == 0, text.stderr
    assert "nDCG@10 (primary), 2 questions" in text.stdout
    assert "exploratory: not declared beforehand, p not corrected" in text.stdout
    assert "system 3 " in text.stdout
    document = json.loads(strata("compare", "run1", "run2", "run3", "--json").stdout)
    assert document["best"] == "run3"
    assert document["group"] == ["run1", "run2", "run3"]
    assert document["exploratory"][0]["pairs"][0]["p_corrected"] is None
    assert len(document["primary"]["pairs"]) == 3
    page = strata("compare", "run1", "run3", "--markdown").stdout
    assert "| system 3 | 1.000 | 1.000 to 1.000 | yes |" in page
    assert "**q2**" in page or "q\\|1" in page


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["run1"], "two runs or more"),
        (["run1", "run9"], "found 'run9'"),
        (["run1", "run2", "--alpha", "2"], "between 0 and 1"),
        (["run1", "run2", "--correction", "bonferroni"], "expected holm or max"),
        (["run1", "run2", "--json", "--markdown"], "expected one of them"),
    ],
)
def test_a_wrong_argument_is_two_lines_and_exit_code_2(make_run, strata, arguments, problem):
    make_run([1, 2]), make_run([2, 1])
    ended = strata("compare", *arguments)
    assert ended.returncode == 2
    lines = ended.stderr.splitlines()
    assert len(lines) == 2
    assert lines[0].startswith("error: ")
    assert problem in lines[0]
    assert lines[1].startswith("hint: ")
