import math
import time
from math import nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from strata_rag.evaluation import (
    detectable_difference,
    effect_size,
    holm,
    pairwise_holm,
    pairwise_max,
    sign_flip_test,
)
from strata_rag.evaluation.significance import MOST_DRAWS

FLOATS = st.floats(-1, 1, allow_nan=False).map(lambda number: round(number, 6))


def generator(seed):
    return np.random.Generator(np.random.PCG64(seed))


def test_three_equal_signs_leave_two_of_eight_assignments_as_extreme():
    # |+++| and |---| reach the observed sum: 2 of 2^3.
    found = sign_flip_test([0.1, 0.2, 0.3], seed=0)
    assert (found.p, found.draws, found.exact) == (2 / 8, 8, True)


def test_mixed_signs_by_hand():
    # Sums of (+-1, +-2) are -3, -1, 1, 3; the observed -1 + 2 = 1 is reached by all four in size.
    assert sign_flip_test([-1.0, 2.0], seed=0).p == 1.0
    # Of (+-1, +-1, +-1, +-1) the observed 2 is reached by 4 + 1 on each side: 10 of 16.
    assert sign_flip_test([1, 1, 1, -1], seed=0).p == 10 / 16


def test_differences_of_zero_change_nothing():
    assert sign_flip_test([0, 0.1, 0, 0.2, 0.3, 0], seed=0).p == sign_flip_test([0.1, 0.2, 0.3], seed=0).p
    assert sign_flip_test([0.0] * 100, seed=0).p == 1.0


def test_no_question_has_no_p():
    assert math.isnan(sign_flip_test([], seed=0).p)


@pytest.mark.parametrize("seed", range(8))
def test_the_exact_test_is_that_of_scipy(seed):
    column = np.round(generator(seed).normal(0.2, 1, size=11), 1)
    reference = stats.permutation_test(
        (column,), np.mean, permutation_type="samples", n_resamples=np.inf, alternative="two-sided"
    )
    assert sign_flip_test(column, seed=0).p == pytest.approx(reference.pvalue, abs=1e-12)


def test_the_monte_carlo_test_stands_near_that_of_scipy_and_is_b_plus_one_over_b_plus_one():
    column = generator(3).normal(0.1, 1, size=200)
    reference = stats.permutation_test(
        (column,), np.mean, permutation_type="samples", n_resamples=20_000, rng=generator(4)
    )
    found = sign_flip_test(column, seed=1, draws=20_000)
    error = math.sqrt(found.p * (1 - found.p) / 20_000)
    assert found.p == pytest.approx(reference.pvalue, abs=5 * error)
    assert not found.exact
    assert found.p * 20_001 == pytest.approx(round(found.p * 20_001))
    assert sign_flip_test(np.ones(50), seed=0, draws=999).p == 1 / 1000


def test_sums_that_are_equal_in_another_order_count_as_equal():
    column = [0.1, 0.2, 0.3, -0.6, 0.7, 0.7]
    tenths = [1, 2, 3, -6, 7, 7]
    assert sign_flip_test(column, seed=0).p == sign_flip_test(tenths, seed=0).p


def test_the_test_keeps_its_level():
    rejected = sum(
        sign_flip_test(generator(s).normal(size=40), seed=s, draws=999).p <= 0.05 for s in range(400)
    )
    assert 0.02 <= rejected / 400 <= 0.085


@given(st.lists(FLOATS, min_size=1, max_size=12), st.randoms(use_true_random=False))
def test_neither_order_nor_direction_changes_p(column, random):
    p = sign_flip_test(column, seed=0).p
    shuffled = column[:]
    random.shuffle(shuffled)
    assert 0 < p <= 1
    assert sign_flip_test(shuffled, seed=0).p == pytest.approx(p)
    assert sign_flip_test([-number for number in column], seed=0).p == pytest.approx(p)


def test_holm_by_hand():
    # 0.01 * 3, then 0.02 * 2 = 0.04, then 0.04 * 1 kept from falling below it.
    assert holm([0.04, 0.01, 0.02]) == pytest.approx([0.04, 0.03, 0.04])
    assert holm([0.6, 0.9]) == [1.0, 1.0]
    assert holm([]) == []
    found = holm([0.01, nan, 0.04])
    assert found[0] == pytest.approx(0.02)
    assert math.isnan(found[1])


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_holm_keeps_the_order_and_lies_between_p_and_bonferroni(p_values):
    corrected = holm(p_values)
    for p, adjusted in zip(p_values, corrected, strict=True):
        assert min(p, 1) <= adjusted <= min(1, p * len(p_values)) + 1e-12 or adjusted == max(corrected)
    order = np.argsort(p_values, kind="stable")
    assert np.all(np.diff(np.array(corrected)[order]) >= 0)


def test_holm_rejects_as_its_step_down_procedure_does():
    rng = generator(0)
    for _ in range(200):
        p_values = rng.random(rng.integers(1, 9)) ** 3
        rejected = set()
        for step, place in enumerate(np.argsort(p_values)):
            if p_values[place] > 0.05 / (len(p_values) - step):
                break
            rejected.add(int(place))
        assert {i for i, p in enumerate(holm(list(p_values))) if p <= 0.05} == rejected


def test_all_pairs_share_seed_and_draws_and_equal_the_single_test():
    rng = generator(5)
    differences = rng.normal(0.5, 1, size=(60, 3))
    found = pairwise_holm(differences, seed=7)
    assert [test.test.draws for test in found] == [10_000] * 3
    assert [test.test.p for test in found] == pytest.approx(
        [sign_flip_test(column, seed=7).p for column in differences.T]
    )
    assert found == pairwise_holm(differences, seed=7)


def test_draws_grow_until_the_decision_is_resolved():
    # A sample whose p lies near the level needs more draws than one far from it.
    near = next(
        column
        for seed in range(500)
        for column in [generator(seed).normal(0.28, 1, size=50)]
        if 0.045 < sign_flip_test(column, seed=0).p < 0.049
    )
    found = pairwise_holm(np.stack([near, np.ones(50)], axis=1)[:, :1], seed=0)[0]
    assert 10_000 < found.test.draws <= MOST_DRAWS
    most = pairwise_holm(near[:, None], seed=0, alpha=found.test.p)[0]
    at = pairwise_holm(near[:, None], seed=0, alpha=most.test.p)[0]
    assert (at.test.draws, at.resolved) == (MOST_DRAWS, False)


def test_many_pairs_get_enough_draws_to_pass_the_strictest_step():
    differences = np.ones((20, 100))
    found = pairwise_holm(differences, seed=0, alpha=0.01)
    assert found[0].test.draws >= 100_000
    assert all(test.p < 0.01 for test in found)


def test_two_systems_have_no_larger_family_to_shuffle_in():
    values = generator(2).random((30, 2))
    assert pairwise_max(values, [(0, 1)], seed=3) == pairwise_holm(values[:, 1:] - values[:, :1], seed=3)


def test_the_max_statistic_is_the_range_of_all_shuffles():
    # One question, three systems 0, 1, 3: each of 6 shuffles has the range 3, which every pair's
    # difference but that of 3 falls short of.
    values = np.array([[0.0, 1.0, 3.0]])
    found = pairwise_max(values, [(0, 1), (0, 2), (1, 2)], seed=0)
    assert [test.p for test in found] == pytest.approx([1.0, 1.0, 1.0])
    # Two questions: the ranges of the sums over all 36 shuffles, enumerated.
    values = np.array([[0.0, 1.0, 3.0], [0.0, 2.0, 3.0]])
    from itertools import permutations

    ranges = [
        np.ptp(np.add(one, other)) for one in permutations(values[0]) for other in permutations(values[1])
    ]
    expected = [np.mean(np.array(ranges) >= observed) for observed in (3, 6, 3)]
    found = pairwise_max(values, [(0, 1), (0, 2), (1, 2)], seed=0)
    assert [test.p for test in found] == pytest.approx(expected, abs=0.02)


def test_effect_size_by_hand_and_undefined_without_spread():
    # mean 2, standard deviation 1
    assert effect_size([1, 2, 3]) == pytest.approx(2.0)
    assert math.isnan(effect_size([0.5, 0.5]))
    assert math.isnan(effect_size([1.0]))


def test_effect_size_is_t_over_root_n():
    column = generator(1).normal(0.3, 1, size=25)
    assert effect_size(column) == pytest.approx(stats.ttest_1samp(column, 0).statistic / 5)


def test_detectable_difference_by_hand():
    # s = 1, n = 100: (1.959964 + 0.841621) / 10
    column = np.array([1.0, -1.0] * 50) * math.sqrt(99 / 100)
    assert detectable_difference(column) == pytest.approx(0.2801585, abs=1e-6)
    assert math.isnan(detectable_difference([0.2]))


@pytest.mark.parametrize("n", [50, 225])
def test_a_detectable_difference_has_the_power_it_says(n):
    column = generator(0).normal(size=n)
    found = detectable_difference(column, alpha=0.05, power=0.8)
    shift = found / column.std(ddof=1) * math.sqrt(n)
    critical = stats.t.ppf(0.975, n - 1)
    power = stats.nct.sf(critical, n - 1, shift) + stats.nct.cdf(-critical, n - 1, shift)
    assert power == pytest.approx(0.8, abs=0.025)


def test_time_grows_with_the_number_of_questions_and_not_faster():
    def seconds(n):
        differences = generator(0).normal(1, 1, size=(n, 5))
        start = time.perf_counter()
        pairwise_holm(differences, seed=0)
        return time.perf_counter() - start

    seconds(500)
    assert seconds(4000) < 8 * 3 * max(seconds(500), 0.02)
