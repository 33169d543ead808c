"""The seam rerankers stand behind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Protocol

import numpy as np

from strata_rag.cache import Cache, digest_request
from strata_rag.errors import ModelUnavailable


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """What a scorer is, for caches and run records.

    Attributes:
        kind: ``cross-encoder``, ``late-interaction`` ...
        model_id: Canonical id of its model.
        fingerprint: What decides its scores: weights and our code's version.
        parameters: Settings that change scores.
    """

    kind: str
    model_id: str
    fingerprint: str
    parameters: dict[str, Any] = field(default_factory=dict)


class Scorer(Protocol):
    """Says how well texts answer a question; higher is better."""

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return one score per text, in the order of `texts`; NaN where the model has none."""

    def describe(self) -> ModelInfo:
        """Return what the scorer is."""


def checked_scores(scores: Sequence[float], texts: Sequence[str]) -> list[float]:
    """Return `scores` as plain floats.

    Raises:
        ModelUnavailable: There isn't one score per text; guessing which is whose would mis-assign them.
    """
    if len(scores) != len(texts):
        raise ModelUnavailable(
            f"reranker: expected {len(texts)} scores, found {len(scores)}",
            hint="the scorer must return one score per text, in the order given",
        )
    return [float(score) for score in scores]


class CachedScorer:
    """Keeps scores by question, text and scorer.

    Args:
        scorer: Asked for what the cache lacks; not touched otherwise.
        cache: Where scores are kept.
    """

    def __init__(self, scorer: Scorer, cache: Cache) -> None:
        self._scorer = scorer
        self._cache = cache

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        info = asdict(self._scorer.describe())
        keys = [
            digest_request({"kind": "rerank", "scorer": info, "query": query, "text": text}) for text in texts
        ]
        found = {
            key: float(np.frombuffer(value, "<f8")[0]) for key, value in self._cache.get_many(keys).items()
        }
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in found}
        if missing:
            unknown = list(missing.values())
            scores = checked_scores(self._scorer.score(query, unknown), unknown)
            found |= dict(zip(missing, scores, strict=True))
            self._cache.put_many(
                ((key, np.float64(found[key]).tobytes()) for key in missing if not np.isnan(found[key])),
                owner=self._scorer.describe().fingerprint,
            )
        return [found[key] for key in keys]

    def describe(self) -> ModelInfo:
        return self._scorer.describe()


class FunctionScorer:
    """A fake whose score is a function of question and text.

    Args:
        function: Gives the score.
        name: Stands for the model.
    """

    def __init__(self, function: Callable[[str, str], float], name: str = "function") -> None:
        self._function = function
        self._name = name

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        return [self._function(query, text) for text in texts]

    def describe(self) -> ModelInfo:
        return ModelInfo(kind="fake", model_id=self._name, fingerprint=self._name)
