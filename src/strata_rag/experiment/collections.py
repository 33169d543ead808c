"""Collections at large: what there is, what one holds, copying one to a server, removing what nobody refers to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from strata_rag.corpus import remove_manifests
from strata_rag.errors import CollectionBusy, CollectionError, InputError
from strata_rag.experiment.build import Experiment
from strata_rag.experiment.reconcile import AVG_LEN, DIGEST
from strata_rag.experiment.workspace import Workspace
from strata_rag.index import Collections, EmbeddedCollections, Index, Point
from strata_rag.progress import Progress
from strata_rag.report import CollectionDetails, CollectionRow, PruneResult, PushResult

_BATCH = 256
_DENSE_TOLERANCE = 1e-6


def embedded_collections(workspace: Workspace) -> EmbeddedCollections:
    """Return the workspace's collections, for commands that have no config."""
    return EmbeddedCollections(workspace.collections, lock_timeout=1.0, m=16, ef_construct=100, ef_search=64)


def list_collections(collections: Collections) -> list[CollectionRow]:
    """Return a row for each collection that has a record."""
    found = ((name, collections.peek(name)) for name in collections.names())
    return [
        CollectionRow(name, collections.place(name), record) for name, record in found if record is not None
    ]


def show_collection(collections: Collections, name: str) -> CollectionDetails:
    """Return a collection's record and what the engine says of it.

    Raises:
        CollectionError: It is missing or incomplete.
    """
    with collections.reading(name) as (record, index):
        return CollectionDetails(CollectionRow(name, collections.place(name), record), index.info())


def push_collection(experiment: Experiment, *, recreate: bool, progress: Progress) -> PushResult:
    """Copy the experiment's embedded collection to the server its config names, and check that both are equal.

    What a push that was cut short has copied stays; the next one copies the rest.

    Args:
        experiment: The components.
        recreate: Build the copy beside one that is there, and swap at the end.
        progress: Shown the phases.

    Raises:
        CollectionError: There is nothing to copy, the server holds a collection of another origin under the name, or
            the copy turned out unequal.
        ServerUnavailable: No server answers.
        WriteFailed: The server refused a write; the message counts what is stored.
    """
    name, target = experiment.collection, experiment.server_collections
    with (
        experiment.embedded_collections.reading(name) as (record, source),
        target.writing(name, recreate=recreate) as writer,
    ):
        known = writer.record()
        if known is not None and (differences := known.differences(record)):
            raise CollectionError(
                f"{target.place(name)}: expected a copy of this collection, found other origins "
                f"({'; '.join(differences[:3])})",
                hint="run `strata collections push CONFIG --recreate` to replace it",
            )
        copy = writer.open(record.dimension)
        writer.write_record(record.unfinished())
        copied, removed = _copy(source, copy, progress)
        progress.phase("indexing")
        copy.optimize()
        _require_equal(source, copy, target.place(name), progress)
        writer.write_record(record)
    progress.close()
    return PushResult(name, target.place(name), record.chunks, copied, removed)


def prune_collections(
    collections: Collections, keep: Sequence[str], *, remove: bool, manifests: Path
) -> PruneResult:
    """Remove every collection whose name is not in `keep`, with its manifests; without `remove` only name them.

    Raises:
        InputError: `keep` is empty.
    """
    if not keep:
        raise InputError(
            "CONFIG: expected the configs whose collections are kept, found none", hint="name them all"
        )
    rows = [row for row in list_collections(collections) if row.name not in keep]
    busy = []
    if remove:
        for row in rows:
            try:
                collections.remove(row.name)
            except CollectionBusy as error:
                busy.append(error.message)
            else:
                remove_manifests(manifests, row.name)
    return PruneResult(tuple(rows), tuple(busy), removed=remove)


def _copy(source: Index, copy: Index, progress: Progress) -> tuple[int, int]:
    """Write what the copy lacks or has otherwise, remove what the source lacks; return both counts."""
    wanted, there = _versions(source), _versions(copy)
    obsolete = [key for key in there if key not in wanted]
    missing = [key for key, version in wanted.items() if there.get(key) != version]
    for keys in _batches(obsolete):
        copy.delete(keys)
    progress.phase("copying", len(missing))
    lacking = set(missing)
    payloads = ((key, payload) for key, payload in source.scroll() if key in lacking)
    while batch := dict(islice(payloads, _BATCH)):
        vectors = source.vectors(list(batch))
        copy.upsert([Point(key, *vectors[key], payload) for key, payload in batch.items()])
        progress.advance(len(batch))
    return len(missing), len(obsolete)


def _versions(index: Index) -> dict[str, tuple[Any, Any]]:
    """Return by point id what decides a point's content and lexical weights."""
    return {
        key: (payload.get(DIGEST), payload.get(AVG_LEN)) for key, payload in index.scroll([DIGEST, AVG_LEN])
    }


def _require_equal(source: Index, copy: Index, place: str, progress: Progress) -> None:
    """Compare ids and payload, sparse vectors exactly, dense ones within 1e-6.

    Raises:
        CollectionError: They differ; the message names the first point that does.
    """
    progress.phase("comparing", source.count())
    mine, theirs = iter(source.scroll()), iter(copy.scroll())
    while batch := dict(islice(mine, _BATCH)):
        other = dict(islice(theirs, len(batch)))
        vectors, other_vectors = source.vectors(list(batch)), copy.vectors(list(batch))
        for key, payload in batch.items():
            problem = "it is missing"
            if key in other and key in other_vectors:
                problem = _difference(payload, other[key], vectors[key], other_vectors[key])
            if problem:
                raise _unequal(place, f"point {key} of {payload.get('doc_id')}: {problem}")
        progress.advance(len(batch))
    if surplus := next(theirs, None):
        raise _unequal(place, f"point {surplus[0]} is only there")


def _difference(payload: Mapping[str, Any], other: Mapping[str, Any], mine: Any, theirs: Any) -> str:
    (dense, lexical), (other_dense, other_lexical) = mine, theirs
    if payload != other:
        return "its payload differs"
    same_terms = np.array_equal(lexical.indices, other_lexical.indices)
    if not (same_terms and np.array_equal(lexical.values, other_lexical.values)):
        return "its lexical weights differ"
    if np.abs(dense - other_dense).max() >= _DENSE_TOLERANCE:
        return "its vector differs"
    return ""


def _unequal(place: str, problem: str) -> CollectionError:
    return CollectionError(
        f"{place}: expected a copy equal to the embedded collection, found a difference: {problem}",
        hint="run `strata collections push CONFIG --recreate`; someone else may be writing to it",
    )


def _batches(keys: Sequence[str]) -> Iterator[list[str]]:
    rest = iter(keys)
    while batch := list(islice(rest, _BATCH)):
        yield batch
