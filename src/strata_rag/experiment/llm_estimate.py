"""What calls to language models would take, found out without making one."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from strata_rag.cache import Cache
from strata_rag.config import LanguageModel
from strata_rag.evaluation import CallEstimate
from strata_rag.experiment.llm import token_price
from strata_rag.llm import Completion, LLMClient, LLMInfo, Message, Request, Schema, estimate


class _Collecting:
    """A client that sends nothing, and remembers what it was to send."""

    def __init__(self) -> None:
        self.requests: list[Request] = []

    def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: Schema | None = None,
        repetition: int = 0,
        on_text: Callable[[str], None] | None = None,
    ) -> Completion:
        self.requests.append(Request(tuple(messages), schema, repetition))
        return Completion("", "empty")

    def describe(self) -> LLMInfo:
        return LLMInfo("none", "none")


def requests_made(work: Callable[[LLMClient], object]) -> list[Request]:
    """Return the requests that `work` makes of a client whose replies are all empty."""
    client = _Collecting()
    work(client)
    return client.requests


def estimate_calls(
    client: LLMClient, requests: Sequence[Request], *, cache: Cache, section: LanguageModel
) -> CallEstimate:
    """Return what sending `requests` would take by the section's price and its longest replies."""
    found = estimate(client, requests, cache=cache, price=token_price(section), max_tokens=section.max_tokens)
    return CallEstimate(
        calls=found.calls,
        cached=found.cached,
        input_tokens=found.input_tokens,
        output_tokens=found.output_tokens_at_most,
        cost=found.cost_at_most,
    )


def said_cost(found: CallEstimate) -> str:
    """Say an estimate in one line."""
    cached = f", {found.cached} more from the cache" if found.cached else ""
    if not found.calls:
        return f"no calls{cached}"
    cost = "at an unknown price" if found.cost is None else f"at most ${found.cost:.4f}"
    tokens = f"{found.input_tokens:,} tokens in, at most {found.output_tokens:,} out"
    return f"about {found.calls} calls{cached}, {tokens}, {cost}"
