"""Reads files in processes of their own, so that a bad file costs itself alone."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import Any

import strata_rag
from strata_rag.corpus.formats.extraction import Extraction, Limits, NoReader, Options, Unreadable
from strata_rag.corpus.formats.wire import as_extraction, receive, send

_MOST_PROCESSES = 4
_START = "import sys; sys.path[:] = sys.argv[1:]; from strata_rag.corpus.formats.worker import main; main()"
"""No module of the parent's is imported: not what it runs, nor its config."""


class ReaderPool:
    """Processes that read files, started when the first file is there and ended with the block.

    Args:
        options: What is a reader's choice.
        limits: What one file may cost; time and memory hold for each process.
        processes: How many; None means one a core, at most four.
    """

    def __init__(self, *, options: Options, limits: Limits, processes: int | None = None) -> None:
        self._options = options
        self._limits = limits
        self._processes = processes or min(os.cpu_count() or 1, _MOST_PROCESSES)
        self._threads: ThreadPoolExecutor | None = None
        self._readers: list[_Reader] = []
        self._own = threading.local()
        self._lock = threading.Lock()
        self._closed = False

    def __enter__(self) -> ReaderPool:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def submit(self, path: Path) -> Future[Extraction]:
        """Have a file read; the result raises `Unreadable` where it can't be."""
        if self._threads is None:
            self._threads = ThreadPoolExecutor(self._processes, thread_name_prefix="strata-reader")
        return self._threads.submit(self._read, path)

    def close(self) -> None:
        """End the processes, whatever they are at."""
        with self._lock:
            self._closed = True
            readers = list(self._readers)
        for reader in readers:
            reader.stop()
        if self._threads is not None:
            self._threads.shutdown(wait=True, cancel_futures=True)

    def _read(self, path: Path) -> Extraction:
        return self._reader().read(path)

    def _reader(self) -> _Reader:
        reader: _Reader | None = getattr(self._own, "reader", None)
        if reader is None:
            reader = _Reader(self._options, self._limits)
            with self._lock:
                if self._closed:
                    raise Unreadable("reading was stopped")
                self._readers.append(reader)
            self._own.reader = reader
        return reader


class _Reader:
    """One process, replaced when it was killed or has ended."""

    def __init__(self, options: Options, limits: Limits) -> None:
        self._settings = {"options": asdict(options), "limits": asdict(limits)}
        self._limits = limits
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        self._stopped = False

    def read(self, path: Path) -> Extraction:
        process = self._started()
        timed_out = threading.Event()

        def expire() -> None:
            timed_out.set()
            process.kill()

        timer = threading.Timer(self._limits.seconds, expire)
        timer.daemon = True
        timer.start()
        try:
            answer = self._ask(process, path)
        finally:
            timer.cancel()
        if answer is None:
            self._end(process)
            if timed_out.is_set():
                raise Unreadable(f"took longer than corpus.limits.seconds {self._limits.seconds:g}")
            raise Unreadable(f"its reader ended: {_how(process.returncode)}")
        if answer.get("last") or answer.get("full") or timed_out.is_set():
            self._end(process)
        if "no_reader" in answer:
            raise NoReader(answer["no_reader"])
        if "unreadable" in answer:
            raise Unreadable(answer["unreadable"])
        return as_extraction(answer["extraction"])

    def stop(self) -> None:
        """Kill the process, and start no other."""
        with self._lock:
            self._stopped = True
            process = self._process
        if process is not None:
            process.kill()
            self._end(process)

    def _started(self) -> subprocess.Popen[bytes]:
        with self._lock:
            if self._stopped:
                raise Unreadable("reading was stopped")
            if self._process is None:
                self._process = _start_process()
                with contextlib.suppress(OSError):
                    send(_pipe(self._process.stdin), self._settings)
            return self._process

    def _ask(self, process: subprocess.Popen[bytes], path: Path) -> dict[str, Any] | None:
        try:
            send(_pipe(process.stdin), {"path": os.fsencode(path).hex()})
            return receive(_pipe(process.stdout))
        except (OSError, ValueError):
            return None

    def _end(self, process: subprocess.Popen[bytes]) -> None:
        with self._lock:
            if self._process is process:
                self._process = None
        for pipe in (process.stdin, process.stdout):
            with contextlib.suppress(OSError, ValueError):
                _pipe(pipe).close()
        try:
            process.wait(timeout=1)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _pipe(stream: Any) -> Any:
    if stream is None:
        raise ValueError("no pipe")
    return stream


def _start_process() -> subprocess.Popen[bytes]:
    source = str(Path(strata_rag.__file__).parents[1])
    paths: Sequence[str] = [source, *(path for path in sys.path if path and path != source)]
    return subprocess.Popen(
        [sys.executable, "-I", "-S", "-X", "utf8", "-c", _START, *paths],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        # Ctrl-C is the parent's to hear: it ends the processes itself.
        start_new_session=True,
    )


def _how(code: int | None) -> str:
    if code is not None and code < 0:
        with contextlib.suppress(ValueError):
            return f"killed by {signal.Signals(-code).name}"
    return f"exit code {code}"
