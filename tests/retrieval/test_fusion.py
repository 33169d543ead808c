from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strata_rag.retrieval import Fused, reciprocal_rank_fusion

rankings = st.lists(st.lists(st.sampled_from("abcdefgh"), max_size=8), min_size=1, max_size=4)


def order(lists: list[list[str]], **options: object) -> list[str]:
    return [one.item for one in reciprocal_rank_fusion(lists, **options)]


def test_case_46_an_item_that_stands_twice_in_a_list_counts_once() -> None:
    found = reciprocal_rank_fusion([["A", "A", "B"], ["B"]], k=60)
    assert found == [Fused("B", 1 / 62 + 1 / 61, 1), Fused("A", 1 / 61, 1)]
    assert [round(one.score, 6) for one in found] == [0.032522, 0.016393]


@given(rankings, st.integers(0, 100))
def test_scores_are_the_formula_and_every_item_stands_once(lists: list[list[str]], k: int) -> None:
    found = reciprocal_rank_fusion(lists, k=k)
    assert sorted(one.item for one in found) == sorted({item for ranking in lists for item in ranking})
    for one in found:
        ranks = [list(dict.fromkeys(r)).index(one.item) + 1 for r in lists if one.item in r]
        assert one.score == pytest.approx(math.fsum(1 / (k + rank) for rank in ranks))
        assert one.best_rank == min(ranks)
    assert found == sorted(found, key=lambda one: (-one.score, one.best_rank, one.item))


@given(st.permutations([["a", "b", "c"], ["c", "d"], ["b", "e", "a", "d"], ["e"]]))
def test_the_order_of_the_lists_changes_nothing(lists: list[list[str]]) -> None:
    assert reciprocal_rank_fusion(lists) == reciprocal_rank_fusion(sorted(lists))


def test_ties_go_by_best_single_rank_and_then_by_id() -> None:
    assert order([["z", "b"], ["a", "c"]]) == ["a", "z", "b", "c"]
    # Equal sums, 1/2 + 1/6 = 1/3 + 1/3, for k = 0: the better single rank comes first.
    assert order([["w", "y", "x"], ["v", "u", "x", "t", "s", "y"]], k=0)[2:4] == ["y", "x"]


def test_weights_multiply_each_list() -> None:
    found = reciprocal_rank_fusion([["a", "b"], ["b", "a"]], k=60, weights=[1.0, 3.0])
    assert [one.item for one in found] == ["b", "a"]
    assert found[0].score == pytest.approx(1 / 62 + 3 / 61)
    with pytest.raises(ValueError, match="shorter"):
        reciprocal_rank_fusion([["a"], ["b"]], weights=[1.0])


def test_nothing_fused_is_nothing() -> None:
    assert reciprocal_rank_fusion([]) == reciprocal_rank_fusion([[], []]) == []
