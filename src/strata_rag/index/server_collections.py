"""The collections on a Qdrant server: opening, the record in a collection's metadata, and the swap of a rebuilt one.

A collection carries its readable name. One that was rebuilt carries ``<name>.r2``, ``.r3`` ... and the name is an alias
of it; an alias changes hands in one step.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from strata_rag.errors import CollectionError, WriteFailed
from strata_rag.index.lock import collection_lock
from strata_rag.index.record import CollectionRecord, record_from_text, record_text
from strata_rag.index.server import DENSE, LEXICAL, ServerIndex
from strata_rag.index.server_client import ServerCall, ServerClient

_RECORD = "strata_record"
_FULL_SCAN_BELOW_KB = 10_000


@dataclass(frozen=True, slots=True)
class ServerLayout:
    """How a new collection is laid out.

    Attributes:
        m: Edges of a node in the HNSW graph.
        ef_construct: Candidates looked at while it is built.
        shard_number: Parts the collection is split into.
        replication_factor: Copies of each part.
        write_consistency_factor: Copies that must acknowledge a write.
        on_disk: Whether vectors and payload stay on disk instead of in memory.
        quantization: How vectors are compressed for search, or None.
    """

    m: int = 16
    ef_construct: int = 100
    shard_number: int = 1
    replication_factor: int = 1
    write_consistency_factor: int = 1
    on_disk: bool = False
    quantization: Literal["scalar", "binary"] | None = None


class ServerCollections:
    """The collections on one server.

    Args:
        client: The connection.
        lock_root: Folder of the lock files that keep two writers of this machine apart.
        lock_timeout: Seconds to wait for a collection that is in use on this machine.
        layout: How new collections are laid out.
        ef_search: Breadth of the HNSW search.
        oversampling: See `ServerIndex`.
    """

    def __init__(
        self,
        client: ServerClient,
        lock_root: Path,
        *,
        lock_timeout: float = 10.0,
        layout: ServerLayout | None = None,
        ef_search: int = 64,
        oversampling: float = 2.0,
    ) -> None:
        self._client = client
        self._lock_root = lock_root
        self._lock_timeout = lock_timeout
        self._layout = layout or ServerLayout()
        self._ef_search = ef_search
        self._oversampling = oversampling

    def place(self, name: str) -> str:
        """Return how messages name a collection."""
        return f"{name} at {self._client.url}"

    def lock_path(self, name: str) -> Path:
        """Return the lock file that this machine's readers and writers of a collection share."""
        host = re.sub(r"[^A-Za-z0-9.]+", "-", urlsplit(self._client.url).netloc) or "server"
        return self._lock_root / f"{name}@{host}.lock"

    def names(self) -> list[str]:
        """Return the names of the collections that have a record of ours."""
        aliases = self._aliases()
        physical = {one.name for one in self._ask("get_collections").collections}
        visible = (physical - set(aliases.values())) | aliases.keys()
        return sorted(name for name in visible if self._record_of(aliases.get(name, name)) is not None)

    def peek(self, name: str) -> CollectionRecord | None:
        """Return a collection's record without locking it, or None where there is none."""
        physical = self._physical(name)
        return self._record_of(physical) if physical else None

    def remove(self, name: str) -> None:
        """Delete a collection and its alias.

        Raises:
            CollectionBusy: A process of this machine holds it.
        """
        with collection_lock(self.lock_path(name), exclusive=True, timeout=0):
            if (physical := self._physical(name)) is not None:
                self._switch_alias(name, None)
                self._ask("delete_collection", physical)

    @contextmanager
    def reading(self, name: str) -> Iterator[tuple[CollectionRecord, ServerIndex]]:
        """Open a complete collection beside other readers.

        Raises:
            CollectionError: It is missing or incomplete.
            CollectionBusy: A writer of this machine held it for longer than the timeout.
            ServerUnavailable: No server answers.
        """
        if self._physical(name) is None:
            raise CollectionError(
                f"{self.place(name)}: expected the collection of this config, found none",
                hint="run `strata ingest CONFIG` first",
            )
        with collection_lock(self.lock_path(name), exclusive=False, timeout=self._lock_timeout):
            record = self.peek(name)
            if record is None or not record.complete:
                raise CollectionError(
                    f"{self.place(name)}: expected a complete collection, found one whose ingest was cut short",
                    hint="run `strata ingest CONFIG`; it continues where it stopped",
                )
            yield record, self.index(name)

    @contextmanager
    def writing(self, name: str, *, recreate: bool) -> Iterator[ServerWriter]:
        """Hold a collection for one writer of this machine; with `recreate` one is built beside and swapped in.

        Raises:
            CollectionBusy: Another process of this machine holds it.
            ServerUnavailable: No server answers.
        """
        with collection_lock(self.lock_path(name), exclusive=True, timeout=self._lock_timeout):
            current = self._settled(name)
            target = self._next_name(name, current) if recreate and current else current or name
            yield ServerWriter(self, target)
            if target not in (current, name):
                self._swap(name, current, target)

    def make_anew(self, physical: str, dimension: int) -> None:
        """Make an empty collection in place of one that was never recorded: nothing in it was acknowledged."""
        if self._ask("collection_exists", physical):
            self._change("delete_collection", physical)
        self.create(physical, dimension)

    def create(self, physical: str, dimension: int) -> None:
        """Make an empty collection for vectors of `dimension`."""
        from qdrant_client import models

        layout = self._layout
        quantization: Any = None
        if layout.quantization == "scalar":
            scalar = models.ScalarQuantizationConfig(type=models.ScalarType.INT8, always_ram=True)
            quantization = models.ScalarQuantization(scalar=scalar)
        elif layout.quantization == "binary":
            binary = models.BinaryQuantizationConfig(always_ram=True)
            quantization = models.BinaryQuantization(binary=binary)
        vectors = models.VectorParams(size=dimension, distance=models.Distance.COSINE, on_disk=layout.on_disk)
        sparse = models.SparseVectorParams(
            modifier=models.Modifier.IDF, index=models.SparseIndexParams(on_disk=layout.on_disk)
        )
        self._change(
            "create_collection",
            physical,
            vectors_config={DENSE: vectors},
            sparse_vectors_config={LEXICAL: sparse},
            hnsw_config=models.HnswConfigDiff(
                m=layout.m,
                ef_construct=layout.ef_construct,
                full_scan_threshold=_FULL_SCAN_BELOW_KB,
                on_disk=layout.on_disk,
            ),
            # IDF is stale after deletes until the segment is rebuilt: let the server do so as early as it can.
            optimizers_config=models.OptimizersConfigDiff(
                deleted_threshold=0.0001, vacuum_min_vector_number=100
            ),
            shard_number=layout.shard_number,
            replication_factor=layout.replication_factor,
            write_consistency_factor=layout.write_consistency_factor,
            on_disk_payload=layout.on_disk,
            quantization_config=quantization,
        )

    def write_record(self, physical: str, record: CollectionRecord) -> None:
        """Replace a collection's record."""
        self._change("update_collection", physical, metadata={_RECORD: record_text(record)})

    def index(self, name: str) -> ServerIndex:
        """Return a collection as it is, record or not."""
        return ServerIndex(self._client, name, ef_search=self._ef_search, oversampling=self._oversampling)

    def _record_of(self, physical: str) -> CollectionRecord | None:
        metadata = self._ask("get_collection", physical).config.metadata or {}
        text = metadata.get(_RECORD)
        return record_from_text(text, self.place(physical)) if isinstance(text, str) else None

    def _aliases(self) -> dict[str, str]:
        return {one.alias_name: one.collection_name for one in self._ask("get_aliases").aliases}

    def _physical(self, name: str) -> str | None:
        """Return the collection that stands behind a name, or None."""
        aliased = self._aliases().get(name)
        if aliased is not None:
            return aliased
        return name if self._ask("collection_exists", name) else None

    def _rebuilt(self, name: str) -> list[str]:
        pattern = re.compile(re.escape(name) + r"\.r(\d+)")
        found = (pattern.fullmatch(one.name) for one in self._ask("get_collections").collections)
        return [match[0] for match in sorted(filter(None, found), key=lambda match: int(match[1]))]

    def _next_name(self, name: str, current: str) -> str:
        number = int(current.rsplit(".r", 1)[1]) if current != name else 1
        return f"{name}.r{number + 1}"

    def _settled(self, name: str) -> str | None:
        """Mend what a process left that was killed during a swap, and return what stands behind the name."""
        current = self._physical(name)
        for rebuilt in reversed(self._rebuilt(name)):
            if rebuilt == current:
                continue
            record = self._record_of(rebuilt)
            if current is None and record is not None and record.complete:
                self._switch_alias(name, rebuilt)
                current = rebuilt
            else:
                self._change("delete_collection", rebuilt)
        return current

    def _swap(self, name: str, current: str | None, target: str) -> None:
        if current == name:  # an alias can't take the name of a collection that is still there
            self._change("delete_collection", name)
        self._switch_alias(name, target)
        if current not in (None, name):
            self._change("delete_collection", current)

    def _switch_alias(self, name: str, target: str | None) -> None:
        from qdrant_client import models

        operations: list[Any] = []
        if name in self._aliases():
            operations.append(models.DeleteAliasOperation(delete_alias=models.DeleteAlias(alias_name=name)))
        if target is not None:
            create = models.CreateAlias(collection_name=target, alias_name=name)
            operations.append(models.CreateAliasOperation(create_alias=create))
        if operations:
            self._change("update_collection_aliases", change_aliases_operations=operations)

    def _ask(self, method: str, *args: Any) -> Any:
        try:
            return self._client.call(method, *args)
        except ServerCall as failure:
            raise CollectionError(
                f"{self._client.url}: expected an answer to {method}, found {failure.reason}",
                hint="see the server's log",
            ) from failure

    def _change(self, method: str, *args: Any, **kwargs: Any) -> None:
        try:
            self._client.call(method, *args, **kwargs)
        except ServerCall as failure:
            raise WriteFailed(
                f"{self._client.url}: expected {method} {' '.join(map(str, args))} to be done, found {failure.reason}",
                hint="see the server's log, then run the same command again; it continues from here",
            ) from failure


class ServerWriter:
    """A collection that this process alone, among those of its machine, may change."""

    def __init__(self, collections: ServerCollections, physical: str) -> None:
        self._collections = collections
        self._physical = physical

    def record(self) -> CollectionRecord | None:
        """Return the collection's record, or None where there is no collection yet."""
        return self._collections.peek(self._physical)

    def write_record(self, record: CollectionRecord) -> None:
        """Replace the collection's record."""
        self._collections.write_record(self._physical, record)

    def open(self, dimension: int) -> ServerIndex:
        """Open the collection, or make it for vectors of `dimension`."""
        if self.record() is None:
            self._collections.make_anew(self._physical, dimension)
        return self._collections.index(self._physical)

    def close(self) -> None:
        """Do nothing: the connection belongs to the collections."""
