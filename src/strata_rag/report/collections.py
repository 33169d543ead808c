"""What is known of collections, and how it is shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from strata_rag.index import CollectionRecord, IndexInfo


@dataclass(frozen=True, slots=True)
class CollectionRow:
    """One collection.

    Attributes:
        name: Its name.
        place: Its folder, or its name and server.
        record: What it was made from.
    """

    name: str
    place: str
    record: CollectionRecord


@dataclass(frozen=True, slots=True)
class CollectionDetails:
    """One collection, looked into.

    Attributes:
        row: Name, place and record.
        info: What the engine says of it.
    """

    row: CollectionRow
    info: IndexInfo


@dataclass(frozen=True, slots=True)
class PushResult:
    """What a push did; the copy was compared and is equal.

    Attributes:
        name: The collection's name.
        place: Where the copy is.
        chunks: Points in it.
        copied: Points written by this push.
        removed: Points removed from an older copy.
    """

    name: str
    place: str
    chunks: int
    copied: int
    removed: int


@dataclass(frozen=True, slots=True)
class PruneResult:
    """Collections that no config given refers to.

    Attributes:
        rows: The collections.
        busy: Why some of them could not be removed.
        removed: Whether the others are gone.
    """

    rows: tuple[CollectionRow, ...]
    busy: tuple[str, ...]
    removed: bool


def print_collections(rows: Sequence[CollectionRow]) -> None:
    """Print a line for each collection."""
    if not rows:
        print("no collections")
    width = max((len(row.name) for row in rows), default=0)
    for row in rows:
        record = row.record
        state = "" if record.complete else "  incomplete"
        documents = record.corpus.get("documents", 0)
        print(
            f"{row.name:<{width}}  {record.chunks} chunks  {documents} documents  {record.model.get('id')}{state}"
        )


def print_collection(details: CollectionDetails) -> None:
    """Print a collection's record and the engine's settings, one key a line."""
    for key, value in _shown(details).items():
        print(f"{key}  {value}")


def print_push(result: PushResult) -> None:
    """Print what a push did."""
    print(f"{result.place}: {result.chunks} chunks, equal to the embedded collection")
    print(f"{result.copied} copied, {result.chunks - result.copied} there already, {result.removed} removed")


def print_prune(result: PruneResult) -> None:
    """Print what no config refers to, and what became of it."""
    for row in result.rows:
        print(f"{'removed' if result.removed else 'unused '}  {row.place}  {row.record.chunks} chunks")
    for line in result.busy:
        print(f"kept     {line}")
    if not result.rows:
        print("nothing to prune")


def collections_document(rows: Sequence[CollectionRow]) -> dict[str, Any]:
    """Return what ``strata collections list --json`` prints."""
    return {"collections": [_row(row) for row in rows]}


def collection_document(details: CollectionDetails) -> dict[str, Any]:
    """Return what ``strata collections show --json`` prints."""
    return _shown(details)


def push_document(result: PushResult) -> dict[str, Any]:
    """Return what ``strata collections push --json`` prints."""
    return {
        "collection": result.name,
        "place": result.place,
        "chunks": result.chunks,
        "copied": result.copied,
        "removed": result.removed,
        "equal": True,
    }


def prune_document(result: PruneResult) -> dict[str, Any]:
    """Return what ``strata collections prune --json`` prints."""
    return {
        "removed": result.removed,
        "collections": [_row(row) for row in result.rows],
        "busy": list(result.busy),
    }


def _row(row: CollectionRow) -> dict[str, Any]:
    record = row.record
    return {
        "name": row.name,
        "place": row.place,
        "chunks": record.chunks,
        "documents": record.corpus.get("documents"),
        "model": record.model.get("id"),
        "dimension": record.dimension,
        "complete": record.complete,
    }


def _shown(details: CollectionDetails) -> dict[str, Any]:
    record, info = details.row.record, details.info
    return {
        **_row(details.row),
        "avg_len": record.avg_len,
        "truncated": record.truncated,
        **{f"says.{key}": value for key, value in record.says.items()},
        **{f"sources.{key}": value for key, value in record.sources.items()},
        **{f"stages.{key}": value for key, value in record.stages.items()},
        "points": info.points,
        "indexed": info.indexed,
        "disk_bytes": info.disk_bytes,
        **{f"engine.{key}": value for key, value in info.settings.items()},
    }
