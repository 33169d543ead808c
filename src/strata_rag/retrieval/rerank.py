"""The second stage: a scorer around any retriever, and the floor below which nothing is shown."""

from __future__ import annotations

import logging
import math
from typing import Literal

from strata_rag.retrieval.fusion import reciprocal_rank_fusion
from strata_rag.retrieval.hits import Hit, Retriever
from strata_rag.retrieval.scorer import Scorer, checked_scores

_log = logging.getLogger(__name__)


class RerankingRetriever:
    """Scores the first candidates of a retriever and reorders them; what lies behind follows unchanged.

    Args:
        first_stage: Any retriever.
        scorer: Scores question and text.
        candidate_k: How many of the first stage's hits the scorer sees.
        combine: ``replace`` orders candidates by score; ``rrf`` fuses that order with the first stage's.
        rrf_k: Dampens the first ranks of the fusion.
        text: What the scorer reads: ``text``, what is shown, under the document's title, or ``embed_text``.
        floor: Lowest rerank score of a hit that is returned; None returns all. It never reorders, and a hit that
            was not scored does not pass it.
    """

    def __init__(
        self,
        first_stage: Retriever,
        scorer: Scorer,
        *,
        candidate_k: int,
        combine: Literal["replace", "rrf"] = "replace",
        rrf_k: int = 60,
        text: Literal["text", "embed_text"] = "text",
        floor: float | None = None,
    ) -> None:
        self.first_stage = first_stage
        self._scorer = scorer
        self.candidate_k = candidate_k
        self._combine = combine
        self._rrf_k = rrf_k
        self._text = text
        self._floor = floor

    def retrieve(self, query: str, k: int) -> list[Hit]:
        return self.rerank(query, self.first_stage.retrieve(query, max(k, self.candidate_k)))[:k]

    def rerank(self, query: str, hits: list[Hit]) -> list[Hit]:
        """Return `hits` of the first stage in their new order, without those below the floor."""
        candidates, rest = hits[: self.candidate_k], hits[self.candidate_k :]
        texts = [hit.read(self._text) for hit in candidates]
        scores = checked_scores(self._scorer.score(query, texts), texts)
        unscored = [hit for hit, score in zip(candidates, scores, strict=True) if math.isnan(score)]
        if unscored:
            _log.warning(
                "the reranker gave no score for %d of %d candidates, the first is %s; they follow the scored ones",
                len(unscored),
                len(candidates),
                unscored[0].chunk_id,
            )
        scored = [
            (hit, score) for hit, score in zip(candidates, scores, strict=True) if not math.isnan(score)
        ]
        scored.sort(key=lambda pair: -pair[1])  # stable: equal scores keep the first stage's order
        reranked = [hit.scored("rerank", score, rank) for rank, (hit, score) in enumerate(scored, 1)]
        if self._combine == "rrf":
            reranked = self._fused(candidates, reranked)
        ranking = reranked + unscored + rest
        if self._floor is None:
            return ranking
        return [hit for hit in ranking if hit.scores.get("rerank", -math.inf) >= self._floor]

    def _fused(self, candidates: list[Hit], reranked: list[Hit]) -> list[Hit]:
        by_id = {hit.chunk_id: hit for hit in reranked}
        first = [hit.chunk_id for hit in candidates if hit.chunk_id in by_id]
        fused = reciprocal_rank_fusion([first, list(by_id)], k=self._rrf_k)
        return [by_id[one.item] for one in fused]
