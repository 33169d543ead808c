"""A content-addressed store in one SQLite file: what was computed once is not computed again."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import RLock
from typing import Any

from strata_rag.errors import Unavailable, WriteFailed

_BUSY_SECONDS = 30
_KEYS_PER_QUERY = 500
_SCHEMA = """
CREATE TABLE IF NOT EXISTS entries (
    key BLOB PRIMARY KEY,
    owner TEXT NOT NULL,
    value BLOB NOT NULL
) WITHOUT ROWID
"""


def digest_request(request: Mapping[str, Any]) -> bytes:
    """Return the SHA-256 of a request's canonical JSON: 32 bytes that differ if any field does."""
    canonical = json.dumps(
        request, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )
    return hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).digest()


class Cache:
    """Values by the digest of the full request that made them; safe beside other processes and threads.

    Args:
        path: The SQLite file; made on first use, its folder too.

    Raises:
        Unavailable: The file is no SQLite database, or another process keeps it busy.
        WriteFailed: The disk refused a write.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._connection: sqlite3.Connection | None = None
        self._lock = RLock()

    def get_many(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """Return the values that are there, by key."""
        found: dict[bytes, bytes] = {}
        with self._reporting() as database:
            for first in range(0, len(keys), _KEYS_PER_QUERY):
                some = keys[first : first + _KEYS_PER_QUERY]
                marks = ",".join("?" * len(some))
                found.update(database.execute(f"SELECT key, value FROM entries WHERE key IN ({marks})", some))
        return found

    def put_many(self, entries: Iterable[tuple[bytes, bytes]], *, owner: str) -> None:
        """Keep `entries` in one transaction; `owner` names the model or file they belong to."""
        with self._reporting() as database, database:
            database.executemany(
                "INSERT OR REPLACE INTO entries (key, owner, value) VALUES (?, ?, ?)",
                ((key, owner, value) for key, value in entries),
            )

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    @contextmanager
    def _reporting(self) -> Iterator[sqlite3.Connection]:
        """Open the file for one thread at a time, and turn SQLite's errors into ours."""
        try:
            with self._lock:
                yield self._open()
        except sqlite3.OperationalError as error:
            raise WriteFailed(
                f"{self._path}: expected to read and write the cache, found: {error}",
                hint="free some disk space, check the folder's permissions, or point STRATA_HOME elsewhere",
            ) from error
        except sqlite3.DatabaseError as error:
            raise Unavailable(
                f"{self._path}: expected the cache's SQLite file, found something else ({error})",
                hint="move the file away; the cache is rebuilt as it is needed",
            ) from error
        except OSError as error:
            raise WriteFailed(
                f"{self._path.parent}: expected a folder that can be written, found: {error.strerror}",
                hint="check the folder's permissions, or point STRATA_HOME elsewhere",
            ) from error

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            connection = sqlite3.connect(self._path, timeout=_BUSY_SECONDS, check_same_thread=False)
            try:
                connection.execute("PRAGMA journal_mode=WAL")
                connection.execute("PRAGMA synchronous=NORMAL")
                connection.execute(_SCHEMA)
            except sqlite3.Error:
                connection.close()
                raise
            self._connection = connection
        return self._connection
