"""Which failed calls are made again, and when."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from strata_rag.errors import LLMError, LLMErrorKind
from strata_rag.llm.client import LLMClient, Schema
from strata_rag.llm.clock import Clock, SystemClock
from strata_rag.llm.completion import Completion, LLMInfo, Message
from strata_rag.llm.watchdog import Watchdog

# Would another call behave differently? Not for a wrong key, an empty account or a request that is refused.
_WORTH_ANOTHER: frozenset[LLMErrorKind] = frozenset(
    ("rate_limit", "overloaded", "server", "timeout", "connection")
)


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often and how long a call is made again.

    Attributes:
        attempts: Most attempts of one call.
        connecting: Most attempts where no server answers: it may not run at all.
        total: Seconds within which the last wait must end.
        first: Seconds of the first wait; each further one is twice as long.
        longest: Seconds of the longest wait that is not the provider's wish.
    """

    attempts: int = 8
    connecting: int = 4
    total: float = 300.0
    first: float = 0.5
    longest: float = 30.0

    def most(self, kind: LLMErrorKind) -> int:
        """Return the most attempts of a call that fails like that."""
        return min(self.connecting, self.attempts) if kind == "connection" else self.attempts

    def wait(self, attempt: int, retry_after: float | None, jitter: float) -> float:
        """Return the seconds to wait after failed attempt number `attempt`.

        Args:
            attempt: From 1.
            retry_after: What the provider asks for; never undercut.
            jitter: From 0 to 1; spreads the waits of calls that failed together.
        """
        backoff = min(self.longest, self.first * 2 ** (attempt - 1)) * (0.5 + jitter / 2)
        return backoff if retry_after is None else retry_after + jitter * min(1.0, self.first)


class RetryingClient:
    """Makes a call again where another one may behave differently.

    A reply that has begun to be shown is not asked for again: its beginning would be shown twice.

    Args:
        client: Makes one attempt.
        policy: How often and how long.
        rng: Gives the jitter.
        clock: The time.
        watchdog: Told of waits; none goes past its deadline.
    """

    def __init__(
        self,
        client: LLMClient,
        *,
        policy: RetryPolicy,
        rng: np.random.Generator,
        clock: Clock | None = None,
        watchdog: Watchdog | None = None,
    ) -> None:
        self._client = client
        self._policy = policy
        self._rng = rng
        self._clock = clock or SystemClock()
        self._watchdog = watchdog or Watchdog(clock=self._clock)

    def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: Schema | None = None,
        repetition: int = 0,
        on_text: Callable[[str], None] | None = None,
    ) -> Completion:
        shown = _Shown(on_text)
        began = self._clock.now()
        attempt = 1
        while True:
            try:
                return self._client.complete(
                    messages, schema=schema, repetition=repetition, on_text=shown.callback
                )
            except LLMError as error:
                wait = self._policy.wait(attempt, error.retry_after, float(self._rng.random()))
                left = min(began + self._policy.total - self._clock.now(), self._watchdog.left())
                if error.kind not in _WORTH_ANOTHER or shown.any:
                    raise
                if attempt >= self._policy.most(error.kind) or wait > left:
                    raise _given_up(error, attempt, self._clock.now() - began) from error
                kind = error.kind
            attempt += 1
            self._wait(wait, attempt, kind)

    def describe(self) -> LLMInfo:
        return self._client.describe()

    def _wait(self, seconds: float, attempt: int, kind: LLMErrorKind) -> None:
        info, found = self._client.describe(), kind.replace("_", " ")
        label = f"attempt {attempt} at {info.provider} {info.model}, due {seconds:.0f} s after: {found}"
        with self._watchdog.flight(label):
            self._clock.sleep(seconds)


class _Shown:
    """Passes text on and remembers whether there was any."""

    def __init__(self, on_text: Callable[[str], None] | None) -> None:
        self._on_text = on_text
        self.any = False

    @property
    def callback(self) -> Callable[[str], None] | None:
        return None if self._on_text is None else self._pass_on

    def _pass_on(self, text: str) -> None:
        self.any = True
        if self._on_text is not None:
            self._on_text(text)


def _given_up(error: LLMError, attempts: int, seconds: float) -> LLMError:
    tried = "1 attempt" if attempts == 1 else f"{attempts} attempts"
    asked = f"; it asks to wait {error.retry_after:.0f} s more" if error.retry_after else ""
    return LLMError(
        f"{error.message} (given up after {tried} in {seconds:.0f} s{asked})",
        hint=error.hint,
        kind=error.kind,
        retry_after=error.retry_after,
    )
