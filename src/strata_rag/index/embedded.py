"""Qdrant Edge, the Qdrant engine inside the process, behind the `Index` seam.

The shard is opened without its write-ahead log, so that readers in other processes may open the folder at
once; every batch is flushed before the call returns, and the caller holds the collection's lock. A segment
with deleted points keeps their IDF until it is rebuilt, also over a reload: the optimiser is told to
rebuild at the first deleted point, and `optimize` runs after every ingest that changed something.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from strata_rag.errors import CollectionError, WriteFailed
from strata_rag.index.embedded_filters import edge_filter
from strata_rag.index.filters import Where
from strata_rag.index.index import IndexInfo
from strata_rag.index.points import Point, ScoredPoint, SparseVector
from strata_rag.index.ties import search_untied

if TYPE_CHECKING:
    import qdrant_edge

DENSE, LEXICAL = "dense", "lexical"
_DISK_RESERVE = 64 * 2**20
_SCROLL_PAGE = 4096
_FULL_SCAN_BELOW_KB = 10_000


class EmbeddedIndex:
    """One shard in one folder.

    Args:
        folder: The shard's folder, made by `create`.
        ef_search: Breadth of the HNSW search.
        free_bytes: Tells the free space on the disk of a folder.
    """

    def __init__(
        self, folder: Path, *, ef_search: int = 64, free_bytes: Callable[[Path], int] | None = None
    ) -> None:
        self._folder = folder
        self._ef_search = ef_search
        self._free_bytes = free_bytes or (lambda path: shutil.disk_usage(path).free)
        self._open_shard: qdrant_edge.EdgeShard | None = _load(folder)

    @classmethod
    def create(
        cls, folder: Path, *, dimension: int, m: int, ef_construct: int, ef_search: int = 64
    ) -> EmbeddedIndex:
        """Make an empty shard for vectors of `dimension` and open it.

        Args:
            folder: Must not exist.
            dimension: Length of the dense vectors.
            m: Edges of a node in the HNSW graph.
            ef_construct: Candidates looked at while it is built.
            ef_search: Breadth of the HNSW search.

        Raises:
            WriteFailed: The disk refused.
        """
        import qdrant_edge as edge

        hnsw = edge.HnswIndexConfig(m=m, ef_construct=ef_construct, full_scan_threshold=_FULL_SCAN_BELOW_KB)
        config = edge.EdgeConfig(
            vectors={
                DENSE: edge.EdgeVectorParams(size=dimension, distance=edge.Distance.Cosine, hnsw_config=hnsw)
            },
            sparse_vectors={LEXICAL: edge.EdgeSparseVectorParams(modifier=edge.Modifier.Idf)},
            optimizers=edge.EdgeOptimizersConfig(deleted_threshold=1e-9, vacuum_min_vector_number=1),
            wal_enabled=False,
        )
        with _writing(folder):
            folder.mkdir(parents=True)
        _require_free(folder, shutil.disk_usage(folder).free, 0)
        with _writing(folder):
            edge.EdgeShard.create(str(folder), config).close()
        return cls(folder, ef_search=ef_search)

    def upsert(self, points: Sequence[Point]) -> None:
        import qdrant_edge as edge

        self._require_space(_SPACE_PER_POINT * len(points))
        converted = [
            edge.Point(
                point.point_id,
                {DENSE: point.dense.tolist(), LEXICAL: _edge_sparse(point.lexical)},
                dict(point.payload),
            )
            for point in points
        ]
        self._write(edge.UpdateOperation.upsert_points(converted))

    def update_lexical(self, weights: Mapping[str, SparseVector], payload: Mapping[str, Any]) -> None:
        import qdrant_edge as edge

        self._require_space(_SPACE_PER_POINT * len(weights))
        vectors = [edge.PointVectors(key, {LEXICAL: _edge_sparse(vector)}) for key, vector in weights.items()]
        self._write(
            edge.UpdateOperation.update_vectors(vectors),
            edge.UpdateOperation.set_payload(list(weights), dict(payload)),
        )

    def delete(self, point_ids: Sequence[str]) -> None:
        import qdrant_edge as edge

        self._write(edge.UpdateOperation.delete_points(list(point_ids)))

    def optimize(self) -> None:
        """Rebuild segments in a child process: the engine would hold the interpreter for the whole run."""
        self._require_space(2 * _folder_bytes(self._folder))
        self.close()
        command = [sys.executable, "-m", "strata_rag.index.optimizer", str(self._folder)]
        with subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE) as child:
            try:
                _, trouble = child.communicate()
            except BaseException:
                child.kill()
                raise
        if child.returncode != 0:
            last = trouble.decode(errors="replace").strip().splitlines()[-1:]
            raise WriteFailed(
                f"{self._folder}: expected the index to be built, the builder ended with {child.returncode}: "
                + (last[0] if last else "no message"),
                hint="all points are stored; free some disk space and memory and run the same command again",
            )
        self._open_shard = _load(self._folder)

    def search_dense(
        self, vector: NDArray[np.float32], limit: int, *, where: Where | None = None
    ) -> list[ScoredPoint]:
        return self._search(vector.tolist(), DENSE, limit, where)

    def search_lexical(
        self, query: SparseVector, limit: int, *, where: Where | None = None
    ) -> list[ScoredPoint]:
        if len(query.indices) == 0:
            return []
        return self._search(_edge_sparse(query), LEXICAL, limit, where)

    def scroll(self, fields: Sequence[str] | None = None) -> Iterator[tuple[str, Mapping[str, Any]]]:
        import qdrant_edge as edge

        offset: Any = None
        while True:
            request = edge.ScrollRequest(
                offset=offset, limit=_SCROLL_PAGE, with_payload=True if fields is None else list(fields)
            )
            with _answering(self._folder):
                records, offset = self._shard.scroll(request)
            for record in records:
                yield str(record.id), record.payload or {}
            if offset is None:
                return

    def vectors(self, point_ids: Sequence[str]) -> dict[str, tuple[NDArray[np.float32], SparseVector]]:
        found = {}
        for record in self._shard.retrieve(list(point_ids), with_payload=False, with_vector=True):
            stored: Any = record.vector
            sparse = stored[LEXICAL]
            found[str(record.id)] = (
                np.asarray(stored[DENSE], dtype=np.float32),
                SparseVector(np.asarray(sparse.indices, np.uint32), np.asarray(sparse.values, np.float32)),
            )
        return found

    def count(self) -> int:
        import qdrant_edge as edge

        return self._shard.count(edge.CountRequest(exact=True))

    def info(self) -> IndexInfo:
        points = self.count()
        indexed = self._shard.info().indexed_vectors_count >= points
        return IndexInfo(
            points=points,
            indexed=indexed,
            disk_bytes=_folder_bytes(self._folder),
            settings={"name": "Qdrant Edge"},
        )

    def close(self) -> None:
        if self._open_shard is not None:
            self._open_shard.close()
            self._open_shard = None

    @property
    def _shard(self) -> qdrant_edge.EdgeShard:
        if self._open_shard is None:
            raise ValueError(f"{self._folder} is closed")
        return self._open_shard

    def _search(self, query: Any, using: str, limit: int, where: Where | None) -> list[ScoredPoint]:
        import qdrant_edge as edge

        edge_where = edge_filter(where)

        def fetch(depth: int) -> list[ScoredPoint]:
            request = edge.QueryRequest(
                limit=depth,
                query=edge.Query.Nearest(query, using=using),
                with_payload=True,
                filter=edge_where,
                params=self._search_params(depth, exact=bool(where)) if using == DENSE else None,
            )
            with _answering(self._folder):
                found = self._shard.query(request)
            return [ScoredPoint(str(point.id), point.score, point.payload or {}) for point in found]

        return search_untied(fetch, limit)

    def _search_params(self, depth: int, *, exact: bool) -> qdrant_edge.SearchParams:
        """Walk the graph, or look at every point: under a filter the graph can lose what passes it."""
        import qdrant_edge as edge

        return (
            edge.SearchParams(exact=True) if exact else edge.SearchParams(hnsw_ef=max(self._ef_search, depth))
        )

    def _write(self, *operations: qdrant_edge.UpdateOperation) -> None:
        with _writing(self._folder):
            for operation in operations:
                self._shard.update(operation)
            self._shard.flush()

    def _require_space(self, needed: int) -> None:
        """Refuse a write that might not fit: the engine maps its files, and a full disk would kill the process."""
        _require_free(self._folder, self._free_bytes(self._folder), needed)


_SPACE_PER_POINT = 16 * 2**10


def _require_free(folder: Path, free: int, needed: int) -> None:
    if free < needed + _DISK_RESERVE:
        raise WriteFailed(
            f"{folder}: expected {(needed + _DISK_RESERVE) // 2**20} MiB of free disk space, "
            f"found {free // 2**20} MiB",
            hint="free some space, or point STRATA_HOME to another disk; the same command then continues",
        )


@contextmanager
def _writing(folder: Path) -> Iterator[None]:
    """Turn whatever the engine raises while it writes into `WriteFailed`; it has no exceptions of its own."""
    try:
        yield
    except Exception as error:
        raise WriteFailed(
            f"{folder}: expected the engine to write, found: {error}",
            hint="check disk space and permissions; the same command then continues where it stopped",
        ) from error


@contextmanager
def _answering(folder: Path) -> Iterator[None]:
    """Turn whatever the engine raises while it searches into `CollectionError`."""
    try:
        yield
    except Exception as error:
        raise CollectionError(
            f"{folder}: expected an answer from the engine, found: {error}",
            hint="run `strata ingest CONFIG --recreate` to build the collection anew",
        ) from error


def _load(folder: Path) -> qdrant_edge.EdgeShard:
    import qdrant_edge as edge

    try:
        return edge.EdgeShard.load(str(folder))
    except BaseException as error:  # a damaged folder may end in a Rust panic, which is no Exception
        if isinstance(error, KeyboardInterrupt | SystemExit):
            raise
        if "No space left" in str(error):
            raise WriteFailed(
                f"{folder}: expected free disk space to open the shard, found: {error}",
                hint="free some space, or point STRATA_HOME to another disk; the collection is left as it is",
            ) from error
        raise CollectionError(
            f"{folder}: expected a readable shard, found: {error}",
            hint="run `strata ingest CONFIG --recreate` to build the collection anew",
        ) from error


def _edge_sparse(vector: SparseVector) -> qdrant_edge.SparseVector:
    import qdrant_edge as edge

    return edge.SparseVector(vector.indices.tolist(), vector.values.tolist())


def _folder_bytes(folder: Path) -> int:
    return sum(path.stat().st_blocks * 512 for path in folder.rglob("*") if path.is_file())
