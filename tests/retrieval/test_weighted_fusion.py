from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strata_rag.retrieval import Fused, Hit, HybridRetriever, weighted_fusion

DENSE = [("a", 0.9), ("b", 0.5), ("c", 0.1)]
LEXICAL = [("c", 30.0), ("d", 10.0)]


def test_minmax_adds_what_each_list_gives_between_0_and_1() -> None:
    assert weighted_fusion([DENSE, LEXICAL], normalise="minmax", weights=[2.0, 1.0]) == [
        Fused("a", 2 * 1 + 0, 1),
        Fused("c", 2 * 0 + 1, 1),
        Fused("b", 2 * 0.5 + 0, 2),
        Fused("d", 0, 2),
    ]


def test_zscore_adds_deviations_from_the_mean() -> None:
    deviation = ((0.4**2 + 0 + 0.4**2) / 3) ** 0.5
    fused = {one.item: one.score for one in weighted_fusion([DENSE, LEXICAL], normalise="zscore")}
    assert fused == pytest.approx(
        {"a": 0.4 / deviation - 1, "b": 0 - 1, "c": -0.4 / deviation + 1, "d": -0.4 / deviation - 1}
    )


def test_a_list_of_equal_scores_an_empty_one_and_a_repeated_item_do_no_harm() -> None:
    same = [("a", 2.0), ("b", 2.0)]
    assert [one.score for one in weighted_fusion([same, []], normalise="minmax")] == [1.0, 1.0]
    assert [one.score for one in weighted_fusion([same, []], normalise="zscore")] == [0.0, 0.0]
    assert weighted_fusion([], normalise="minmax") == []
    twice = weighted_fusion([[("a", 3.0), ("b", 2.0), ("a", 1.0)]], normalise="minmax")
    assert [(one.item, one.score) for one in twice] == [("a", 1.0), ("b", 0.0)]


SCORES = st.dictionaries(st.sampled_from("abcdefgh"), st.floats(-50, 50, width=16), max_size=8).map(
    lambda scores: sorted(scores.items(), key=lambda item: -item[1])
)


@given(first=SCORES, second=SCORES, normalise=st.sampled_from(["minmax", "zscore"]))
def test_the_order_of_the_lists_changes_nothing(
    first: list[tuple[str, float]], second: list[tuple[str, float]], normalise: str
) -> None:
    one = weighted_fusion([first, second], normalise=normalise)  # type: ignore[arg-type]
    other = weighted_fusion([second, first], normalise=normalise)  # type: ignore[arg-type]
    assert one == other
    assert {item.item for item in one} == {item for item, _ in first + second}


class Fixed:
    """A retriever with one answer."""

    def __init__(self, stage: str, scores: list[tuple[str, float]]) -> None:
        self._hits = [
            Hit(item, item, 0, 1, "", "", scores={stage: score}, ranks={stage: rank})
            for rank, (item, score) in enumerate(scores, 1)
        ]

    def retrieve(self, query: str, k: int) -> list[Hit]:
        return self._hits[:k]


def test_hybrid_keeps_each_stages_score_beside_the_weighted_sum() -> None:
    lists = [Fixed("dense", DENSE), Fixed("lexical", LEXICAL)]
    hits = HybridRetriever(lists, candidate_k=5, weights=[1.0, 3.0], normalise="minmax").retrieve("q", 2)
    assert [hit.chunk_id for hit in hits] == ["c", "a"]
    assert hits[0].scores == {"dense": 0.1, "lexical": 30.0, "fused": 3.0}
