"""A collection on a Qdrant server, behind the `Index` seam."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from strata_rag.errors import CollectionError, WriteFailed
from strata_rag.index.filters import Where
from strata_rag.index.index import IndexInfo
from strata_rag.index.points import Point, ScoredPoint, SparseVector
from strata_rag.index.server_client import ServerCall, ServerClient
from strata_rag.index.server_filters import server_filter
from strata_rag.index.ties import search_untied

if TYPE_CHECKING:
    from qdrant_client import models

DENSE, LEXICAL = "dense", "lexical"
REQUEST_BYTES = 32 * 2**20 - 2**16
"""Most bytes of one request as JSON: a server refuses more than 32 MiB."""
_FLOAT_BYTES, _INDEX_BYTES, _POINT_BYTES = 25, 11, 512
_SCROLL_PAGE = 1000
_POLL_SECONDS = 0.5
_INDEXING_SECONDS = 3600.0
_Item = TypeVar("_Item")


class ServerIndex:
    """One collection on a server.

    Args:
        client: The connection.
        name: The collection's name, or an alias of it.
        ef_search: Breadth of the HNSW search.
        oversampling: With quantized vectors, how many times more candidates are scored anew by the originals.
    """

    def __init__(
        self, client: ServerClient, name: str, *, ef_search: int = 64, oversampling: float = 2.0
    ) -> None:
        self._client = client
        self._name = name
        self._ef_search = ef_search
        self._oversampling = oversampling
        self._written = 0

    def upsert(self, points: Sequence[Point]) -> None:
        """Write points in requests below the server's limit; each request is acknowledged before the next.

        Raises:
            WriteFailed: A request failed for good; those before it are stored, and the message counts them.
        """
        from qdrant_client import models

        for group in batches_below(points, _json_bytes, REQUEST_BYTES):
            if _json_bytes(group[0]) > REQUEST_BYTES:
                raise WriteFailed(
                    f"{self._where}: expected points below 32 MiB, found one of {_json_bytes(group[0]) / 2**20:.0f} "
                    f"MiB in document {group[0].payload.get('doc_id')}",
                    hint="cut the document into smaller chunks",
                )
            structs = [
                models.PointStruct(
                    id=point.point_id,
                    vector={DENSE: point.dense.tolist(), LEXICAL: _sparse(point.lexical)},
                    payload=dict(point.payload),
                )
                for point in group
            ]
            self._write("upsert", len(group), points=structs)
            self._written += len(group)

    def update_lexical(self, weights: Mapping[str, SparseVector], payload: Mapping[str, Any]) -> None:
        from qdrant_client import models

        def size(item: tuple[str, SparseVector]) -> int:
            return _POINT_BYTES + len(item[1].indices) * (_FLOAT_BYTES + _INDEX_BYTES)

        for group in batches_below(list(weights.items()), size, REQUEST_BYTES):
            vectors = [
                models.PointVectors(id=key, vector={LEXICAL: _sparse(vector)}) for key, vector in group
            ]
            self._write("update_vectors", len(group), points=vectors)
            self._write("set_payload", len(group), payload=dict(payload), points=[key for key, _ in group])

    def delete(self, point_ids: Sequence[str]) -> None:
        from qdrant_client import models

        if point_ids:
            selector = models.PointIdsList(points=list(point_ids))
            self._write("delete", len(point_ids), points_selector=selector)

    def optimize(self) -> None:
        """Wait until the server has built what it builds by itself.

        Raises:
            WriteFailed: It reports an error, or is not done after an hour.
        """
        deadline = time.monotonic() + _INDEXING_SECONDS
        while True:
            found = self._ask("get_collection")
            status = str(getattr(found.status, "value", found.status))
            if status != "yellow":
                break
            if time.monotonic() > deadline:
                raise WriteFailed(
                    f"{self._where}: expected the server to finish indexing within an hour, found it at work",
                    hint="all points are stored; run the same command again later",
                )
            time.sleep(_POLL_SECONDS)
        if status == "red":
            raise WriteFailed(
                f"{self._where}: expected the server to index the points, found: {found.optimizer_status}",
                hint="see the server's log for disk space and memory, then run the same command again",
            )

    def search_dense(
        self, vector: NDArray[np.float32], limit: int, *, where: Where | None = None
    ) -> list[ScoredPoint]:
        return self._search(vector.tolist(), DENSE, limit, where)

    def search_lexical(
        self, query: SparseVector, limit: int, *, where: Where | None = None
    ) -> list[ScoredPoint]:
        if len(query.indices) == 0:
            return []
        return self._search(_sparse(query), LEXICAL, limit, where)

    def scroll(self, fields: Sequence[str] | None = None) -> Iterator[tuple[str, Mapping[str, Any]]]:
        offset: Any = None
        while True:
            records, offset = self._ask(
                "scroll",
                limit=_SCROLL_PAGE,
                offset=offset,
                with_payload=True if fields is None else list(fields),
            )
            for record in records:
                yield str(record.id), record.payload or {}
            if offset is None:
                return

    def vectors(self, point_ids: Sequence[str]) -> dict[str, tuple[NDArray[np.float32], SparseVector]]:
        found = {}
        for record in self._ask("retrieve", ids=list(point_ids), with_payload=False, with_vectors=True):
            sparse = record.vector[LEXICAL]
            found[str(record.id)] = (
                np.asarray(record.vector[DENSE], dtype=np.float32),
                SparseVector(np.asarray(sparse.indices, np.uint32), np.asarray(sparse.values, np.float32)),
            )
        return found

    def count(self) -> int:
        return int(self._ask("count", exact=True).count)

    def info(self) -> IndexInfo:
        found = self._ask("get_collection")
        status = str(getattr(found.status, "value", found.status))
        return IndexInfo(
            points=self.count(),
            indexed=status == "green",
            disk_bytes=None,
            settings={"status": status, **_flat(found.config.model_dump(mode="json", exclude={"metadata"}))},
        )

    def close(self) -> None:
        """Do nothing: the connection belongs to the collections."""

    @property
    def _where(self) -> str:
        return f"{self._name} at {self._client.url}"

    def _search(self, query: Any, using: str, limit: int, where: Where | None) -> list[ScoredPoint]:
        from qdrant_client import models

        query_filter = server_filter(where)
        quantized = models.QuantizationSearchParams(rescore=True, oversampling=self._oversampling)

        def fetch(depth: int) -> list[ScoredPoint]:
            params = models.SearchParams(exact=True)
            if using == DENSE and not where:
                params = models.SearchParams(hnsw_ef=max(self._ef_search, depth), quantization=quantized)
            found = self._ask(
                "query_points",
                query=query,
                using=using,
                limit=depth,
                query_filter=query_filter,
                search_params=params if using == DENSE else None,
                with_payload=True,
            )
            return [ScoredPoint(str(point.id), point.score, point.payload or {}) for point in found.points]

        return search_untied(fetch, limit)

    def _ask(self, method: str, **kwargs: Any) -> Any:
        try:
            return self._client.call(method, self._name, **kwargs)
        except ServerCall as failure:
            raise CollectionError(
                f"{self._where}: expected an answer to {method}, found {failure.reason}",
                hint="see the server's log; `strata collections list` shows what it holds",
            ) from failure

    def _write(self, method: str, count: int, **kwargs: Any) -> None:
        try:
            self._client.call(method, self._name, wait=True, **kwargs)
        except ServerCall as failure:
            raise WriteFailed(
                f"{self._where}: expected {count} points to be taken ({method}), found {failure.reason}; "
                f"{self._stored()} points are stored",
                hint="mend what the server says and run the same command again; it continues from what is stored",
            ) from failure

    def _stored(self) -> str:
        """Return how many points the server holds, or at least those written here where it does not tell."""
        try:
            return str(self._client.call("count", self._name, exact=True, retry=False).count)
        except Exception:  # this is for the message of an earlier error, which nothing may hide
            return f"at least {self._written}"


def batches_below(items: Iterable[_Item], size: Callable[[_Item], int], limit: int) -> Iterator[list[_Item]]:
    """Yield the items in order, in lists whose sizes add up to `limit` at most; a larger item stands alone."""
    group: list[_Item] = []
    total = 0
    for item in items:
        item_size = size(item)
        if group and total + item_size > limit:
            yield group
            group, total = [], 0
        group.append(item)
        total += item_size
    if group:
        yield group


def _json_bytes(point: Point) -> int:
    """Return an upper bound of the point's size as JSON: floats at their longest, the payload escaped to ASCII."""
    floats = len(point.dense) * _FLOAT_BYTES + len(point.lexical.indices) * (_FLOAT_BYTES + _INDEX_BYTES)
    return _POINT_BYTES + floats + len(json.dumps(dict(point.payload)))


def _sparse(vector: SparseVector) -> models.SparseVector:
    from qdrant_client import models

    return models.SparseVector(indices=vector.indices.tolist(), values=vector.values.tolist())


def _flat(value: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Return nested settings under dotted keys, unset ones left out."""
    flat: dict[str, Any] = {}
    for key, item in value.items():
        if isinstance(item, Mapping):
            flat |= _flat(item, f"{prefix}{key}.")
        elif item is not None:
            flat[f"{prefix}{key}"] = item
    return flat
