"""Many calls at once, their results in the order of what was asked."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from strata_rag.errors import LLMError
from strata_rag.llm.watchdog import Watchdog, named

T = TypeVar("T")
R = TypeVar("R")
_TICK_SECONDS = 0.25


@dataclass(frozen=True, slots=True)
class Outcome(Generic[T, R]):
    """What became of one item; neither result nor error: it was not called, or not to its end.

    Attributes:
        index: Its place among the items.
        item: The item.
        result: What the function returned.
        error: Why it returned nothing.
    """

    index: int
    item: T
    result: R | None = None
    error: LLMError | None = None


@dataclass(frozen=True, slots=True)
class Calls(Generic[T, R]):
    """What became of all items.

    Attributes:
        outcomes: One per item, in their order.
        stopped: The error that ended the run before its end, or None.
    """

    outcomes: tuple[Outcome[T, R], ...]
    stopped: LLMError | None = None


def map_calls(
    function: Callable[[T], R],
    items: Sequence[T],
    *,
    concurrency: int,
    on_result: Callable[[Outcome[T, R]], None] = lambda _: None,
    watchdog: Watchdog | None = None,
    name: Callable[[T], str] = lambda _: "",
) -> Calls[T, R]:
    """Call `function` for every item in `concurrency` threads.

    An `LLMError` is its item's outcome; one that ends the run leaves later items uncalled, while calls in flight are
    waited for. Any other exception, Ctrl-C too, is raised at once: threads still waiting for a server end with the
    process.

    Args:
        function: Called in worker threads.
        items: What it is called with.
        concurrency: Most calls at once.
        on_result: Given each outcome as it is there, in the caller's thread.
        watchdog: Its deadline ends the run, calls in flight included.
        name: What the watchdog calls an item.
    """
    run = _Run(function, items, name)
    run.start(min(concurrency, len(items)))
    outcomes: list[Outcome[T, R]] = [Outcome(index, item) for index, item in enumerate(items)]
    stopped: LLMError | None = None
    try:
        while run.working:
            outcome = run.next_outcome()
            if outcome is not None:
                outcomes[outcome.index] = outcome
                on_result(outcome)
                if outcome.error is not None and outcome.error.ends_run:
                    stopped = stopped or outcome.error
            if watchdog is not None and watchdog.left() <= 0 and run.working:
                stopped = stopped or watchdog.too_late()
                break
    finally:
        run.stop()
    return Calls(tuple(outcomes), stopped)


class _Run(Generic[T, R]):
    """The worker threads and what they share."""

    def __init__(self, function: Callable[[T], R], items: Sequence[T], name: Callable[[T], str]) -> None:
        self._function = function
        self._name = name
        self._todo = iter(enumerate(items))
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._done: queue.SimpleQueue[Outcome[T, R] | BaseException | None] = queue.SimpleQueue()
        self.working = 0

    def start(self, threads: int) -> None:
        self.working = threads
        for number in range(threads):
            threading.Thread(target=self._work, name=f"call-{number}", daemon=True).start()

    def stop(self) -> None:
        self._stopped.set()

    def next_outcome(self) -> Outcome[T, R] | None:
        """Return the next outcome, or None after a moment without one."""
        try:
            found = self._done.get(timeout=_TICK_SECONDS)
        except queue.Empty:
            return None
        if isinstance(found, BaseException):
            raise found
        if found is None:
            self.working -= 1
        return found

    def _work(self) -> None:
        try:
            while (task := self._next_task()) is not None:
                self._done.put(self._call(*task))
        except BaseException as error:  # raised again in the caller's thread
            self._stopped.set()
            self._done.put(error)
        else:
            self._done.put(None)

    def _next_task(self) -> tuple[int, T] | None:
        with self._lock:
            return None if self._stopped.is_set() else next(self._todo, None)

    def _call(self, index: int, item: T) -> Outcome[T, R]:
        try:
            with named(self._name(item)):
                return Outcome(index, item, result=self._function(item))
        except LLMError as error:
            if error.ends_run:
                self._stopped.set()
            return Outcome(index, item, error=error)
