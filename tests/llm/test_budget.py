from __future__ import annotations

import threading
from pathlib import Path

import pytest

from strata_rag.cache import Cache
from strata_rag.errors import LLMError
from strata_rag.llm import (
    Budget,
    BudgetedClient,
    CachedClient,
    Completion,
    Message,
    ScriptedClient,
    Spent,
    TokenPrice,
    Usage,
    map_calls,
)

MESSAGES = [Message("user", "How high is the tower?")]
PRICE = TokenPrice(1.0, 10.0)
REPLY = Completion("forty", usage=Usage(100, 10), cost=PRICE.cost(Usage(100, 10)))


def client(
    budget: Budget, *replies: Completion | LLMError, price: TokenPrice | None = PRICE
) -> BudgetedClient:
    return BudgetedClient(ScriptedClient(replies), budget, price=price, max_tokens=100)


def test_the_price_is_per_million_tokens() -> None:
    assert TokenPrice(3, 15).cost(Usage(1_000_000, 2_000_000)) == 33.0
    assert TokenPrice(3, 15).cost(Usage(1, None)) is None


def test_it_counts_calls_tokens_and_cost() -> None:
    budget = Budget()
    asking = client(budget, REPLY, REPLY)
    asking.complete(MESSAGES)
    asking.complete(MESSAGES)
    assert budget.spent == Spent(2, 0, 200, 20, pytest.approx(0.0004), 0)


def test_the_call_over_the_most_calls_is_not_made() -> None:
    budget = Budget(max_calls=2)
    asking = client(budget, REPLY, REPLY)
    asking.complete(MESSAGES)
    asking.complete(MESSAGES)
    with pytest.raises(LLMError, match="at most 2 calls, found 2 made") as caught:
        asking.complete(MESSAGES)
    assert caught.value.kind == "budget"
    assert caught.value.ends_run
    assert "--max-calls" in caught.value.hint
    assert budget.spent.calls == 2


def test_the_call_that_could_go_over_the_cost_is_not_made() -> None:
    budget = Budget(max_cost=0.0014)
    asking = client(budget, REPLY, REPLY, REPLY)
    asking.complete(MESSAGES)
    asking.complete(MESSAGES)
    with pytest.raises(LLMError, match=r"at most \$0\.0014, found \$0\.0004 spent"):
        asking.complete(MESSAGES)
    assert budget.spent.cost == pytest.approx(0.0004)
    assert budget.spent.cost <= 0.0014


def test_a_call_waits_for_those_in_flight_to_tell_what_they_cost() -> None:
    budget = Budget(max_cost=1.0)
    budget.reserve(0.6)
    started: list[bool] = []

    def second() -> None:
        budget.reserve(0.6)
        started.append(True)

    thread = threading.Thread(target=second)
    thread.start()
    thread.join(0.05)
    assert not started
    budget.settle(0.6, usage=Usage(1, 1), cost=0.1)
    thread.join(5)
    assert started


def test_a_call_that_can_not_fit_is_refused_once_nothing_is_in_flight() -> None:
    budget = Budget(max_cost=1.0)
    budget.reserve(0.6)
    budget.settle(0.6, usage=Usage(1, 1), cost=0.5)
    with pytest.raises(LLMError, match=r"\$0\.5000 spent, and up to \$0\.6000 for the next call"):
        budget.reserve(0.6)


def test_many_at_once_spend_all_that_fits_and_no_more() -> None:
    replies = ScriptedClient(lambda messages, schema: REPLY)
    budget = Budget(max_cost=0.005)
    asking = BudgetedClient(replies, budget, price=PRICE, max_tokens=100)
    calls = map_calls(lambda number: asking.complete(MESSAGES), range(100), concurrency=8)
    assert calls.stopped is not None
    assert calls.stopped.kind == "budget"
    assert budget.spent.cost is not None
    assert 0.005 - 0.0013 < budget.spent.cost <= 0.005


def test_a_refused_call_costs_nothing_and_one_that_timed_out_may_have() -> None:
    budget = Budget()
    refused = LLMError("no", hint="h", kind="rate_limit")
    late = LLMError("late", hint="h", kind="timeout")
    asking = client(budget, refused, late)
    for _ in range(2):
        with pytest.raises(LLMError):
            asking.complete(MESSAGES)
    assert budget.spent == Spent(2, 0, 0, 0, None, 1)


def test_without_a_price_the_cost_is_unknown_and_not_zero() -> None:
    budget = Budget()
    client(budget, Completion("forty", usage=Usage(5, 5)), price=None).complete(MESSAGES)
    assert budget.spent == Spent(1, 0, 5, 5, None, 1)
    with pytest.raises(LLMError, match="price is not known"):
        client(Budget(max_cost=1.0), REPLY, price=None).complete(MESSAGES)


def test_what_comes_from_the_cache_is_free(tmp_path: Path) -> None:
    budget = Budget(max_calls=1)
    cached = CachedClient(client(budget, REPLY), Cache(tmp_path / "c.sqlite"), budget=budget)
    for _ in range(3):
        cached.complete(MESSAGES)
    assert (budget.spent.calls, budget.spent.cached) == (1, 2)
    assert cached.complete(MESSAGES).cost == 0.0
