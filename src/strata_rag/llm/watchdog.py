"""Watches calls in flight: names the oldest when it takes long, and holds a run to its deadline."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

from strata_rag.errors import LLMError
from strata_rag.llm.client import LLMClient, Schema
from strata_rag.llm.clock import Clock, SystemClock
from strata_rag.llm.completion import Completion, LLMInfo, Message

_LOOKS_EVERY = 1.0
_item: ContextVar[str] = ContextVar("item", default="")


class Watchdog:
    """Says which call is waited for.

    Args:
        announce: Given one line at a time.
        after: Seconds that the oldest call may take unmentioned.
        every: Seconds between two lines.
        deadline: Seconds that all calls of the run may take, from the first one on; None: any.
        clock: The time.
    """

    def __init__(
        self,
        announce: Callable[[str], None] = lambda _: None,
        *,
        after: float = 15.0,
        every: float = 15.0,
        deadline: float | None = None,
        clock: Clock | None = None,
    ) -> None:
        self._announce = announce
        self._after = after
        self._every = every
        self._deadline = deadline
        self._clock = clock or SystemClock()
        self._lock = threading.Lock()
        self._numbers = itertools.count()
        self._flights: dict[int, tuple[float, str]] = {}
        self._began: float | None = None
        self._said = float("-inf")
        self._thread: threading.Thread | None = None

    def limit(self, seconds: float | None) -> None:
        """Bring the run's deadline forward to `seconds`; None leaves it."""
        if seconds is not None:
            self._deadline = seconds if self._deadline is None else min(self._deadline, seconds)

    @contextmanager
    def flight(self, label: str) -> Iterator[None]:
        """Count the body as a call in flight.

        Raises:
            LLMError: The run's deadline has passed; the call must not be made.
        """
        self.require_time()
        item = _item.get()
        number = next(self._numbers)
        with self._lock:
            self._flights[number] = (self._clock.now(), f"{label} ({item})" if item else label)
            self._look_on()
        try:
            yield
        finally:
            with self._lock:
                del self._flights[number]

    def oldest(self) -> tuple[str, float, int] | None:
        """Return label and age in seconds of the oldest call in flight and the number of others, or None."""
        with self._lock:
            if not self._flights:
                return None
            began, label = min(self._flights.values())
            return label, self._clock.now() - began, len(self._flights) - 1

    def look(self) -> None:
        """Announce the oldest call if it is due."""
        found, now = self.oldest(), self._clock.now()
        if found is None or found[1] < self._after or now - self._said < self._every:
            return
        label, age, others = found
        self._said = now
        more = f"; {others} more in flight" if others else ""
        self._announce(f"waiting {age:.0f} s for {label}{more}")

    def left(self) -> float:
        """Return the seconds until the run's deadline; infinite where it has none."""
        if self._deadline is None:
            return float("inf")
        if self._began is None:
            self._began = self._clock.now()
        return self._began + self._deadline - self._clock.now()

    def require_time(self) -> None:
        """Raise `LLMError` once the run's deadline has passed."""
        if self.left() <= 0:
            raise self.too_late()

    def too_late(self) -> LLMError:
        """Return the error of a run past its deadline, with the oldest call in flight."""
        found = self.oldest()
        waiting = f", waiting {found[1]:.0f} s for {found[0]}" if found else ""
        return LLMError(
            f"deadline: expected the calls to end within {self._deadline:g} s, found them unfinished{waiting}",
            hint="what was answered is kept: run again to continue, or allow more time",
            kind="deadline",
        )

    def _look_on(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="watchdog", daemon=True)
            self._thread.start()

    def _run(self) -> None:
        idle = threading.Event()
        while True:
            idle.wait(_LOOKS_EVERY)
            with self._lock:
                if not self._flights:
                    self._thread = None
                    return
            self.look()


@contextmanager
def named(item: str) -> Iterator[None]:
    """Let calls of the body be announced with `item`, such as a question's id."""
    token = _item.set(item)
    try:
        yield
    finally:
        _item.reset(token)


class WatchedClient:
    """Tells a watchdog of its calls; none begins past the run's deadline."""

    def __init__(self, client: LLMClient, watchdog: Watchdog) -> None:
        self._client = client
        self._watchdog = watchdog

    def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: Schema | None = None,
        repetition: int = 0,
        on_text: Callable[[str], None] | None = None,
    ) -> Completion:
        info = self._client.describe()
        with self._watchdog.flight(f"{info.provider} {info.model}"):
            return self._client.complete(messages, schema=schema, repetition=repetition, on_text=on_text)

    def describe(self) -> LLMInfo:
        return self._client.describe()
