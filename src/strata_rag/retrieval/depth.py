"""How deep a ranking must go so that no measure is cut short."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from strata_rag.retrieval.hits import Hit, Retriever
from strata_rag.retrieval.passages import cap_per_document
from strata_rag.retrieval.rerank import RerankingRetriever

DEEPEST = 1000
"""Most chunks that are looked at for one question."""

Level = Literal["document", "chunk"]
Enough = Callable[[list[Hit]], bool]


def retrieve_deep(retriever: Retriever, query: str, *, depth: int, level: Level) -> list[Hit]:
    """Return a ranking with `depth` distinct items of `level`, or all there is within 1,000 chunks.

    The first stage is asked again, twice as deep, until it holds enough documents; a reranker runs once, on the
    final list. At document level a document stands at its best chunk, and its other chunks are left out.
    """

    def enough(hits: list[Hit]) -> bool:
        return level == "chunk" or len({hit.doc_id for hit in hits}) >= depth

    return _cut(_deep(retriever, query, depth, enough), depth, level)


def retrieve_capped(retriever: Retriever, query: str, *, k: int, max_per_document: int) -> list[Hit]:
    """Return the `k` best hits, at most `max_per_document` of one document, or all there is within 1,000 chunks."""

    def enough(hits: list[Hit]) -> bool:
        return len(cap_per_document(hits, max_per_document)) >= k

    return cap_per_document(_deep(retriever, query, k, enough), max_per_document)[:k]


def _deep(retriever: Retriever, query: str, depth: int, enough: Enough) -> list[Hit]:
    """Return the ranking over a first stage deep enough; a reranker runs once, on the final list."""
    if isinstance(retriever, RerankingRetriever):
        pool = max(depth, retriever.candidate_k)
        return retriever.rerank(query, _deepened(retriever.first_stage, query, pool, enough))
    return _deepened(retriever, query, depth, enough)


def _deepened(retriever: Retriever, query: str, pool: int, enough: Enough) -> list[Hit]:
    """Return the first stage's hits, at least `pool` of them, until they are `enough` or there are no more."""
    while True:
        hits = retriever.retrieve(query, pool)
        if enough(hits) or len(hits) < pool or pool >= DEEPEST:
            return hits
        pool = min(2 * pool, DEEPEST)


def _cut(hits: list[Hit], depth: int, level: Level) -> list[Hit]:
    if level == "chunk":
        return hits[:depth]
    best: dict[str, Hit] = {}
    for hit in hits:
        best.setdefault(hit.doc_id, hit)
    return list(best.values())[:depth]
