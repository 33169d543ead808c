"""How many calls at once a provider takes, found out as they go."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from threading import Condition, Lock

from strata_rag.errors import LLMError
from strata_rag.llm.client import LLMClient, Schema
from strata_rag.llm.clock import Clock, SystemClock
from strata_rag.llm.completion import Completion, LLMInfo, Message

_START = 4
_TOO_MUCH = ("rate_limit", "overloaded")


class AdaptiveLimiter:
    """Lets few calls through at first, more with each success, half as many when told it is too much.

    Until the first refusal every success lets one more call through; after it, a whole round of successes does. Calls
    in flight together halve it once. While the provider asks to wait, no call starts.

    Args:
        most: Calls at once it never exceeds.
        clock: The time.
    """

    def __init__(self, most: int, *, clock: Clock | None = None) -> None:
        self._most = most
        self._clock = clock or SystemClock()
        self._limit = float(min(_START, most))
        self._refused = False
        self._in_flight = 0
        self._halvings = 0
        self._resumes = float("-inf")
        self._changed = Condition()

    @property
    def limit(self) -> int:
        """Calls at once that are let through now."""
        return int(self._limit)

    @contextmanager
    def slot(self) -> Iterator[None]:
        """Wait for a place, and learn from how the body ends."""
        with self._changed:
            self._changed.wait_for(lambda: self._in_flight < self.limit)
            self._in_flight += 1
            halvings = self._halvings
        try:
            self._wait_for_resumption()
            yield
        except LLMError as error:
            with self._changed:
                if error.kind in _TOO_MUCH:
                    self._slow_down(error, halvings)
            raise
        else:
            with self._changed:
                self._speed_up()
        finally:
            with self._changed:
                self._in_flight -= 1
                self._changed.notify_all()

    def _wait_for_resumption(self) -> None:
        while (wait := self._resumes - self._clock.now()) > 0:
            self._clock.sleep(wait)

    def _slow_down(self, error: LLMError, halvings: int) -> None:
        self._refused = True
        if halvings == self._halvings:
            self._halvings += 1
            self._limit = max(1.0, self._limit / 2)
        if error.retry_after is not None:
            self._resumes = max(self._resumes, self._clock.now() + error.retry_after)

    def _speed_up(self) -> None:
        if 2 * self._in_flight > self.limit:  # else nobody needs more
            more = 1 / self._limit if self._refused else 1.0
            self._limit = min(float(self._most), self._limit + more)


class Limiters:
    """One limiter per provider, server and model."""

    def __init__(self, clock: Clock | None = None) -> None:
        self._clock = clock
        self._lock = Lock()
        self._limiters: dict[tuple[str, str, str], AdaptiveLimiter] = {}

    def of(self, info: LLMInfo, most: int) -> AdaptiveLimiter:
        """Return the limiter of what `info` describes; the first one asked for decides how much is the most."""
        key = (info.provider, info.base_url, info.model)
        with self._lock:
            if key not in self._limiters:
                self._limiters[key] = AdaptiveLimiter(most, clock=self._clock)
            return self._limiters[key]


class LimitedClient:
    """Makes each call in a limiter's slot."""

    def __init__(self, client: LLMClient, limiter: AdaptiveLimiter) -> None:
        self._client = client
        self._limiter = limiter

    def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: Schema | None = None,
        repetition: int = 0,
        on_text: Callable[[str], None] | None = None,
    ) -> Completion:
        with self._limiter.slot():
            return self._client.complete(messages, schema=schema, repetition=repetition, on_text=on_text)

    def describe(self) -> LLMInfo:
        return self._client.describe()
