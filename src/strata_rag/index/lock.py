"""One writer or many readers: the lock file beside a collection."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from strata_rag.errors import CollectionBusy, WriteFailed

_POLL_SECONDS = 0.05


@contextmanager
def collection_lock(path: Path, *, exclusive: bool, timeout: float) -> Iterator[None]:
    """Hold the lock file at `path`; the operating system drops it with the process.

    A reader waits for a writer, and a writer for readers, up to `timeout` seconds; a writer that meets
    another writer fails at once. Holders write ``writer PID`` or ``reader PID`` into the file, which
    is only for the message.

    Raises:
        CollectionBusy: Another process holds the collection; the message names its pid.
        WriteFailed: The lock file can't be made.
    """
    try:
        import portalocker  # noqa: F401  # looks for a temporary folder, and fails on a full disk

        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.open("ab", buffering=0)
    except OSError as error:
        raise WriteFailed(
            f"{path}: expected to make the collection's lock file, found: {error.strerror}",
            hint="check the folder's permissions, or point STRATA_HOME elsewhere",
        ) from error
    with file:
        _wait(file, path, exclusive=exclusive, timeout=timeout)
        yield


def _wait(file: IO[bytes], path: Path, *, exclusive: bool, timeout: float) -> None:
    deadline = time.monotonic() + timeout
    while not _try_lock(file, exclusive=exclusive):
        holders = lock_holders(path)
        writers = [pid for role, pid in holders if role == "writer"]
        if (exclusive and writers) or time.monotonic() >= deadline:
            raise _busy(
                path, writers or [pid for _, pid in holders], waited=0 if exclusive and writers else timeout
            )
        time.sleep(_POLL_SECONDS)


def _try_lock(file: IO[bytes], *, exclusive: bool) -> bool:
    """Lock without waiting. Whoever is alone for a moment clears the names of holders long gone."""
    import portalocker

    shared, alone = portalocker.LockFlags.SHARED, portalocker.LockFlags.EXCLUSIVE
    at_once = portalocker.LockFlags.NON_BLOCKING
    try:
        portalocker.lock(file, alone | at_once)
        file.truncate(0)
        if not exclusive:
            portalocker.lock(file, shared | at_once)
    except (portalocker.LockException, OSError):
        if exclusive:
            return False
        try:
            portalocker.lock(file, shared | at_once)
        except (portalocker.LockException, OSError):
            return False
    with suppress(OSError):  # a full disk: the name is only for messages
        file.write(f"{'writer' if exclusive else 'reader'} {os.getpid()}\n".encode())
    return True


def lock_holders(path: Path) -> list[tuple[str, int]]:
    """Return role and pid of the processes named in the lock file that still run."""
    holders: list[tuple[str, int]] = []
    if not path.is_file():
        return holders
    for line in path.read_text().splitlines():
        role, _, pid = line.partition(" ")
        if pid.isdigit() and _runs(int(pid)):
            holders.append((role, int(pid)))
    return holders


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _busy(path: Path, pids: list[int], *, waited: float) -> CollectionBusy:
    who = f"process {', '.join(map(str, sorted(set(pids))))}" if pids else "another process"
    after = f" after {waited:g} s" if waited else ""
    return CollectionBusy(
        f"{path.with_suffix('')}: expected a free collection, found it in use by {who}{after}",
        hint="wait for it to end, set STRATA_HOME to another folder, or raise index.lock_timeout",
    )
