"""The seam both engines stand behind."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from strata_rag.index.filters import Where
from strata_rag.index.points import Point, ScoredPoint, SparseVector
from strata_rag.index.record import CollectionRecord


@dataclass(frozen=True, slots=True)
class IndexInfo:
    """What an engine says of a collection.

    Attributes:
        points: Number of points.
        indexed: Whether every segment that is large enough has its HNSW graph.
        disk_bytes: Bytes on disk, or None where the engine does not tell.
        settings: How the engine keeps it, by dotted name, as the engine tells it.
    """

    points: int
    indexed: bool
    disk_bytes: int | None
    settings: Mapping[str, Any] = field(default_factory=dict)


class Index(Protocol):
    """A collection that is open. Searches give equal scores in the order (doc_id, start)."""

    def upsert(self, points: Sequence[Point]) -> None:
        """Write points; when this returns they survive the process.

        Raises:
            WriteFailed: The engine or the disk refused; points of earlier calls stay.
        """

    def update_lexical(self, weights: Mapping[str, SparseVector], payload: Mapping[str, Any]) -> None:
        """Replace the lexical vectors of the points in `weights`, and set `payload` on each."""

    def delete(self, point_ids: Sequence[str]) -> None:
        """Remove points; unknown ids are ignored."""

    def optimize(self) -> None:
        """Build what makes search fast and IDF exact; returns when it is done."""

    def search_dense(
        self, vector: NDArray[np.float32], limit: int, *, where: Where | None = None
    ) -> list[ScoredPoint]:
        """Return up to `limit` points by falling cosine to `vector`, shape (dimension,)."""

    def search_lexical(
        self, query: SparseVector, limit: int, *, where: Where | None = None
    ) -> list[ScoredPoint]:
        """Return up to `limit` points that share a term with `query`, by falling BM25."""

    def scroll(self, fields: Sequence[str] | None = None) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Yield id and payload (only `fields`, or all) of every point, in the order of ids."""

    def vectors(self, point_ids: Sequence[str]) -> dict[str, tuple[NDArray[np.float32], SparseVector]]:
        """Return the dense and lexical vectors of the points that exist."""

    def count(self) -> int:
        """Return the number of points."""

    def info(self) -> IndexInfo:
        """Return what the engine says of the collection."""

    def close(self) -> None:
        """Release the collection; closing twice is allowed."""


class CollectionWriter(Protocol):
    """A collection that this process alone may change."""

    def record(self) -> CollectionRecord | None:
        """Return the collection's record, or None where there is no collection yet."""

    def write_record(self, record: CollectionRecord) -> None:
        """Replace the collection's record."""

    def open(self, dimension: int) -> Index:
        """Open the collection, or make it for vectors of `dimension`."""


class Collections(Protocol):
    """The collections of one engine in one place."""

    def place(self, name: str) -> str:
        """Return how messages name a collection."""

    def lock_path(self, name: str) -> Path:
        """Return the lock file that this machine's readers and writers of a collection share."""

    def names(self) -> list[str]:
        """Return the names of the collections that have a record."""

    def peek(self, name: str) -> CollectionRecord | None:
        """Return a collection's record without locking it, or None where there is none."""

    def remove(self, name: str) -> None:
        """Delete a collection."""

    def reading(self, name: str) -> AbstractContextManager[tuple[CollectionRecord, Index]]:
        """Open a complete collection beside other readers."""

    def writing(self, name: str, *, recreate: bool) -> AbstractContextManager[CollectionWriter]:
        """Hold a collection for one writer; with `recreate` a new one is built beside and swapped in at the end."""
