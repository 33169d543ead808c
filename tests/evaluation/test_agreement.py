from math import isclose, isnan

import numpy as np
import pytest

from strata_rag.evaluation.agreement import agreement, confusion, weighted_kappa


@pytest.mark.parametrize("seed", range(30))
def test_weighted_kappa_is_that_of_scikit_learn(seed):
    from sklearn.metrics import cohen_kappa_score

    rng = np.random.default_rng(seed)
    first = rng.integers(1, 6, size=rng.integers(2, 60))
    second = np.where(rng.random(len(first)) < 0.5, first, rng.integers(1, 6, size=len(first)))
    if len(set(first)) == len(set(second)) == 1:
        pytest.skip("nothing varies")
    expected = cohen_kappa_score(first, second, labels=[1, 2, 3, 4, 5], weights="quadratic")
    assert isclose(weighted_kappa(confusion(first, second)), expected, abs_tol=1e-12)


def test_raters_that_always_agree_have_a_kappa_of_one_and_those_that_oppose_minus_one():
    assert agreement([1, 3, 5], [1, 3, 5], seed=0).kappa == 1.0
    assert agreement([1, 5], [5, 1], seed=0).kappa == -1.0


def test_where_no_grade_varies_agreement_is_undefined_not_perfect():
    found = agreement([4, 4, 4], [4, 4, 4], seed=0)
    assert isnan(found.kappa)
    assert isnan(found.low)
    assert found.exact == 1.0


def test_the_table_counts_pairs_and_the_shift_says_who_is_milder():
    found = agreement([1, 2, 2, 5], [2, 2, 3, 5], seed=0)
    assert found.table[0] == (0, 1, 0, 0, 0)
    assert found.table[1] == (0, 1, 1, 0, 0)
    assert (found.n, found.exact, found.within_one, found.shift) == (4, 0.5, 1.0, 0.5)


def test_the_interval_holds_the_value_and_is_the_same_for_the_same_seed():
    rng = np.random.default_rng(0)
    first = rng.integers(1, 6, size=80)
    second = np.clip(first + rng.integers(-1, 2, size=80), 1, 5)
    one, again = (agreement(first.tolist(), second.tolist(), seed=7) for _ in range(2))
    assert one == again
    assert one.low < one.kappa < one.high
    assert 0.02 < one.high - one.low < 0.4


def test_no_items_agree_on_nothing():
    found = agreement([], [], seed=0)
    assert found.n == 0
    assert isnan(found.kappa)
    assert isnan(found.exact)
