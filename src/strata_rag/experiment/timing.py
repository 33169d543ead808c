"""Time per stage, measured around the components that do the work."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray

from strata_rag.embedding import Embedder, Matrix
from strata_rag.retrieval import Hit, ModelInfo, Retriever, Scorer


class StageTimer:
    """Collects durations in milliseconds by stage, one per call."""

    def __init__(self) -> None:
        self.durations: dict[str, list[float]] = {}

    def restart(self) -> None:
        """Forget what was measured: a use case reports its own durations alone."""
        self.durations.clear()

    @contextmanager
    def measure(self, stage: str) -> Iterator[None]:
        """Time the body as one call of `stage`."""
        begin = time.perf_counter()
        try:
            yield
        finally:
            self.durations.setdefault(stage, []).append((time.perf_counter() - begin) * 1000)

    def total(self, stage: str) -> float:
        """Return the milliseconds spent in `stage`."""
        return sum(self.durations.get(stage, []))

    def percentiles(self) -> dict[str, dict[str, float]]:
        """Return p50 and p95 in milliseconds and the number of calls, by stage."""
        return {
            stage: {
                "p50": float(np.percentile(values, 50)),
                "p95": float(np.percentile(values, 95)),
                "calls": len(values),
            }
            for stage, values in self.durations.items()
        }


class TimedEmbedder:
    """Times an embedder that stands behind the cache: only what was really computed counts."""

    def __init__(self, embedder: Embedder, timer: StageTimer) -> None:
        self._embedder = embedder
        self._timer = timer

    @property
    def dimension(self) -> int:
        return self._embedder.dimension

    @property
    def fingerprint(self) -> str:
        return self._embedder.fingerprint

    def embed_documents(self, texts: Sequence[str]) -> Matrix:
        with self._timer.measure("embed"):
            return self._embedder.embed_documents(texts)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        with self._timer.measure("embed"):
            return self._embedder.embed_query(text)


class TimedScorer:
    """Times a scorer that stands behind the cache: only what was really computed counts."""

    def __init__(self, scorer: Scorer, timer: StageTimer) -> None:
        self.scorer = scorer
        self._timer = timer

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        with self._timer.measure("rerank"):
            return self.scorer.score(query, texts)

    def describe(self) -> ModelInfo:
        return self.scorer.describe()


class TimedRetriever:
    """Times a retriever as the stage `stage`."""

    def __init__(self, retriever: Retriever, timer: StageTimer, stage: str) -> None:
        self._retriever = retriever
        self._timer = timer
        self._stage = stage

    def retrieve(self, query: str, k: int) -> list[Hit]:
        with self._timer.measure(self._stage):
            return self._retriever.retrieve(query, k)
