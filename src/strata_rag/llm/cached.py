"""Replies kept by the full request that made them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock
from typing import Any

from strata_rag.cache import Cache, digest_request
from strata_rag.llm.budget import Budget
from strata_rag.llm.client import LLMClient, Schema
from strata_rag.llm.completion import Completion, LLMInfo, Message, Usage
from strata_rag.llm.price import TokenPrice
from strata_rag.llm.tokens import estimate_prompt

CLIENT_VERSION = 1
"""Grows when the same request is sent in another way."""


@dataclass(frozen=True, slots=True)
class Request:
    """What a call asks.

    Attributes:
        messages: The conversation.
        schema: JSON schema of the reply, or None.
        repetition: Tells apart calls that ask the same again.
    """

    messages: tuple[Message, ...]
    schema: Schema | None = None
    repetition: int = 0


def request_key(info: LLMInfo, request: Request) -> bytes:
    """Return the digest of everything that decides a reply; 32 bytes that differ if any part does."""
    return digest_request(
        {
            "kind": "llm",
            "version": CLIENT_VERSION,
            "provider": info.provider,
            "model": info.model,
            "base_url": info.base_url,
            "parameters": dict(info.parameters),
            "messages": [[message.role, message.content] for message in request.messages],
            "schema": request.schema,
            "repetition": request.repetition,
        }
    )


class CachedClient:
    """Sends a request once; only complete replies are kept, so that a failed one is asked for again.

    Args:
        client: Asked for what the cache lacks.
        cache: Where replies are kept.
        budget: Told of replies that cost nothing.
    """

    def __init__(self, client: LLMClient, cache: Cache, *, budget: Budget | None = None) -> None:
        self._client = client
        self._cache = cache
        self._budget = budget
        self._same = _OneByOne()

    def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: Schema | None = None,
        repetition: int = 0,
        on_text: Callable[[str], None] | None = None,
    ) -> Completion:
        key = request_key(self._client.describe(), Request(tuple(messages), schema, repetition))
        with self._same.alone(key):
            found = self._cache.get_many([key]).get(key)
            if found is None:
                return self._ask(key, messages, schema, repetition, on_text)
        completion = read_completion(json.loads(found))
        if self._budget is not None:
            self._budget.count_cached()
        if on_text is not None:
            on_text(completion.text)
        return completion

    def describe(self) -> LLMInfo:
        return self._client.describe()

    def _ask(
        self,
        key: bytes,
        messages: Sequence[Message],
        schema: Schema | None,
        repetition: int,
        on_text: Callable[[str], None] | None,
    ) -> Completion:
        completion = self._client.complete(messages, schema=schema, repetition=repetition, on_text=on_text)
        if completion.status == "complete":
            value = json.dumps(completion_document(completion), ensure_ascii=False)
            info = self._client.describe()
            self._cache.put_many(
                [(key, value.encode("utf-8", "surrogatepass"))], owner=f"llm:{info.provider}/{info.model}"
            )
        return completion


class _OneByOne:
    """Lets one thread at a time work on a key, so that equal requests at once are sent once."""

    def __init__(self) -> None:
        self._guard = Lock()
        self._locks: dict[bytes, Lock] = {}
        self._users: Counter[bytes] = Counter()

    @contextmanager
    def alone(self, key: bytes) -> Iterator[None]:
        with self._guard:
            lock = self._locks.setdefault(key, Lock())
            self._users[key] += 1
        try:
            with lock:
                yield
        finally:
            with self._guard:
                self._users[key] -= 1
                if not self._users[key]:
                    del self._users[key], self._locks[key]


def completion_document(completion: Completion) -> dict[str, Any]:
    """Return what of a completion is kept."""
    return {
        "text": completion.text,
        "stop_reason": completion.stop_reason,
        "input_tokens": completion.usage.input_tokens,
        "output_tokens": completion.usage.output_tokens,
        "request_id": completion.request_id,
        "notes": list(completion.notes),
    }


def read_completion(document: Mapping[str, Any]) -> Completion:
    """Return a kept completion: nothing was sent or paid for it now."""
    return Completion(
        document["text"],
        stop_reason=document["stop_reason"],
        usage=Usage(document["input_tokens"], document["output_tokens"]),
        cost=0.0,
        request_id=document["request_id"],
        cached=True,
        notes=tuple(document["notes"]),
    )


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a run would send and cost, before it does.

    Attributes:
        calls: Calls that the cache can't answer.
        cached: Those it can.
        input_tokens: About how many tokens would be read.
        output_tokens_at_most: Most tokens that would be written.
        cost_at_most: In US dollars with the longest replies; None where the price is unknown.
    """

    calls: int
    cached: int
    input_tokens: int
    output_tokens_at_most: int
    cost_at_most: float | None


def estimate(
    client: LLMClient,
    requests: Iterable[Request],
    *,
    cache: Cache,
    price: TokenPrice | None,
    max_tokens: int,
) -> Estimate:
    """Return what sending `requests` would take; nothing is sent."""
    info = client.describe()
    by_key = {request_key(info, request): request for request in requests}
    kept = cache.get_many(list(by_key))
    tokens = [estimate_prompt(request.messages) for key, request in by_key.items() if key not in kept]
    most = Usage(sum(tokens), max_tokens * len(tokens))
    return Estimate(
        calls=len(tokens),
        cached=len(kept),
        input_tokens=sum(tokens),
        output_tokens_at_most=max_tokens * len(tokens),
        cost_at_most=price.cost(most) if price else None,
    )
