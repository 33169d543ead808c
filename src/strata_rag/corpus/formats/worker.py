"""The process that reads files: it may be killed, run out of memory or crash, and costs one file then."""

from __future__ import annotations

import contextlib
import faulthandler
import os
import signal
import sys
from pathlib import Path
from typing import Any

from strata_rag.corpus.formats.extraction import Limits, NoReader, Options, Unreadable
from strata_rag.corpus.formats.read import extract
from strata_rag.corpus.formats.wire import as_message, receive, send

_GRACE = 10.0
"""Seconds past a file's time after which a process whose parent is gone ends itself."""
_SHARE = 0.5
"""Share of the memory limit at which a process is replaced after its file: what libraries leak does not add up."""


def main() -> None:
    """Answer each request for a file with what it holds, or why it can't be read, until the parent is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    requests = sys.stdin.buffer
    # Libraries that print must not print into the answers.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    settings = receive(requests)
    if settings is None:
        return
    limits, options = Limits(**settings["limits"]), Options(**settings["options"])
    _bound_memory(limits.memory_mb)
    while (request := receive(requests)) is not None:
        faulthandler.dump_traceback_later(limits.seconds + _GRACE, exit=True, file=2)
        answer = _answer(os.fsdecode(bytes.fromhex(request["path"])), options, limits)
        faulthandler.cancel_dump_traceback_later()
        is_full = _peak_memory() > limits.memory_mb * 2**20 * _SHARE
        send(answers, answer | {"last": is_full})
        if is_full:
            return


def _answer(path: str, options: Options, limits: Limits) -> dict[str, Any]:
    try:
        return {"extraction": as_message(extract(path, options=options, limits=limits))}
    except NoReader as error:
        return {"no_reader": str(error)}
    except Unreadable as error:
        return {"unreadable": str(error)}
    except MemoryError:
        return {
            "unreadable": f"needs more memory than corpus.limits.memory_mb {limits.memory_mb}",
            "full": True,
        }
    except BaseException as error:  # a reader met what nobody thought of: this file fails, and no other
        what = " ".join(str(error).split())
        return {"unreadable": f"its reader failed: {type(error).__name__}: {what}"[:500]}


def _bound_memory(megabytes: int) -> None:
    try:
        import resource
    except ImportError:  # no such thing on Windows
        return
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (megabytes * 2**20, megabytes * 2**20))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _peak_memory() -> int:
    """Return the most bytes of memory that this process has held; 0 where the system does not say."""
    with contextlib.suppress(OSError, StopIteration):  # Linux counts the parent's peak into ru_maxrss
        status = Path("/proc/self/status").read_text(encoding="ascii", errors="replace")
        line = next(line for line in status.splitlines() if line.startswith("VmHWM:"))
        return int(line.split()[1]) * 1024
    try:
        import resource
    except ImportError:
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
