from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from strata_rag.errors import CollectionBusy, WriteFailed
from strata_rag.index.lock import collection_lock

Start = Callable[..., subprocess.Popen[str]]

HOLDER = """
import sys
from pathlib import Path
from strata_rag.index.lock import collection_lock
with collection_lock(Path(sys.argv[1]), exclusive=sys.argv[2] == "writer", timeout=5):
    print("held", flush=True)
    sys.stdin.readline()
print("free", flush=True)
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "collections" / "x__m__01234567.lock"


@pytest.fixture
def hold(start: Start, path: Path) -> Callable[[str], subprocess.Popen[str]]:
    """Start a process that holds the lock, and return when it does."""

    def run(role: str) -> subprocess.Popen[str]:
        child = start(HOLDER, path, role)
        assert child.stdout is not None
        assert child.stdout.readline() == "held\n"
        return child

    return run


def release(child: subprocess.Popen[str]) -> None:
    assert child.communicate("\n", timeout=30)[0] == "free\n"


def test_a_second_writer_fails_at_once_and_names_the_first(hold, path: Path) -> None:
    child = hold("writer")
    began = time.monotonic()
    with (
        pytest.raises(CollectionBusy, match=f"x__m__01234567: .* in use by process {child.pid}$"),
        collection_lock(path, exclusive=True, timeout=60),
    ):
        pass
    assert time.monotonic() - began < 30
    release(child)


def test_a_reader_waits_for_a_writer_and_then_fails_with_its_name(hold, path: Path) -> None:
    child = hold("writer")
    began = time.monotonic()
    with (
        pytest.raises(CollectionBusy, match=f"in use by process {child.pid} after 0.3 s") as caught,
        collection_lock(path, exclusive=False, timeout=0.3),
    ):
        pass
    assert time.monotonic() - began >= 0.3
    assert "index.lock_timeout" in caught.value.hint


def test_a_reader_that_waits_gets_the_lock_when_the_writer_ends(hold, path: Path) -> None:
    child = hold("writer")
    assert child.stdin is not None
    child.stdin.write("\n")
    child.stdin.flush()
    with collection_lock(path, exclusive=False, timeout=30):
        assert path.read_text() == f"reader {os.getpid()}\n"


def test_readers_stand_beside_readers_and_keep_a_writer_out(hold, path: Path) -> None:
    first, second = hold("reader"), hold("reader")
    with collection_lock(path, exclusive=False, timeout=5):
        pass
    with (
        pytest.raises(CollectionBusy, match=f"{min(first.pid, second.pid)}, {max(first.pid, second.pid)}"),
        collection_lock(path, exclusive=True, timeout=0.1),
    ):
        pass
    release(first)
    release(second)
    with collection_lock(path, exclusive=True, timeout=5):
        assert path.read_text() == f"writer {os.getpid()}\n"


@pytest.mark.parametrize("role", ["writer", "reader"])
def test_case_28_a_holder_that_is_killed_leaves_nothing_to_remove_by_hand(
    hold, path: Path, role: str
) -> None:
    child = hold(role)
    child.send_signal(signal.SIGKILL)
    child.wait(timeout=30)
    with collection_lock(path, exclusive=True, timeout=0):
        assert path.read_text() == f"writer {os.getpid()}\n"


def test_one_process_may_write_and_then_read_and_write_again(path: Path) -> None:
    for exclusive in (True, False, True):
        with collection_lock(path, exclusive=exclusive, timeout=0):
            pass


def test_one_process_that_writes_twice_at_once_is_refused_too(path: Path) -> None:
    with (
        collection_lock(path, exclusive=True, timeout=0),
        pytest.raises(CollectionBusy, match=f"process {os.getpid()}"),
        collection_lock(path, exclusive=True, timeout=0),
    ):
        pass


def test_a_lock_that_can_not_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "collections").write_text("in the way")
    with (
        pytest.raises(WriteFailed, match=r"x\.lock: expected to make the collection's lock file"),
        collection_lock(tmp_path / "collections" / "x.lock", exclusive=True, timeout=0),
    ):
        pass


NO_SPACE = """
import resource, sys
from pathlib import Path
import portalocker
from strata_rag.index.lock import collection_lock
resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
for exclusive in (True, False):
    with collection_lock(Path(sys.argv[1]), exclusive=exclusive, timeout=0):
        print("held", flush=True)
"""


def test_a_full_disk_takes_the_name_from_the_message_and_not_the_lock(path: Path, start: Start) -> None:
    pytest.importorskip("resource")
    assert start(NO_SPACE, path).communicate(timeout=60) == ("held\nheld\n", "")
