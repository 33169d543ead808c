"""The embedded engine's collections on disk: opening, the lock around them, and the swap of a rebuilt one."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from strata_rag.errors import CollectionError
from strata_rag.index.embedded import EmbeddedIndex
from strata_rag.index.lock import collection_lock
from strata_rag.index.record import CollectionRecord, read_record, write_record

_RECORD, _SHARD = "record.json", "shard"
_BESIDE = {".next", ".old"}


class EmbeddedCollections:
    """The collections under one folder: ``<name>/record.json``, ``<name>/shard/`` and ``<name>.lock``.

    Args:
        root: The folder, made on first write.
        lock_timeout: Seconds to wait for a collection that is in use.
        m: Edges of a node in the HNSW graph of a new collection.
        ef_construct: Candidates looked at while it is built.
        ef_search: Breadth of the HNSW search.
    """

    def __init__(self, root: Path, *, lock_timeout: float, m: int, ef_construct: int, ef_search: int) -> None:
        self._root = root
        self._lock_timeout = lock_timeout
        self._m = m
        self._ef_construct = ef_construct
        self._ef_search = ef_search

    def place(self, name: str) -> str:
        """Return how messages name a collection."""
        return str(self._root / name)

    def names(self) -> list[str]:
        """Return the names of the collections that have a record."""
        return sorted(
            path.parent.name for path in self._root.glob(f"*/{_RECORD}") if path.parent.suffix not in _BESIDE
        )

    def remove(self, name: str) -> None:
        """Delete a collection.

        Raises:
            CollectionBusy: Another process holds it.
        """
        with collection_lock(self.lock_path(name), exclusive=True, timeout=0):
            shutil.rmtree(self._root / name, ignore_errors=True)
        self.lock_path(name).unlink(missing_ok=True)

    def peek(self, name: str) -> CollectionRecord | None:
        """Return a collection's record without opening or locking it, or None where there is none."""
        return read_record(self._root / name / _RECORD)

    @contextmanager
    def reading(self, name: str) -> Iterator[tuple[CollectionRecord, EmbeddedIndex]]:
        """Open a complete collection beside other readers.

        Raises:
            CollectionError: It is missing or incomplete.
            CollectionBusy: A writer held it for longer than the timeout.
        """
        folder = self._root / name
        if not folder.exists() and not self.lock_path(name).exists():
            raise _none_there(folder)
        with collection_lock(self.lock_path(name), exclusive=False, timeout=self._lock_timeout):
            if not folder.exists():
                raise _none_there(folder)
            record = read_record(folder / _RECORD)
            if record is None or not record.complete:
                raise CollectionError(
                    f"{folder}: expected a complete collection, found one whose ingest was cut short",
                    hint="run `strata ingest CONFIG`; it continues where it stopped",
                )
            index = EmbeddedIndex(folder / _SHARD, ef_search=self._ef_search)
            try:
                yield record, index
            finally:
                index.close()

    @contextmanager
    def writing(self, name: str, *, recreate: bool) -> Iterator[EmbeddedWriter]:
        """Hold a collection for one writer; with `recreate` a new one is built beside and swapped in at the end.

        Raises:
            CollectionBusy: Another process holds it.
        """
        with collection_lock(self.lock_path(name), exclusive=True, timeout=self._lock_timeout):
            self._finish_swap(name)
            target = self._next_path(name) if recreate else self._root / name
            if recreate:
                shutil.rmtree(target, ignore_errors=True)
            writer = EmbeddedWriter(
                target, m=self._m, ef_construct=self._ef_construct, ef_search=self._ef_search
            )
            try:
                yield writer
            finally:
                writer.close()
            if recreate:
                self._swap(name)

    def _swap(self, name: str) -> None:
        current, old = self._root / name, self._old_path(name)
        if current.exists():
            current.rename(old)
        self._next_path(name).rename(current)
        shutil.rmtree(old, ignore_errors=True)

    def _finish_swap(self, name: str) -> None:
        """Mend what a process left that was killed between the renames of a swap."""
        current, old, new = self._root / name, self._old_path(name), self._next_path(name)
        if old.exists() and not current.exists():
            record = read_record(new / _RECORD) if new.exists() else None
            (new if record is not None and record.complete else old).rename(current)
        shutil.rmtree(old, ignore_errors=True)
        shutil.rmtree(new, ignore_errors=True)

    def lock_path(self, name: str) -> Path:
        """Return the lock file of a collection."""
        return self._root / f"{name}.lock"

    def _next_path(self, name: str) -> Path:
        return self._root / f"{name}.next"

    def _old_path(self, name: str) -> Path:
        return self._root / f"{name}.old"


def _none_there(folder: Path) -> CollectionError:
    return CollectionError(
        f"{folder}: expected the collection of this config, found none",
        hint="run `strata ingest CONFIG` first",
    )


class EmbeddedWriter:
    """A collection that this process alone may change."""

    def __init__(self, folder: Path, *, m: int, ef_construct: int, ef_search: int) -> None:
        self._folder = folder
        self._m = m
        self._ef_construct = ef_construct
        self._ef_search = ef_search
        self._index: EmbeddedIndex | None = None

    def record(self) -> CollectionRecord | None:
        """Return the collection's record, or None where there is no collection yet."""
        return read_record(self._folder / _RECORD)

    def write_record(self, record: CollectionRecord) -> None:
        """Replace the collection's record."""
        write_record(self._folder / _RECORD, record)

    def open(self, dimension: int) -> EmbeddedIndex:
        """Open the shard, or make it for vectors of `dimension`."""
        shard = self._folder / _SHARD
        if self.record() is not None:
            self._index = EmbeddedIndex(shard, ef_search=self._ef_search)
        else:
            shutil.rmtree(
                shard, ignore_errors=True
            )  # made, but never recorded: nothing in it was acknowledged
            self._index = EmbeddedIndex.create(
                shard,
                dimension=dimension,
                m=self._m,
                ef_construct=self._ef_construct,
                ef_search=self._ef_search,
            )
        return self._index

    def close(self) -> None:
        """Close the shard."""
        if self._index is not None:
            self._index.close()
            self._index = None
