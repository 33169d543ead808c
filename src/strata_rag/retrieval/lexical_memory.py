"""Retrieval by shared words without the index: bm25s and rank-bm25 in memory, under the same analyser and formula."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from strata_rag.index import Analyser, Index, ScoredPoint, Where, matches, rounded_average
from strata_rag.retrieval.hits import Hit, stage_hits

Backend = Literal["bm25s", "rank-bm25"]
Scores = NDArray[np.floating[Any]]
ScoreAll = Callable[[list[str]], Scores]
"""Scores every document for the terms of a question, repetitions included."""


@dataclass(frozen=True, slots=True)
class _Built:
    """What is held in memory: the points in the order of ties, and what scores them."""

    points: tuple[ScoredPoint, ...]
    score_all: ScoreAll


class InMemoryLexicalRetriever:
    """Ranks chunks by BM25 over all of a collection's texts, read and analysed at the first question.

    Args:
        index: An open collection; only its stored texts are used.
        analyser: Turns texts and questions into terms.
        backend: The library that scores.
        k1: How slowly repetitions saturate, >= 0.
        b: How much length counts, in [0, 1].
        where: Payload fields a hit must have; IDF is that of the whole collection all the same.
    """

    def __init__(
        self,
        *,
        index: Index,
        analyser: Analyser,
        backend: Backend,
        k1: float,
        b: float,
        where: Where | None = None,
    ) -> None:
        self._index = index
        self._analyser = analyser
        self._backend = backend
        self._k1 = k1
        self._b = b
        self._where = where

    def retrieve(self, query: str, k: int) -> list[Hit]:
        terms = self._analyser.terms(query)
        built = self._built
        if not terms or not built.points:
            return []
        scores = built.score_all(terms)
        passing = (scores > 0) & self._passing
        # Points stand in the order that ties take, and the sort is stable.
        best = [int(place) for place in np.argsort(-scores, kind="stable") if passing[place]][:k]
        found = [
            ScoredPoint(built.points[place].point_id, float(scores[place]), built.points[place].payload)
            for place in best
        ]
        return stage_hits(found, "lexical")

    @cached_property
    def _built(self) -> _Built:
        points = [ScoredPoint(key, 0.0, payload) for key, payload in self._index.scroll()]
        points.sort(key=lambda point: (point.payload["doc_id"], point.payload["start"]))
        texts = (point.payload.get("embed_text", point.payload["text"]) for point in points)
        terms = [self._analyser.terms(text) for text in texts]
        return _Built(tuple(points), build_scores(self._backend, terms, k1=self._k1, b=self._b))

    @cached_property
    def _passing(self) -> NDArray[np.bool_]:
        return np.array([matches(point.payload, self._where) for point in self._built.points], dtype=bool)


def build_scores(backend: Backend, documents: Sequence[list[str]], *, k1: float, b: float) -> ScoreAll:
    """Index documents, given as their terms, and return what scores them.

    The formula is that of the sparse vectors (see `index/bm25.py`): average length rounded to a power of 1.05,
    and ``idf(t) = ln(1 + (N - n + 0.5) / (n + 0.5))``.
    """
    if not any(documents):
        return lambda _: np.zeros(len(documents))
    avg_len = rounded_average(sum(map(len, documents)) / len(documents))
    # Documents without a term count for the length but not for N, as in the engine.
    places = np.array([place for place, terms in enumerate(documents) if terms])
    kept = [documents[place] for place in places]
    mean = sum(map(len, kept)) / len(kept)
    build = _bm25s if backend == "bm25s" else _rank_bm25
    score_kept = build(kept, k1=k1, b=b, mean=mean, avg_len=avg_len)

    def score_all(terms: list[str]) -> Scores:
        scores = np.zeros(len(documents))
        scores[places] = score_kept(terms)
        return scores

    return score_all


def _bm25s(documents: Sequence[list[str]], *, k1: float, b: float, mean: float, avg_len: float) -> ScoreAll:
    """Index with bm25s' ``lucene`` variant, which lacks the factor k1 + 1.

    It takes the mean length from the documents; k1 and b are restated so that their term with that mean,
    ``k1' (1 - b' + b' l / mean)``, is ours with the rounded one.
    """
    import bm25s

    by_length = k1 * b * mean / avg_len
    k1_restated = k1 * (1 - b) + by_length
    b_restated = by_length / k1_restated if k1_restated else 0.0
    index = bm25s.BM25(method="lucene", k1=k1_restated, b=b_restated)
    index.index(list(documents), show_progress=False)

    def score_all(terms: list[str]) -> Scores:
        known = [term for term in terms if term in index.vocab_dict]
        if not known:
            return np.zeros(len(documents))
        scores: Scores = index.get_scores(known) * (k1 + 1)
        return scores

    return score_all


def _rank_bm25(
    documents: Sequence[list[str]], *, k1: float, b: float, mean: float, avg_len: float
) -> ScoreAll:
    """Index with rank-bm25, whose own idf gives terms in half the documents no weight or a negative one."""
    import rank_bm25

    class Okapi(rank_bm25.BM25Okapi):  # type: ignore[misc]
        def _calc_idf(self, nd: dict[str, int]) -> None:
            total = self.corpus_size
            self.idf = {term: float(np.log1p((total - n + 0.5) / (n + 0.5))) for term, n in nd.items()}

    index = Okapi(list(documents), k1=k1, b=b)
    index.avgdl = avg_len

    def score_all(terms: list[str]) -> Scores:
        scores: Scores = index.get_scores(terms)
        return scores

    return score_all
