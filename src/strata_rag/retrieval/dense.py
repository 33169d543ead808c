"""Retrieval by the embedder's vectors."""

from __future__ import annotations

from strata_rag.embedding import Embedder
from strata_rag.index import Index, Where
from strata_rag.retrieval.hits import Hit, stage_hits


class DenseRetriever:
    """Ranks chunks by the cosine between their vector and the question's.

    Args:
        index: An open collection.
        embedder: The model that made its vectors.
        where: Payload fields a hit must have.
    """

    def __init__(self, *, index: Index, embedder: Embedder, where: Where | None = None) -> None:
        self._index = index
        self._embedder = embedder
        self._where = where

    def retrieve(self, query: str, k: int) -> list[Hit]:
        vector = self._embedder.embed_query(query)
        return stage_hits(self._index.search_dense(vector, k, where=self._where), "dense")
