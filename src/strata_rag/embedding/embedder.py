"""The seam embedding models stand behind, and what every model must give."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from strata_rag.errors import ModelUnavailable

Matrix = NDArray[np.float32]


class Embedder(Protocol):
    """Turns texts into vectors of one length, the same vectors for the same texts."""

    @property
    def dimension(self) -> int:
        """Length of a vector."""

    @property
    def fingerprint(self) -> str:
        """What decides the vectors: model, revision, weights, precision. Equal only if the vectors are."""

    def embed_documents(self, texts: Sequence[str]) -> Matrix:
        """Return one row per text, shape (len(texts), dimension), unit length."""

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Return the vector of a question, shape (dimension,), unit length."""


_CHECK_MODEL = (
    "check the text and the model's files, try embedding.device cpu, or set another embedding.model"
)


class BadVector(ModelUnavailable):
    """A model gave something that is no vector.

    Attributes:
        text: The text it gave it for.
        problem: What was expected, what was found.
    """

    def __init__(self, text: str, problem: str, *, hint: str = _CHECK_MODEL) -> None:
        self.text = text
        self.problem = problem
        super().__init__(f"text {text[:60]!r}: {problem}", hint=hint)


def unit_vectors(vectors: NDArray[np.floating], texts: Sequence[str], *, dimension: int) -> Matrix:
    """Return `vectors` as float32 rows of length 1.

    Args:
        vectors: Shape (len(texts), dimension).
        texts: What each row was made from.
        dimension: The length a row must have.

    Raises:
        BadVector: A row has another length, holds NaN or infinity, or is zero.
    """
    matrix = np.asarray(vectors, dtype=np.float32)
    if matrix.shape != (len(texts), dimension):
        raise BadVector(
            texts[0] if texts else "",
            f"expected {len(texts)} vectors of length {dimension}, the model gave shape {matrix.shape}",
        )
    norms = np.linalg.norm(matrix, axis=1)
    for row in np.flatnonzero(~np.isfinite(norms) | (norms == 0)):
        found = "a zero vector" if norms[row] == 0 else "NaN or infinity"
        raise BadVector(texts[int(row)], f"expected a finite vector, the model gave {found}")
    unit: Matrix = matrix / norms[:, None]
    return unit


class HashedWordsEmbedder:
    """A fake that needs no model: texts that share words point the same way.

    Each word has a fixed pseudo-random direction; a text is the normalised sum of its words' directions.

    Args:
        dimension: Length of the vectors.
    """

    def __init__(self, dimension: int = 32) -> None:
        self._dimension = dimension

    @property
    def dimension(self) -> int:
        return self._dimension

    @property
    def fingerprint(self) -> str:
        return f"hashed-words-{self._dimension}"

    def embed_documents(self, texts: Sequence[str]) -> Matrix:
        if not texts:
            return np.zeros((0, self._dimension), np.float32)
        return np.stack([self.embed_query(text) for text in texts])

    def embed_query(self, text: str) -> NDArray[np.float32]:
        total = np.zeros(self._dimension)
        for word in text.lower().split() or [""]:
            seed = int.from_bytes(sha256(word.encode("utf-8", "surrogatepass")).digest()[:8], "big")
            total += np.random.default_rng(seed).normal(size=self._dimension)
        return (total / np.linalg.norm(total)).astype(np.float32)
