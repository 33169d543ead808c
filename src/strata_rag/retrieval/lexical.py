"""Retrieval by the words a question and a chunk share."""

from __future__ import annotations

from strata_rag.index import Analyser, Index, Where, sparse_counts
from strata_rag.retrieval.hits import Hit, stage_hits


class LexicalRetriever:
    """Ranks chunks by BM25.

    Args:
        index: An open collection whose weights this analyser made.
        analyser: Turns the question into terms.
        where: Payload fields a hit must have.
    """

    def __init__(self, *, index: Index, analyser: Analyser, where: Where | None = None) -> None:
        self._index = index
        self._analyser = analyser
        self._where = where

    def retrieve(self, query: str, k: int) -> list[Hit]:
        terms = sparse_counts(self._analyser.counts(query))
        return stage_hits(self._index.search_lexical(terms, k, where=self._where), "lexical")
