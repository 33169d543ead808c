from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import ExitStack

import pytest

from strata_rag.errors import LLMError, LLMErrorKind
from strata_rag.llm import (
    AdaptiveLimiter,
    LimitedClient,
    Limiters,
    LLMInfo,
    Message,
    SteppedClock,
)


def succeed(limiter: AdaptiveLimiter, times: int) -> None:
    """Let as many calls as allowed fly together, `times` times."""
    for _ in range(times):
        with ExitStack() as slots:
            for _ in range(limiter.limit):
                slots.enter_context(limiter.slot())


def fail(
    limiter: AdaptiveLimiter, kind: LLMErrorKind, *, together: int = 1, retry_after: float | None = None
) -> None:
    slots = [limiter.slot() for _ in range(together)]
    for slot in slots:
        slot.__enter__()
    for slot in slots:
        error = LLMError("no", hint="h", kind=kind, retry_after=retry_after)
        assert not slot.__exit__(LLMError, error, None)


def test_it_starts_low_and_grows_to_its_most() -> None:
    limiter = AdaptiveLimiter(16)
    assert limiter.limit == 4
    succeed(limiter, 20)
    assert limiter.limit == 16
    assert AdaptiveLimiter(2).limit == 2


def test_calls_refused_together_halve_it_once() -> None:
    limiter = AdaptiveLimiter(16)
    succeed(limiter, 20)
    fail(limiter, "rate_limit", together=8)
    assert limiter.limit == 8
    fail(limiter, "overloaded")
    assert limiter.limit == 4
    for _ in range(5):
        fail(limiter, "rate_limit")
    assert limiter.limit == 1


def test_after_a_refusal_it_grows_by_one_a_round() -> None:
    limiter = AdaptiveLimiter(16)
    succeed(limiter, 20)
    fail(limiter, "rate_limit")
    succeed(limiter, 1)
    assert limiter.limit <= 9
    succeed(limiter, 40)
    assert limiter.limit == 16


@pytest.mark.parametrize("kind", ["server", "timeout", "bad_request", "auth"])
def test_other_failures_do_not_slow_it_down(kind: LLMErrorKind) -> None:
    limiter = AdaptiveLimiter(16)
    fail(limiter, kind)
    assert limiter.limit == 4


def test_calls_that_do_not_fill_it_do_not_grow_it() -> None:
    limiter = AdaptiveLimiter(16)
    for _ in range(50):
        with limiter.slot():
            pass
    assert limiter.limit == 4


def test_no_call_starts_while_the_provider_asks_to_wait() -> None:
    clock = SteppedClock()
    limiter = AdaptiveLimiter(16, clock=clock)
    fail(limiter, "rate_limit", retry_after=3.0)
    with limiter.slot():
        assert clock.now() >= 3.0


def test_never_more_fly_than_the_limit() -> None:
    limiter, most, flying, lock = AdaptiveLimiter(3), 0, 0, threading.Lock()
    gate = threading.Barrier(3)

    def reply(*_: object) -> str:
        nonlocal most, flying
        with lock:
            flying += 1
            most = max(most, flying)
        gate.wait(5)
        with lock:
            flying -= 1
        return "yes"

    client = LimitedClient(Replying(reply), limiter)  # type: ignore[arg-type]
    threads = [threading.Thread(target=client.complete, args=([Message("user", "?")],)) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert most == 3


class Replying:
    """A client that runs a function in the caller's thread, without a lock."""

    def __init__(self, function: Callable[..., str]) -> None:
        self._function = function

    def complete(self, messages: object, **_: object) -> str:
        return self._function(messages)


def test_one_model_has_one_limiter() -> None:
    limiters = Limiters()
    first = limiters.of(LLMInfo("openai", "m", "u"), 8)
    assert limiters.of(LLMInfo("openai", "m", "u"), 4) is first
    assert limiters.of(LLMInfo("openai", "m", "v"), 8) is not first
    assert limiters.of(LLMInfo("openai", "n", "u"), 8) is not first
