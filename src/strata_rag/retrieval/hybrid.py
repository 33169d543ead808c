"""Several first stages, fused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from strata_rag.retrieval.fusion import Fused, Normalise, reciprocal_rank_fusion, weighted_fusion
from strata_rag.retrieval.hits import Hit, Retriever


class HybridRetriever:
    """Fuses the rankings of several retrievers, by reciprocal rank or by weighted scores.

    Args:
        retrievers: The first stages.
        candidate_k: Fewest hits asked of each, however few are wanted in the end.
        rrf_k: Dampens the first ranks.
        weights: One per retriever, or None for equal ones.
        normalise: How scores become comparable, for a weighted sum of them; None fuses by reciprocal rank.
    """

    def __init__(
        self,
        retrievers: Sequence[Retriever],
        *,
        candidate_k: int,
        rrf_k: int = 60,
        weights: Sequence[float] | None = None,
        normalise: Normalise | None = None,
    ) -> None:
        self._retrievers = retrievers
        self._candidate_k = candidate_k
        self._rrf_k = rrf_k
        self._weights = weights
        self._normalise = normalise

    def retrieve(self, query: str, k: int) -> list[Hit]:
        depth = max(k, self._candidate_k)
        lists = [retriever.retrieve(query, depth) for retriever in self._retrievers]
        merged: dict[str, Hit] = {}
        for hit in (hit for hits in lists for hit in hits):
            known = merged.get(hit.chunk_id)
            merged[hit.chunk_id] = hit if known is None else _with_stages_of(known, hit)
        fused = self._fused(lists)
        return [merged[one.item].scored("fused", one.score, rank) for rank, one in enumerate(fused[:k], 1)]

    def _fused(self, lists: Sequence[Sequence[Hit]]) -> list[Fused]:
        if self._normalise is None:
            ranked = [[hit.chunk_id for hit in hits] for hits in lists]
            return reciprocal_rank_fusion(ranked, k=self._rrf_k, weights=self._weights)
        scored = [[(hit.chunk_id, hit.score) for hit in hits] for hits in lists]
        return weighted_fusion(scored, normalise=self._normalise, weights=self._weights)


def _with_stages_of(hit: Hit, other: Hit) -> Hit:
    return replace(hit, scores={**other.scores, **hit.scores}, ranks={**other.ranks, **hit.ranks})
