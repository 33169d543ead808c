from __future__ import annotations

import pytest

from strata_rag.errors import LLMError
from strata_rag.llm import Message, ScriptedClient, SteppedClock, Watchdog, WatchedClient
from strata_rag.llm.watchdog import named


def test_it_names_the_oldest_call_in_flight_when_it_takes_long() -> None:
    clock, said = SteppedClock(), []
    watchdog = Watchdog(said.append, after=10, every=20, clock=clock)
    with named("q7"), watchdog.flight("openai m"):
        clock.sleep(9)
        watchdog.look()
        assert said == []
        with watchdog.flight("openai n"):
            clock.sleep(3)
            watchdog.look()
            watchdog.look()
        assert said == ["waiting 12 s for openai m (q7); 1 more in flight"]
        clock.sleep(20)
        watchdog.look()
        assert said[1:] == ["waiting 32 s for openai m (q7)"]
    watchdog.look()
    assert watchdog.oldest() is None
    assert len(said) == 2


def test_the_deadline_of_a_run_counts_from_its_first_call() -> None:
    clock = SteppedClock()
    watchdog = Watchdog(deadline=5, clock=clock)
    client = WatchedClient(ScriptedClient(["a", "b"]), watchdog)
    clock.sleep(100)
    client.complete([Message("user", "?")])
    clock.sleep(6)
    with pytest.raises(LLMError, match="within 5 s") as caught:
        client.complete([Message("user", "?")])
    assert caught.value.kind == "deadline"
    assert caught.value.ends_run
    with pytest.raises(LLMError, match="deadline"):
        watchdog.require_time()


def test_the_nearest_deadline_holds() -> None:
    clock = SteppedClock()
    watchdog = Watchdog(clock=clock)
    assert watchdog.left() == float("inf")
    for seconds in (None, 9, 5, 7):
        watchdog.limit(seconds)
    assert watchdog.left() == 5
