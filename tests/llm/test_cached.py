from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from strata_rag.cache import Cache
from strata_rag.llm import (
    CachedClient,
    Completion,
    Estimate,
    LLMInfo,
    Message,
    Request,
    ScriptedClient,
    TokenPrice,
    Usage,
    estimate,
    request_key,
)
from strata_rag.llm import cached as cached_module

MESSAGES = (Message("system", "Be brief."), Message("user", "How high?"))
INFO = LLMInfo("openai", "m", "http://x/v1", {"temperature": 0.0, "max_tokens": 10})
REQUEST = Request(MESSAGES, {"type": "object"}, 0)


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[Cache]:
    cache = Cache(tmp_path / "cache.sqlite")
    yield cache
    cache.close()


@pytest.mark.parametrize(
    ("info", "request_"),
    [
        (replace(INFO, provider="ollama"), REQUEST),
        (replace(INFO, model="n"), REQUEST),
        (replace(INFO, base_url="http://y/v1"), REQUEST),
        (replace(INFO, parameters={"temperature": 0.1, "max_tokens": 10}), REQUEST),
        (replace(INFO, parameters={"temperature": 0.0, "max_tokens": 11}), REQUEST),
        (replace(INFO, parameters={"temperature": 0.0}), REQUEST),
        (INFO, replace(REQUEST, messages=(Message("user", "Be brief."), MESSAGES[1]))),
        (INFO, replace(REQUEST, messages=(MESSAGES[0], Message("user", "How high")))),
        (INFO, replace(REQUEST, messages=MESSAGES[::-1])),
        (INFO, replace(REQUEST, messages=MESSAGES[1:])),
        (INFO, replace(REQUEST, schema={"type": "array"})),
        (INFO, replace(REQUEST, schema=None)),
        (INFO, replace(REQUEST, repetition=1)),
    ],
)
def test_each_field_alone_makes_another_request(info: LLMInfo, request_: Request) -> None:
    assert request_key(INFO, REQUEST) == request_key(replace(INFO), replace(REQUEST))
    assert request_key(info, request_) != request_key(INFO, REQUEST)


def test_another_version_of_the_client_asks_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    before = request_key(INFO, REQUEST)
    monkeypatch.setattr(cached_module, "CLIENT_VERSION", cached_module.CLIENT_VERSION + 1)
    assert request_key(INFO, REQUEST) != before


def test_what_a_provider_refuses_does_not_change_the_request() -> None:
    assert request_key(replace(INFO, notes=("no temperature",)), REQUEST) == request_key(INFO, REQUEST)


def test_a_complete_reply_is_asked_for_once(cache: Cache) -> None:
    reply = Completion(
        "forty ü\ud800",
        stop_reason="stop",
        usage=Usage(20, None),
        cost=1.5,
        latency_ms=9,
        request_id="r",
        notes=("n",),
    )
    scripted = ScriptedClient([reply])
    asking = CachedClient(scripted, cache)
    assert asking.complete(MESSAGES) == reply
    shown: list[str] = []
    again = asking.complete(MESSAGES, on_text=shown.append)
    assert again == replace(reply, cached=True, cost=0.0, latency_ms=0.0)
    assert shown == [reply.text]
    assert len(scripted.calls) == 1


@pytest.mark.parametrize("status", ["truncated", "empty", "refused", "filtered", "prompt_cut"])
def test_a_reply_that_is_no_answer_is_asked_for_again(cache: Cache, status: Any) -> None:
    asking = CachedClient(ScriptedClient([Completion("", status=status), "forty"]), cache)
    assert asking.complete(MESSAGES).status == status
    assert asking.complete(MESSAGES).text == "forty"
    assert asking.complete(MESSAGES).cached


def test_repetitions_are_kept_apart(cache: Cache) -> None:
    asking = CachedClient(ScriptedClient(["a", "b"]), cache)
    assert [asking.complete(MESSAGES, repetition=n).text for n in (0, 1, 0, 1)] == ["a", "b", "a", "b"]


def test_equal_requests_at_once_are_sent_once(cache: Cache) -> None:
    entered, go = threading.Event(), threading.Event()

    def reply(*_: object) -> str:
        entered.set()
        go.wait(5)
        return "forty"

    scripted = ScriptedClient(reply)
    asking = CachedClient(scripted, cache)
    texts: list[str] = []
    threads = [_started(lambda: texts.append(asking.complete(MESSAGES).text)) for _ in range(6)]
    entered.wait(5)
    go.set()
    for thread in threads:
        thread.join(5)
    assert texts == ["forty"] * 6
    assert len(scripted.calls) == 1


def _started(function: Callable[[], object]) -> threading.Thread:
    thread = threading.Thread(target=function)
    thread.start()
    return thread


def test_an_estimate_counts_what_would_be_sent_and_sends_nothing(cache: Cache) -> None:
    scripted = ScriptedClient(lambda messages, _: "forty")
    asking = CachedClient(scripted, cache)
    asking.complete(MESSAGES)
    requests = [
        Request(MESSAGES),
        *[Request(MESSAGES, repetition=1)] * 2,
        Request((Message("user", "a" * 400),)),
    ]
    price = TokenPrice(1.0, 10.0)
    found = estimate(asking, requests, cache=cache, price=price, max_tokens=50)
    assert len(scripted.calls) == 1
    assert (found.calls, found.cached, found.output_tokens_at_most) == (2, 1, 100)
    assert 100 < found.input_tokens < 130
    assert found.cost_at_most == price.cost(Usage(found.input_tokens, 100))
    assert estimate(asking, [], cache=cache, price=None, max_tokens=50) == Estimate(0, 0, 0, 0, None)
