"""What goes to a language model and what comes back."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Role = Literal["system", "user", "assistant"]

CompletionStatus = Literal["complete", "truncated", "empty", "refused", "filtered", "prompt_cut"]
"""``complete`` alone is an answer; the others say why there is none, or none to rely on."""


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation.

    Attributes:
        role: Who speaks; the system's messages come first.
        content: The text.
    """

    role: Role
    content: str


@dataclass(frozen=True, slots=True)
class Usage:
    """What a provider counted.

    Attributes:
        input_tokens: Tokens read, or None where the provider does not say.
        output_tokens: Tokens written, or None.
    """

    input_tokens: int | None = None
    output_tokens: int | None = None

    @classmethod
    def read(cls, read: object, written: object) -> Usage:
        """Return the usage that a server states; what is no number of tokens counts as not said."""
        return cls(_tokens(read), _tokens(written))


def _tokens(stated: object) -> int | None:
    if isinstance(stated, bool) or not isinstance(stated, int | float) or not 0 <= stated < math.inf:
        return None
    return int(stated)


@dataclass(frozen=True, slots=True)
class Completion:
    """A model's reply.

    Attributes:
        text: What it wrote; may be part of a reply, see `status`.
        status: ``complete``, or why the text is no answer.
        stop_reason: The provider's own word for why it stopped.
        usage: Tokens read and written.
        cost: In US dollars, or None where the price is unknown.
        latency_ms: From sending to the last byte; 0 where nothing was sent.
        request_id: The provider's id, or an empty string.
        cached: Whether it comes from the cache: nothing was sent or paid now, and latency and cost are 0.
        notes: What of the request the provider did not take, such as a temperature.
    """

    text: str
    status: CompletionStatus = "complete"
    stop_reason: str = ""
    usage: Usage = field(default_factory=Usage)
    cost: float | None = None
    latency_ms: float = 0.0
    request_id: str = ""
    cached: bool = False
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LLMInfo:
    """What a client talks to, for caches and run records; it holds no key.

    Attributes:
        provider: ``anthropic``, ``openai``, ``scripted`` ...
        model: The provider's name of the model.
        base_url: The server, or an empty string for the provider's own.
        parameters: Settings that change replies, such as ``temperature`` and ``max_tokens``, as they were asked for.
        notes: What of them the provider has refused so far, or never takes.
    """

    provider: str
    model: str
    base_url: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
