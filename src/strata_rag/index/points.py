"""The values an index takes and gives."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

_NAMESPACE = uuid.UUID("6f1f0b3e-6d1b-5a5e-9c57-7c1d4a1c4f10")


def point_id(chunk_id: str) -> str:
    """Return the UUIDv5 under which an engine stores a chunk."""
    return str(uuid.uuid5(_NAMESPACE, chunk_id))


@dataclass(frozen=True, slots=True)
class SparseVector:
    """Values at some places of a 32-bit space.

    Attributes:
        indices: Shape (n,), rising, uint32.
        values: Shape (n,), float32.
    """

    indices: NDArray[np.uint32]
    values: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Point:
    """One chunk as an engine stores it.

    Attributes:
        point_id: UUID in text form.
        dense: Shape (dimension,), unit length.
        lexical: BM25 document weights.
        payload: JSON values by field name.
    """

    point_id: str
    dense: NDArray[np.float32]
    lexical: SparseVector
    payload: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ScoredPoint:
    """One answer of a search.

    Attributes:
        point_id: UUID in text form.
        score: Cosine in [-1, 1], or BM25 >= 0; higher is better.
        payload: The stored fields.
    """

    point_id: str
    score: float
    payload: Mapping[str, Any]
