"""How deep a ranking must go so that no measure is cut short."""

from __future__ import annotations

from typing import Literal

from strata_rag.retrieval.hits import Hit, Retriever
from strata_rag.retrieval.rerank import RerankingRetriever

DEEPEST = 1000
"""Most chunks that are looked at for one question."""

Level = Literal["document", "chunk"]


def retrieve_deep(retriever: Retriever, query: str, *, depth: int, level: Level) -> list[Hit]:
    """Return a ranking with `depth` distinct items of `level`, or all there is within 1,000 chunks.

    The first stage is asked again, twice as deep, until it holds enough documents; a reranker runs once, on the
    final list. At document level a document stands at its best chunk, and its other chunks are left out.
    """
    if isinstance(retriever, RerankingRetriever):
        pool = max(depth, retriever.candidate_k)
        hits = retriever.rerank(query, _deepened(retriever.first_stage, query, pool, depth, level))
    else:
        hits = _deepened(retriever, query, depth, depth, level)
    return _cut(hits, depth, level)


def _deepened(retriever: Retriever, query: str, pool: int, depth: int, level: Level) -> list[Hit]:
    """Return the first stage's hits, at least `pool` of them, with `depth` distinct items if there are as many."""
    while True:
        hits = retriever.retrieve(query, pool)
        enough = level == "chunk" or len({hit.doc_id for hit in hits}) >= depth
        if enough or len(hits) < pool or pool >= DEEPEST:
            return hits
        pool = min(2 * pool, DEEPEST)


def _cut(hits: list[Hit], depth: int, level: Level) -> list[Hit]:
    if level == "chunk":
        return hits[:depth]
    best: dict[str, Hit] = {}
    for hit in hits:
        best.setdefault(hit.doc_id, hit)
    return list(best.values())[:depth]
