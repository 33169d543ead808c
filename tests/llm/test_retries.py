"""Would another call behave differently? Case 58: which failures are tried again, when, and how often."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strata_rag.errors import LLMError, LLMErrorKind
from strata_rag.llm import Message, Reply, RetryingClient, RetryPolicy, ScriptedClient, SteppedClock, Watchdog

MESSAGES = [Message("user", "How high?")]


def error(kind: LLMErrorKind, retry_after: float | None = None) -> LLMError:
    return LLMError(f"failed: {kind}", hint="h", kind=kind, retry_after=retry_after)


def retrying(
    replies: Sequence[Reply], *, policy: RetryPolicy | None = None, watchdog: Watchdog | None = None
) -> tuple[RetryingClient, ScriptedClient, SteppedClock]:
    clock, scripted = SteppedClock(), ScriptedClient(replies)
    client = RetryingClient(
        scripted,
        policy=policy or RetryPolicy(),
        rng=np.random.default_rng(0),
        clock=clock,
        watchdog=watchdog or Watchdog(clock=clock),
    )
    return client, scripted, clock


def test_the_next_call_waits_as_long_as_the_provider_asks() -> None:
    client, scripted, clock = retrying([error("rate_limit", 2.0), "forty"])
    assert client.complete(MESSAGES).text == "forty"
    assert len(scripted.calls) == 2
    assert 2.0 <= sum(clock.slept) < 3.0


def test_an_overloaded_server_is_asked_again_until_it_answers() -> None:
    client, scripted, clock = retrying([error("overloaded")] * 3 + ["forty"])
    assert client.complete(MESSAGES).text == "forty"
    assert len(scripted.calls) == 4
    assert clock.slept == sorted(clock.slept)


@pytest.mark.parametrize("kind", ["quota", "bad_request", "auth", "not_found", "budget", "deadline"])
def test_what_cannot_succeed_is_asked_once(kind: LLMErrorKind) -> None:
    client, scripted, clock = retrying([error(kind), "never"])
    with pytest.raises(LLMError, match=f"^failed: {kind}$"):
        client.complete(MESSAGES)
    assert len(scripted.calls) == 1
    assert clock.slept == []


@pytest.mark.parametrize(
    ("kind", "attempts"), [("server", 8), ("rate_limit", 8), ("timeout", 8), ("connection", 4)]
)
def test_attempts_are_bounded_and_the_error_counts_them(kind: LLMErrorKind, attempts: int) -> None:
    client, scripted, _ = retrying([error(kind)] * 20)
    with pytest.raises(LLMError, match=rf"given up after {attempts} attempts in \d+ s") as caught:
        client.complete(MESSAGES)
    assert len(scripted.calls) == attempts
    assert caught.value.kind == kind


def test_a_limit_per_minute_is_waited_out_even_unannounced() -> None:
    client, _, clock = retrying([error("rate_limit")] * 7 + ["forty"])
    assert client.complete(MESSAGES).text == "forty"
    assert clock.now() > 30


def test_a_wait_that_would_not_end_in_time_is_not_begun() -> None:
    client, scripted, clock = retrying([error("rate_limit", 3600.0), "never"])
    with pytest.raises(LLMError, match=r"1 attempt .* asks to wait 3600 s more"):
        client.complete(MESSAGES)
    assert len(scripted.calls) == 1
    assert clock.slept == []


def test_no_wait_goes_past_the_deadline_of_the_run() -> None:
    clock = SteppedClock()
    watchdog = Watchdog(deadline=1.0, clock=clock)
    client, scripted, _ = retrying([error("rate_limit", 2.0), "never"], watchdog=watchdog)
    with pytest.raises(LLMError, match="given up"):
        client.complete(MESSAGES)
    assert len(scripted.calls) == 1


def test_a_reply_that_has_begun_to_be_shown_is_not_asked_for_again() -> None:
    class Breaking(ScriptedClient):
        def complete(self, messages, **options):  # type: ignore[no-untyped-def]
            options["on_text"]("Forty ")
            raise error("connection")

    clock = SteppedClock()
    client = RetryingClient(Breaking([]), policy=RetryPolicy(), rng=np.random.default_rng(0), clock=clock)
    shown: list[str] = []
    with pytest.raises(LLMError):
        client.complete(MESSAGES, on_text=shown.append)
    assert shown == ["Forty "]


@given(
    attempt=st.integers(1, 50),
    asked=st.none() | st.floats(0, 1000),
    jitter=st.floats(0, 1),
)
def test_a_wait_never_undercuts_what_was_asked_and_is_bounded(
    attempt: int, asked: float | None, jitter: float
) -> None:
    policy = RetryPolicy()
    wait = policy.wait(attempt, asked, jitter)
    assert wait >= (asked or 0)
    assert wait <= (policy.longest if asked is None else asked + 1)


def test_a_wait_says_what_it_waits_for() -> None:
    said: list[str] = []

    class Looking(SteppedClock):
        def sleep(self, seconds: float) -> None:
            super().sleep(seconds)
            watchdog.look()

    clock = Looking()
    watchdog = Watchdog(said.append, after=15, clock=clock)
    replies = ScriptedClient([error("rate_limit", 60.0), "forty"])
    client = RetryingClient(
        replies, policy=RetryPolicy(), rng=np.random.default_rng(0), clock=clock, watchdog=watchdog
    )
    client.complete(MESSAGES)
    assert said == ["waiting 60 s for attempt 2 at scripted scripted, due 60 s after: rate limit"]
