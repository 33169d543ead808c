"""The time that waits and deadlines go by, as a parameter."""

from __future__ import annotations

import time
from threading import Event
from typing import Protocol


class Clock(Protocol):
    def now(self) -> float:
        """Return seconds since some fixed moment."""

    def today(self) -> float:
        """Return seconds since 1970, to read dates against."""

    def sleep(self, seconds: float) -> None:
        """Wait."""


class SystemClock:
    """The machine's clock."""

    def now(self) -> float:
        return time.monotonic()

    def today(self) -> float:
        return time.time()

    def sleep(self, seconds: float) -> None:
        Event().wait(seconds)


class SteppedClock:
    """A fake whose time passes only by sleeping.

    Attributes:
        slept: What was slept, in order.
    """

    def __init__(self, today: float = 0.0) -> None:
        self.slept: list[float] = []
        self._start = today
        self._now = 0.0

    def now(self) -> float:
        return self._now

    def today(self) -> float:
        return self._start + self._now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self._now += seconds
