"""The seam language models stand behind, and its fake."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from threading import Lock
from typing import Any, Protocol

from strata_rag.errors import LLMError
from strata_rag.llm.completion import Completion, LLMInfo, Message

Reply = str | Completion | LLMError
Schema = Mapping[str, Any]


class LLMClient(Protocol):
    """Completes conversations; safe to call from several threads."""

    def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: Schema | None = None,
        repetition: int = 0,
        on_text: Callable[[str], None] | None = None,
    ) -> Completion:
        """Return the model's reply.

        Args:
            messages: The conversation, the system's messages first.
            schema: JSON schema the reply should follow; the provider enforces it where it can.
            repetition: Tells apart calls that ask the same thing again on purpose; part of the cache key.
            on_text: Given each piece of the reply as it arrives.

        Raises:
            LLMError: There is no reply.
        """

    def describe(self) -> LLMInfo:
        """Return what the client talks to."""


class ScriptedClient:
    """A fake whose replies are given beforehand.

    Args:
        replies: One per call, in order, or a function of messages and schema that gives them. An `LLMError` is raised.
        model: Stands for the model's name.

    Attributes:
        calls: The messages of every call, in order.
    """

    def __init__(
        self,
        replies: Sequence[Reply] | Callable[[Sequence[Message], Schema | None], Reply],
        model: str = "scripted",
    ) -> None:
        self.calls: list[tuple[Message, ...]] = []
        self._replies = replies
        self._model = model
        self._lock = Lock()

    def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: Schema | None = None,
        repetition: int = 0,
        on_text: Callable[[str], None] | None = None,
    ) -> Completion:
        with self._lock:
            reply = self._reply(messages, schema)
            self.calls.append(tuple(messages))
        if isinstance(reply, LLMError):
            raise reply
        completion = Completion(reply) if isinstance(reply, str) else reply
        if on_text is not None:
            on_text(completion.text)
        return completion

    def describe(self) -> LLMInfo:
        return LLMInfo("scripted", self._model)

    def _reply(self, messages: Sequence[Message], schema: Schema | None) -> Reply:
        if callable(self._replies):
            return self._replies(messages, schema)
        if len(self.calls) >= len(self._replies):
            raise LLMError(
                f"scripted model: expected at most {len(self._replies)} calls, found one more",
                hint="give the fake a reply for every call",
                kind="bad_request",
            )
        return self._replies[len(self.calls)]
