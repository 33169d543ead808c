"""How one model is asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from strata_rag.llm.completion import Completion, CompletionStatus, Message, Usage
from strata_rag.llm.price import TokenPrice


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """How one model is asked.

    Attributes:
        model: The provider's name of it.
        base_url: The server, always given, so that no variable of the environment decides it.
        api_key: Sent with every request, or an empty string for none. Never shown.
        api_key_env: The variable it comes from, for messages.
        is_local: Whether the server is on this machine, so that no proxy stands between.
        temperature: How freely words are chosen, from 0.
        max_tokens: Most tokens of a reply.
        context: Size of the context window in tokens where the provider is told one; None: as the prompt needs.
        timeout: Seconds until a request is given up.
        connections: Connections that are kept open.
        price: Of its tokens; None: unknown.
        where: The config's section, for messages.
    """

    model: str
    base_url: str
    api_key: str = field(default="", repr=False)
    api_key_env: str = ""
    is_local: bool = False
    temperature: float = 0.0
    max_tokens: int = 1024
    context: int | None = None
    timeout: float = 120.0
    connections: int = 8
    price: TokenPrice | None = None
    where: str = "generation"

    def completion(
        self,
        text: str,
        status: CompletionStatus,
        *,
        stop_reason: str,
        usage: Usage,
        latency_ms: float,
        request_id: str,
        notes: Sequence[str],
    ) -> Completion:
        """Return a reply with its cost; a complete one without text is ``empty``.

        Halves of characters, which JSON can escape and nothing can print, become replacement characters.
        """
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        if status == "complete" and not text.strip():
            status = "empty"
        return Completion(
            text=text,
            status=status,
            stop_reason=stop_reason,
            usage=usage,
            cost=self.price.cost(usage) if self.price else None,
            latency_ms=latency_ms,
            request_id=request_id,
            notes=tuple(notes),
        )


def with_schema_in_words(messages: Sequence[Message], schema_text: str) -> list[Message]:
    """Return the conversation with the schema asked for in its last turn, for servers that enforce none."""
    *before, last = messages
    asked = "Reply with one JSON value that follows this JSON schema, and with nothing else:"
    words = f"{last.content}\n\n{asked}\n{schema_text}"
    return [*before, Message(last.role, words)]
