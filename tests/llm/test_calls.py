"""Many calls at once: order, what ends a run, and case 58 at the level of a run."""

from __future__ import annotations

import signal
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from strata_rag.cache import Cache
from strata_rag.errors import LLMError, LLMErrorKind, WriteFailed
from strata_rag.llm import (
    Budget,
    BudgetedClient,
    CachedClient,
    Calls,
    Completion,
    Message,
    ModelSettings,
    OpenAIClient,
    Outcome,
    RetryingClient,
    RetryPolicy,
    SteppedClock,
    Watchdog,
    map_calls,
)

from . import wire
from .wire import Answer, Received

Start = Callable[..., subprocess.Popen[str]]

QUESTIONS = [f"Question {number}?" for number in range(1, 11)]


def failing(kind: LLMErrorKind, at: int) -> Callable[[int], int]:
    def function(item: int) -> int:
        if item == at:
            raise LLMError(f"failed: {kind}", hint="h", kind=kind)
        return item * 10

    return function


def test_results_stand_in_the_order_of_the_items_whatever_the_order_of_their_end() -> None:
    last_is_done = threading.Event()

    def function(item: int) -> int:
        if item == 3:
            last_is_done.set()
        elif item == 0:
            last_is_done.wait(5)
        return item * 10

    seen: list[int] = []
    calls = map_calls(function, range(4), concurrency=4, on_result=lambda outcome: seen.append(outcome.index))
    assert [outcome.result for outcome in calls.outcomes] == [0, 10, 20, 30]
    assert [outcome.item for outcome in calls.outcomes] == [0, 1, 2, 3]
    assert calls.stopped is None
    assert sorted(seen) == [0, 1, 2, 3]
    assert seen[-1] == 0


def test_no_items_make_no_calls() -> None:
    assert map_calls(lambda item: item, [], concurrency=4) == Calls(())


def test_an_error_is_the_outcome_of_its_item_alone() -> None:
    calls = map_calls(failing("server", at=2), range(5), concurrency=1)
    assert [outcome.result for outcome in calls.outcomes] == [0, 10, None, 30, 40]
    assert calls.outcomes[2].error is not None
    assert calls.stopped is None


@pytest.mark.parametrize("kind", ["auth", "quota", "not_found", "budget", "deadline"])
def test_an_error_that_every_later_call_would_meet_ends_the_run(kind: LLMErrorKind) -> None:
    calls = map_calls(failing(kind, at=2), range(5), concurrency=1)
    assert [outcome.result for outcome in calls.outcomes] == [0, 10, None, None, None]
    assert calls.stopped is calls.outcomes[2].error
    assert calls.outcomes[3] == Outcome(3, 3)


def test_any_other_exception_is_raised_where_it_can_be_seen() -> None:
    def function(item: int) -> int:
        raise WriteFailed("disk full", hint="h")

    with pytest.raises(WriteFailed):
        map_calls(function, range(5), concurrency=2)


def test_what_goes_wrong_with_a_result_is_raised_as_well() -> None:
    def refuse(outcome: Outcome[int, int]) -> None:
        raise WriteFailed("disk full", hint="h")

    with pytest.raises(WriteFailed):
        map_calls(lambda item: item, range(100), concurrency=4, on_result=refuse)


def test_the_deadline_ends_a_run_though_a_call_is_in_flight() -> None:
    watchdog, ever = Watchdog(deadline=0.1), threading.Event()
    try:
        calls = map_calls(
            lambda item: ever.wait(20) if item else True, range(2), concurrency=1, watchdog=watchdog
        )
        assert calls.stopped is not None
        assert calls.stopped.kind == "deadline"
        assert [outcome.result for outcome in calls.outcomes] == [True, None]
    finally:
        ever.set()


CHILD = """
import sys, threading
from strata_rag.llm import map_calls
def call(item):
    print("calling", flush=True)
    threading.Event().wait(60)
try:
    map_calls(call, range(8), concurrency=4)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


def test_ctrl_c_ends_it_though_calls_are_in_flight(start: Start) -> None:
    child = start(CHILD)
    assert child.stdout is not None
    assert child.stdout.readline() == "calling\n"
    begin = time.monotonic()
    child.send_signal(signal.SIGINT)
    out, _ = child.communicate(timeout=10)
    assert "interrupted" in out
    assert time.monotonic() - begin < 2


class Run:
    """Ten questions to a server that misbehaves at the sixth, through all layers; time is not slept."""

    def __init__(self, server: wire.Wire, cache: Cache) -> None:
        self.clock = SteppedClock()
        self.budget = Budget()
        settings = ModelSettings("m", f"{server.url}/v1", is_local=True, timeout=10)
        retrying = RetryingClient(
            OpenAIClient(settings), policy=RetryPolicy(), rng=np.random.default_rng(0), clock=self.clock
        )
        paying = BudgetedClient(retrying, self.budget, price=None, max_tokens=100)
        self.client = CachedClient(paying, cache, budget=self.budget)

    def ask(self) -> Calls[str, Completion]:
        return map_calls(
            lambda question: self.client.complete([Message("user", question)]), QUESTIONS, concurrency=1
        )


def sixth(*answers: Answer) -> Callable[[Received], Answer]:
    """Answer the sixth question with `answers`, one after another, and all others well."""
    left = list(answers)

    def decide(request: Received) -> Answer:
        question = request.body["messages"][-1]["content"]
        return left.pop(0) if question == QUESTIONS[5] and left else wire.openai_reply(f"To {question}: yes.")

    return decide


def asked(server: wire.Wire) -> list[str]:
    return [request.body["messages"][-1]["content"] for request in server.received]


@pytest.mark.parametrize(
    ("answers", "calls_of_sixth", "kind", "stops"),
    [
        ([wire.openai_error(429, headers={"Retry-After": "2"})], 2, None, False),
        ([wire.openai_error(429, code="insufficient_quota", kind="insufficient_quota")], 1, "quota", True),
        ([wire.openai_error(400)], 1, "bad_request", False),
        ([wire.openai_error(503)] * 3, 4, None, False),
        ([wire.openai_error(401)], 1, "auth", True),
    ],
    ids=["429 with Retry-After", "empty account", "400", "503 three times", "401"],
)
def test_a_failure_at_the_sixth_of_ten_questions_loses_no_other(
    tmp_path: Path, answers: list[Answer], calls_of_sixth: int, kind: str | None, stops: bool
) -> None:
    cache = Cache(tmp_path / "cache.sqlite")
    with wire.serving() as server:
        server.decide = sixth(*answers)
        run = Run(server, cache)
        calls = run.ask()
        assert asked(server).count(QUESTIONS[5]) == calls_of_sixth
        assert all(outcome.result is not None for outcome in calls.outcomes[:5])
        error = calls.outcomes[5].error
        assert (error.kind if error else None) == kind
        assert (calls.stopped is not None) is stops
        assert asked(server)[5 + calls_of_sixth :] == ([] if stops else QUESTIONS[6:])
        if "429" in str(answers[0].status) and kind is None:
            assert sum(run.clock.slept) >= 2.0

        cache.close()
        server.received.clear()
        server.decide = sixth()
        again = Run(server, Cache(tmp_path / "cache.sqlite"))
        resumed = again.ask()
        assert all(outcome.result for outcome in resumed.outcomes)
        missing = QUESTIONS[5:] if stops else QUESTIONS[5:6] if kind else []
        assert asked(server) == missing
        assert (again.budget.spent.calls, again.budget.spent.cached) == (len(missing), 10 - len(missing))


ASKING = """
import sys
from pathlib import Path
from strata_rag.cache import Cache
from strata_rag.config import LanguageModel
from strata_rag.experiment import Workspace
from strata_rag.experiment.llm import build_llm
from strata_rag.llm import Message, map_calls
workspace = Workspace(Path(sys.argv[2]))
section = LanguageModel(provider="openai", model="m", base_url=sys.argv[1], concurrency=4)
client = build_llm(section, workspace, Cache(workspace.cache))
calls = map_calls(
    lambda number: client.complete([Message("user", f"Question {number}?")]), range(40), concurrency=4,
    on_result=lambda outcome: print(outcome.index, flush=True),
)
assert all(outcome.result.status == "complete" for outcome in calls.outcomes)
"""


def test_a_run_killed_half_way_and_resumed_asks_nothing_twice(tmp_path: Path, start: Start) -> None:
    with wire.serving() as server:
        server.answers = [wire.openai_reply()]
        first = start(ASKING, f"{server.url}/v1", tmp_path)
        assert first.stdout is not None
        shown = [first.stdout.readline() for _ in range(15)]
        first.kill()
        first.wait()
        answered = {f"Question {int(line)}?" for line in shown}
        server.received.clear()
        second = start(ASKING, f"{server.url}/v1", tmp_path)
        out, err = second.communicate(timeout=60)
        assert second.returncode == 0, err
        assert len(out.splitlines()) == 40
        again = asked(server)
        assert not answered & set(again)
        assert len(set(again)) <= 25  # a call in flight at the kill may reach the server after it
