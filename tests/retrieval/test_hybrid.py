from __future__ import annotations

import pytest

from strata_rag.retrieval import HybridRetriever

from .fakes import FixedRetriever, docs, hit

A, B, C = hit("a"), hit("b"), hit("c")


def test_every_stage_keeps_its_score_and_rank_and_is_absent_where_it_did_not_find() -> None:
    dense, lexical = FixedRetriever([A, B], "dense"), FixedRetriever([B, C], "lexical")
    found = HybridRetriever([dense, lexical], candidate_k=10).retrieve("?", 3)
    assert docs(found) == ["b", "a", "c"]
    assert found[0].ranks == {"dense": 2, "lexical": 1, "fused": 1}
    assert found[0].scores == {"dense": 0.5, "lexical": 1.0, "fused": pytest.approx(1 / 62 + 1 / 61)}
    assert found[1].ranks == {"dense": 1, "fused": 2}
    assert found[2].ranks == {"lexical": 2, "fused": 3}
    assert [one.score for one in found] == [one.scores["fused"] for one in found]


@pytest.mark.parametrize(("k", "asked"), [(3, 20), (20, 20), (50, 50)])
def test_each_stage_is_asked_for_the_larger_of_candidates_and_wanted(k: int, asked: int) -> None:
    stages = [FixedRetriever([A, B, C]), FixedRetriever([C], "lexical")]
    HybridRetriever(stages, candidate_k=20).retrieve("?", k)
    assert [stage.asked for stage in stages] == [[asked], [asked]]


def test_the_list_is_cut_at_k_and_weights_and_k_reach_the_fusion() -> None:
    dense, lexical = FixedRetriever([A, B], "dense"), FixedRetriever([C, A], "lexical")
    hybrid = HybridRetriever([dense, lexical], candidate_k=5, rrf_k=1, weights=[1.0, 5.0])
    [found] = hybrid.retrieve("?", 1)
    assert (found.doc_id, found.scores["fused"]) == ("c", pytest.approx(5 / 2))
