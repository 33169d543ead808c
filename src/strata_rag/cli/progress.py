"""Progress on stderr: bars on a terminal, plain lines elsewhere."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, TextIO

from strata_rag.progress import Progress

if TYPE_CHECKING:
    import rich.progress

_LINE_EVERY_SECONDS = 10.0
_SILENT_SECONDS = 2.0


@contextlib.contextmanager
def show_progress() -> Iterator[Progress]:
    """Show bars where stderr is a terminal, and lines otherwise, until the work ends or fails."""
    progress: Progress = _Bars() if _is_terminal(sys.stderr) else _Lines()
    try:
        yield progress
    finally:
        progress.close()


def _is_terminal(stream: TextIO | None) -> bool:
    return stream is not None and stream.isatty()


class _Lines:
    """One line when a phase starts, and one every ten seconds with rate and time left.

    Work that is done within two seconds prints nothing.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._quiet = True
        self._timer: threading.Timer | None = None
        self._name = ""
        self._total: int | None = None
        self._done = 0
        self._started = self._last = 0.0

    def phase(self, name: str, total: int | None = None) -> None:
        if total == 0:
            return
        self._name, self._total, self._done = name, total, 0
        self._started = self._last = time.monotonic()
        with self._lock:
            if not self._quiet:
                self._print_phase()
            elif self._timer is None:
                self._timer = threading.Timer(_SILENT_SECONDS, self._speak)
                self._timer.daemon = True
                self._timer.start()

    def advance(self, steps: int = 1) -> None:
        self._done += steps
        now = time.monotonic()
        if now - self._last < _LINE_EVERY_SECONDS:
            return
        self._last = now
        rate = self._done / (now - self._started)
        if self._total is None:
            self._print(f"{self._name}: {self._done}, {rate:.1f}/s")
        else:
            left = (self._total - self._done) / rate
            self._print(f"{self._name}: {self._done} of {self._total}, {rate:.1f}/s, {left:.0f} s left")

    def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()

    def _speak(self) -> None:
        with self._lock:
            self._quiet = False
            self._print_phase()

    def _print_phase(self) -> None:
        self._print(f"{self._name}{'' if self._total is None else f' {self._total}'} ...")

    @staticmethod
    def _print(line: str) -> None:
        with contextlib.suppress(BrokenPipeError):  # no one listens any more; the work goes on
            print(line, file=sys.stderr, flush=True)


class _Bars:
    """One bar per phase, gone when the work is done."""

    def __init__(self) -> None:
        self._bars: rich.progress.Progress | None = None
        self._task: rich.progress.TaskID | None = None

    def phase(self, name: str, total: int | None = None) -> None:
        if total == 0:
            return
        bars = self._started()
        if self._task is not None:
            bars.remove_task(self._task)
        self._task = bars.add_task(name, total=total)

    def advance(self, steps: int = 1) -> None:
        if self._bars is not None and self._task is not None:
            self._bars.advance(self._task, steps)

    def close(self) -> None:
        if self._bars is not None:
            self._bars.stop()
            self._bars, self._task = None, None

    def _started(self) -> rich.progress.Progress:
        if self._bars is None:
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

            self._bars = Progress(
                TextColumn("{task.description}"),
                BarColumn(),
                MofNCompleteColumn(),
                TimeRemainingColumn(),
                console=Console(stderr=True),
                transient=True,
            )
            self._bars.start()
        return self._bars
