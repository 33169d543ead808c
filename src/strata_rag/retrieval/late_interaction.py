"""Late interaction: MaxSim over token vectors, computed when asked."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from strata_rag.retrieval.scorer import ModelInfo

LATE_INTERACTION_VERSION = 1
"""Grows when the same token vectors yield other scores."""


class TokenEncoder(Protocol):
    """Gives the unit vectors of a text's tokens, shape (tokens, width); special tokens left out."""

    def query_token_vectors(self, text: str) -> NDArray[np.float32]: ...

    def document_token_vectors(self, text: str) -> NDArray[np.float32]: ...


class LateInteractionScorer:
    """Scores a text by the mean, over the question's tokens, of the best cosine with any of the text's tokens.

    MaxSim of Khattab and Zaharia, ColBERT, SIGIR 2020, with the mean in place of the sum, so that scores lie in
    [-1, 1] whatever the question's length. A question or text without tokens has no score (NaN).

    Args:
        encoder: The embedder whose token vectors are compared.
        model_id: Canonical id of its model.
        fingerprint: Digest of its files.
        memory_bytes: Most memory for token vectors kept between questions, in half precision.
    """

    def __init__(
        self, encoder: TokenEncoder, *, model_id: str, fingerprint: str, memory_bytes: int = 256 * 2**20
    ) -> None:
        self._encoder = encoder
        self._model_id = model_id
        self._fingerprint = fingerprint
        self._memory_bytes = memory_bytes
        self._kept: OrderedDict[str, NDArray[np.float16]] = OrderedDict()
        self._kept_bytes = 0

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        if not texts:
            return []
        question = self._encoder.query_token_vectors(query)
        return [max_similarity(question, self._document(text)) for text in texts]

    def describe(self) -> ModelInfo:
        return ModelInfo(
            kind="late-interaction",
            model_id=self._model_id,
            fingerprint=self._fingerprint,
            parameters={"version": LATE_INTERACTION_VERSION},
        )

    def _document(self, text: str) -> NDArray[np.float16]:
        """Return the text's token vectors; the least recently used ones make room for new ones."""
        if text in self._kept:
            self._kept.move_to_end(text)
            return self._kept[text]
        vectors = self._encoder.document_token_vectors(text).astype(np.float16)
        self._kept[text] = vectors
        self._kept_bytes += vectors.nbytes
        while self._kept_bytes > self._memory_bytes and len(self._kept) > 1:
            self._kept_bytes -= self._kept.popitem(last=False)[1].nbytes
        return vectors


def max_similarity(question: NDArray[np.floating], text: NDArray[np.floating]) -> float:
    """Return the mean over question tokens of the best cosine with a text token, in [-1, 1].

    Args:
        question: Unit vectors, shape (question tokens, width).
        text: Unit vectors, shape (text tokens, width).
    """
    if len(question) == 0 or len(text) == 0:
        return float("nan")
    similarities = question.astype(np.float32) @ text.astype(np.float32).T
    return float(similarities.max(axis=1).mean())
