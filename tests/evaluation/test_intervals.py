import time
import tracemalloc
from math import isnan, nan

import numpy as np
import pytest
from scipy import stats

from strata_rag.evaluation import (
    GoldenSet,
    Interval,
    Measure,
    PerQuery,
    Question,
    bootstrap_mean,
    slices,
    summarise,
)
from strata_rag.evaluation.intervals import mean

NDCG, HIT, JUDGED = Measure("nDCG", 10), Measure("Hit", 5), Measure("Judged", 10)


def per_query(*columns, measures=(NDCG, HIT, JUDGED)):
    values = np.array(columns, dtype=float).T
    return PerQuery(tuple(f"q{row}" for row in range(len(values))), measures[: len(columns)], values)


def test_a_sample_of_two_has_the_quantiles_of_its_three_possible_means():
    # Means of two draws from {0, 1}: 0, 1/2, 1/2, 1, a quarter each.
    assert bootstrap_mean([0, 1], seed=0, level=0.9) == Interval(0.0, 1.0)
    assert bootstrap_mean([0, 1], seed=0, level=0.3) == Interval(0.5, 0.5)


def test_a_constant_sample_has_no_width():
    found = bootstrap_mean([0.25] * 7, seed=3)
    assert (found.low, found.high) == (0.25, 0.25)


@pytest.mark.parametrize("values", [[], [nan], [0.5], [0.5, nan]])
def test_fewer_than_two_values_have_no_interval(values):
    found = bootstrap_mean(values, seed=0)
    assert isnan(found.low)
    assert isnan(found.high)


def test_the_interval_is_the_percentile_bootstrap_of_scipy():
    values = np.random.Generator(np.random.PCG64(7)).random(300)
    reference = stats.bootstrap(
        (values,),
        np.mean,
        method="percentile",
        n_resamples=10_000,
        batch=1000,
        rng=np.random.Generator(np.random.PCG64(11)),
    ).confidence_interval
    found = bootstrap_mean(values, seed=11)
    assert (found.low, found.high) == pytest.approx((reference.low, reference.high), abs=1e-12)


def test_the_interval_does_not_depend_on_how_draws_are_cut_into_chunks():
    values = np.random.Generator(np.random.PCG64(5)).random(3001)
    draws = np.random.Generator(np.random.PCG64(2)).integers(0, 3001, size=(1000, 3001))
    expected = np.quantile(values[draws].mean(axis=1), [0.025, 0.975])
    found = bootstrap_mean(values, seed=2, resamples=1000)
    assert (found.low, found.high) == pytest.approx(tuple(expected), abs=1e-12)


def test_the_same_seed_gives_the_same_interval_and_another_seed_another():
    values = np.random.Generator(np.random.PCG64(0)).random(50)
    assert bootstrap_mean(values, seed=1) == bootstrap_mean(values, seed=1)
    assert bootstrap_mean(values, seed=1) != bootstrap_mean(values, seed=2)


def test_intervals_cover_the_mean_about_as_often_as_they_say():
    rng = np.random.Generator(np.random.PCG64(4))
    covered = 0
    for seed in range(300):
        found = bootstrap_mean(rng.random(60), seed=seed, resamples=500)
        covered += found.low <= 0.5 <= found.high
    assert 0.90 <= covered / 300 <= 0.98


def test_undefined_values_leave_mean_n_and_interval():
    found = summarise(per_query([0.0, 1.0, nan, 0.5], [1, 1, nan, 0]), seed=0)
    assert (found[NDCG].value, found[NDCG].n) == (0.5, 3)
    assert (found[HIT].value, found[HIT].n) == (2 / 3, 3)
    alone = bootstrap_mean([0.0, 1.0, 0.5], seed=0)
    assert (found[NDCG].low, found[NDCG].high) == pytest.approx((alone.low, alone.high))


def test_a_measure_that_is_never_defined_has_no_mean():
    summary = summarise(per_query([nan, nan], [1, 0]), seed=0)[NDCG]
    assert summary.n == 0
    assert all(map(isnan, (summary.value, summary.low, summary.high)))


def test_measures_share_their_resamples():
    values = np.random.Generator(np.random.PCG64(9)).random(40)
    found = summarise(per_query(values, values / 2, np.where(values > 0.5, nan, values)), seed=0)
    assert found[HIT].low == pytest.approx(found[NDCG].low / 2)
    assert found[HIT].high == pytest.approx(found[NDCG].high / 2)
    assert found[JUDGED].n < 40


def test_the_mean_does_not_depend_on_the_order_of_questions():
    values = np.random.Generator(np.random.PCG64(9)).random(1001)
    assert mean(values) == mean(values[::-1]) == mean(np.sort(values))


def test_slices_summarise_each_kind_language_and_tag_apart():
    golden = GoldenSet(
        (
            Question("q0", "?", kind="code", lang="en", tags=("a", "b", "a")),
            Question("q1", "?", kind="code", lang="de", tags=("a",)),
            Question("q2", "?", kind="name"),
        )
    )
    values = per_query([1.0, 0.0, 0.5])
    by_kind = slices(values, golden, by="kind")
    assert list(by_kind) == ["code", "name"]
    assert (by_kind["code"][NDCG].value, by_kind["code"][NDCG].n) == (0.5, 2)
    by_tag = slices(values, golden, by="tag")
    assert {tag: (found[NDCG].value, found[NDCG].n) for tag, found in by_tag.items()} == {
        "(none)": (0.5, 1),
        "a": (0.5, 2),
        "b": (1.0, 1),
    }
    assert list(slices(values, golden, by="lang")) == ["(none)", "de", "en"]


@pytest.mark.parametrize("wrong", [{"resamples": 0}, {"level": 1.0}, {"level": 0.0}])
def test_an_impossible_setting_is_the_callers_mistake(wrong):
    with pytest.raises(ValueError, match="expected"):
        bootstrap_mean([0, 1], seed=0, **wrong)


def test_memory_is_bounded_with_thousands_of_questions():
    values = per_query(np.linspace(0, 1, 5000), np.linspace(1, 0, 5000))
    tracemalloc.start()
    start = time.perf_counter()
    summarise(values, seed=0)
    seconds = time.perf_counter() - start
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 50e6
    assert seconds < 10
