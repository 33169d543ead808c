"""Expected values are written as the formula, on rankings of three."""

from math import isnan, log2, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strata_rag.errors import InputError
from strata_rag.evaluation import NAMES, GoldenSet, Measure, Question, evaluate, evaluate_ranking

RANKING = ["d1", "d2", "d3"]


def value(measure, ranking, judged):
    (found,) = evaluate_ranking([Measure.parse(measure)], ranking, Question("q", "?", judged))
    return found


# Case 64: the ideal ranks all judged items, not the list that came back.
@pytest.mark.parametrize(
    ("judged", "expected"),
    [
        ({"d2": 1}, (1 / log2(3)) / 1),
        ({"d2": 1, "d8": 1, "d9": 1}, (1 / log2(3)) / (1 + 1 / log2(3) + 1 / log2(4))),
        ({"d2": 1, "d3": 3, "d9": 2}, (1 / log2(3) + 3 / log2(4)) / (3 + 2 / log2(3) + 1 / log2(4))),
    ],
)
def test_the_ideal_of_ndcg_comes_from_all_judged_items(judged, expected):
    assert value("nDCG@3", RANKING, judged) == pytest.approx(expected, abs=1e-12)


def test_case_64_has_the_figures_published_with_it():
    found = [
        value("nDCG@3", RANKING, judged)
        for judged in ({"d2": 1}, {"d2": 1, "d8": 1, "d9": 1}, {"d2": 1, "d3": 3, "d9": 2})
    ]
    assert found == pytest.approx([0.630930, 0.296082, 0.447500], abs=5e-7)


def test_the_ideal_has_k_items_when_more_are_relevant():
    judged = {"d2": 1, "d7": 1, "d8": 1, "d9": 1}
    assert value("nDCG@2", RANKING, judged) == pytest.approx((1 / log2(3)) / (1 + 1 / log2(3)))


def test_exponential_gain_is_another_measure_with_its_own_name():
    judged = {"d2": 1, "d3": 3, "d9": 2}
    expected = (1 / log2(3) + 7 / log2(4)) / (7 + 3 / log2(3) + 1 / log2(4))
    assert value("nDCG(exp)@3", RANKING, judged) == pytest.approx(expected, abs=1e-12)


def test_the_largest_grades_still_have_a_value():
    judged = dict.fromkeys([*RANKING, *(f"x{i}" for i in range(1000))], 1000.0)
    assert value("nDCG(exp)@3", RANKING, judged) == 1


# Case 67: the order given counts, however the scores tie.
@pytest.mark.parametrize(
    ("judged", "reciprocal", "ndcg"), [({"d3": 1}, 1 / 3, 1 / log2(4)), ({"d1": 1}, 1.0, 1.0)]
)
def test_the_ranking_counts_in_the_order_given(judged, reciprocal, ndcg):
    assert value("MRR@3", RANKING, judged) == reciprocal
    assert value("MAP@3", RANKING, judged) == reciprocal
    assert value("nDCG@3", RANKING, judged) == ndcg


@pytest.mark.parametrize(
    ("measure", "judged", "expected"),
    [
        ("Precision@2", {"d2": 1, "d3": 1}, 1 / 2),
        ("Precision@5", {"d2": 1, "d3": 1}, 2 / 5),
        ("Recall@2", {"d2": 1, "d3": 1, "d9": 2}, 1 / 3),
        ("Recall@3", {"d2": 1, "d3": 1, "d9": 2}, 2 / 3),
        ("Hit@1", {"d2": 1}, 0.0),
        ("Hit@2", {"d2": 1}, 1.0),
        ("MRR@1", {"d2": 1}, 0.0),
        ("MRR@2", {"d2": 1, "d3": 1}, 1 / 2),
        ("MAP@3", {"d2": 1, "d3": 1, "d9": 1}, (1 / 2 + 2 / 3) / 3),
        ("MAP@2", {"d2": 1, "d3": 1, "d9": 1}, (1 / 2) / 3),
        ("Judged@3", {"d2": 1, "d3": 0}, 2 / 3),
        ("Judged@10", {"d2": 1, "d3": -1}, 2 / 3),
        ("Judged@1", {"d2": 1}, 0.0),
        ("Recall@3", {"d1": 0, "d2": -1, "d3": 0.5}, 1.0),
        ("nDCG@3", {"d1": -1, "d2": 2}, (2 / log2(3)) / 2),
        ("MRR@3", {"d1": -1, "d2": 2}, 1 / 2),
    ],
)
def test_each_measure_follows_its_formula(measure, judged, expected):
    assert value(measure, RANKING, judged) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_a_duplicate_counts_once_at_its_first_place(name):
    judged = {"d2": 2, "d3": 1, "d9": 1}
    twice = ["d1", "d1", "d2", "d1", "d2", "d3", "d3"]
    assert value(f"{name}@3", twice, judged) == value(f"{name}@3", RANKING, judged)


@pytest.mark.parametrize("name", NAMES)
def test_a_question_without_results_scores_zero(name):
    assert value(f"{name}@10", [], {"d1": 1}) == 0


@pytest.mark.parametrize("name", sorted(set(NAMES) - {"Judged"}))
@pytest.mark.parametrize("judged", [{}, {"d1": 0}, {"d1": -1}])
def test_a_question_without_a_relevant_item_is_undefined(name, judged):
    assert isnan(value(f"{name}@10", RANKING, judged))
    assert isnan(value(f"{name}@10", [], judged))


def test_judged_needs_a_judgement_but_no_relevant_item():
    assert value("Judged@2", RANKING, {"d1": 0}) == 1 / 2
    assert isnan(value("Judged@2", RANKING, {}))


def test_evaluate_emits_every_pair_of_question_and_measure():
    golden = GoldenSet(
        (
            Question("q1", "?", {"d1": 1}),
            Question("q2", "?", {"d1": 1}),
            Question("q3", "?"),
            Question("q4", "?", {"d3": 1}),
        )
    )
    measures = [Measure("Recall", 2), Measure("MRR", 3)]
    found = evaluate(measures, {"q4": RANKING, "q1": RANKING, "q3": RANKING}, golden)
    assert found.query_ids == ("q1", "q2", "q3", "q4")
    np.testing.assert_array_equal(found.values, [[1, 1], [0, 0], [nan, nan], [0, 1 / 3]])
    np.testing.assert_array_equal(found.column(Measure("MRR", 3)), [1, 0, nan, 1 / 3])


def test_values_can_not_be_changed_afterwards():
    found = evaluate([Measure("Hit", 1)], {}, GoldenSet((Question("q", "?", {"d": 1}),)))
    with pytest.raises(ValueError, match="read-only"):
        found.values[0, 0] = 1


def test_a_ranking_of_an_unknown_question_is_refused():
    with pytest.raises(InputError, match="found 1 others: 'q9'"):
        evaluate([Measure("Hit", 1)], {"q9": ["d1"]}, GoldenSet((Question("q", "?"),)))


def test_large_sets_are_computed_in_batches_with_the_same_values():
    rng = np.random.Generator(np.random.PCG64(1))
    measures = [Measure.parse(f"{name}@{k}") for name in NAMES for k in (3, 1000)]
    questions, rankings = [], {}
    for q in range(3000):  # 3,000 x 1,000 places are more than one batch
        items = rng.permutation(1000).astype(str).tolist()
        questions.append(Question(f"q{q}", "?", dict(zip(items[::50], rng.integers(-1, 4, 20), strict=True))))
        rankings[f"q{q}"] = items[: q % 1000]
    found = evaluate(measures, rankings, GoldenSet(tuple(questions)))
    for row in range(0, 3000, 100):
        question = questions[row]
        alone = evaluate_ranking(measures, rankings[question.id], question)
        np.testing.assert_array_equal(found.values[row], alone)


@pytest.mark.parametrize("name", NAMES)
def test_a_measure_is_a_value(name):
    measure = Measure.parse(f"{name}@10")
    assert str(measure) == f"{name}@10"
    assert measure == Measure(name, 10) == Measure.parse(f" {name.upper()}@10 ")
    assert len({measure, Measure.parse(str(measure)), Measure(name, 5)}) == 2
    assert (measure.name, measure.cutoff) == (name, 10)


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("nDGC@10", "did you mean nDCG@10?"),
        ("nDCG", "did you mean nDCG@10?"),
        ("Recall@0", "did you mean Recall@10?"),
        ("Recall@-5", "did you mean Recall@10?"),
        ("Recall@5.5", "did you mean Recall@10?"),
        ("P@5", "did you mean Precision@5?"),
        ("R@20", "did you mean Recall@20?"),
        ("AP@100", "did you mean MAP@100?"),
        ("Success@5", "did you mean Hit@5?"),
        ("recal@5", "did you mean Recall@5?"),
        ("", "did you mean nDCG@10?"),
    ],
)
def test_an_unreadable_measure_lists_every_name_and_the_nearest(text, hint):
    with pytest.raises(InputError) as caught:
        Measure.parse(text)
    assert all(name in caught.value.message for name in NAMES)
    assert caught.value.hint == hint


def test_a_measure_of_no_known_formula_can_not_be_made():
    with pytest.raises(ValueError, match="name"):
        Measure("F1", 3)
    with pytest.raises(ValueError, match="cutoff"):
        Measure("MAP", 0)
    with pytest.raises(ValueError, match="at least one"):
        evaluate([], {}, GoldenSet(()))


ids = st.sampled_from([f"d{i}" for i in range(12)])
rankings = st.lists(ids, max_size=15)
judgements = st.dictionaries(ids, st.sampled_from([-1.0, 0.0, 0.5, 1.0, 2.0, 3.0]), max_size=8)
measures = st.sampled_from(NAMES).flatmap(lambda name: st.integers(1, 8).map(lambda k: f"{name}@{k}"))


@given(measures, rankings, judgements, st.permutations([f"d{i}" for i in range(12)]))
def test_renaming_documents_never_changes_a_value(measure, ranking, judged, names):
    new = {f"d{i}": name for i, name in enumerate(names)}
    renamed = value(measure, [new[item] for item in ranking], {new[item]: g for item, g in judged.items()})
    assert renamed == pytest.approx(value(measure, ranking, judged), abs=0, nan_ok=True)


@given(measures, rankings, judgements, rankings)
def test_what_stands_below_the_cutoff_changes_nothing(measure, ranking, judged, junk):
    cutoff = Measure.parse(measure).cutoff
    top = list(dict.fromkeys(ranking))[:cutoff]
    if len(top) == cutoff:
        assert value(measure, top + junk, judged) == pytest.approx(
            value(measure, top, judged), abs=0, nan_ok=True
        )


@given(measures, rankings, judgements)
def test_every_value_lies_between_0_and_1(measure, ranking, judged):
    found = value(measure, ranking, judged)
    assert isnan(found) or 0 <= found <= 1 + 1e-12


@given(measures, rankings, judgements)
def test_duplicates_count_once(measure, ranking, judged):
    distinct = list(dict.fromkeys(ranking))
    assert value(measure, ranking, judged) == pytest.approx(
        value(measure, distinct, judged), abs=0, nan_ok=True
    )


@given(judgements.filter(lambda judged: any(grade > 0 for grade in judged.values())), st.integers(1, 8))
def test_the_ideal_ranking_is_worth_exactly_1(judged, k):
    ideal = sorted(judged, key=lambda item: -judged[item])
    assert value(f"nDCG@{k}", ideal, judged) == 1
    assert value(f"nDCG(exp)@{k}", ideal, judged) == 1
