"""Anthropic's Messages API."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING, Any

from strata_rag.errors import ExtraMissing
from strata_rag.llm.adaptation import SCHEMA, Adaptation, Refused
from strata_rag.llm.client import Schema
from strata_rag.llm.completion import Completion, CompletionStatus, LLMInfo, Message, Usage
from strata_rag.llm.failures import Refusal, broken_off, not_understood
from strata_rag.llm.http import connection_errors, http_client
from strata_rag.llm.settings import ModelSettings, with_schema_in_words

if TYPE_CHECKING:
    import anthropic

ANTHROPIC_URL = "https://api.anthropic.com"
# Since version 2026-10-21 the API takes no sampling parameter at all, and the package has none.
NO_TEMPERATURE = "temperature was not sent: the provider takes none"
_STATUSES: dict[str, CompletionStatus] = {
    "end_turn": "complete",
    "stop_sequence": "complete",
    "refusal": "refused",
}


@dataclass(slots=True)
class _Reply:
    text: str = ""
    stop: str = ""
    usage: Usage = field(default_factory=Usage)
    request_id: str = ""


class AnthropicClient:
    """A Claude model; the anthropic package is imported with the first call.

    Args:
        settings: How it is asked. A temperature is not sent, since the API takes none.
    """

    def __init__(self, settings: ModelSettings) -> None:
        self._settings = settings
        self._adaptation = Adaptation()
        self._opening = Lock()
        self._opened: tuple[anthropic.Anthropic, Any] | None = None

    def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: Schema | None = None,
        repetition: int = 0,
        on_text: Callable[[str], None] | None = None,
    ) -> Completion:
        self._client()
        began = time.perf_counter()
        reply, notes = self._adaptation.send(
            self._settings,
            lambda without: self._send(self._request(messages, schema, without), on_text),
            has_schema=schema is not None,
        )
        return self._settings.completion(
            reply.text,
            _STATUSES.get(reply.stop, "truncated"),
            stop_reason=reply.stop,
            usage=reply.usage,
            latency_ms=(time.perf_counter() - began) * 1000,
            request_id=reply.request_id,
            notes=[NO_TEMPERATURE, *notes],
        )

    def describe(self) -> LLMInfo:
        settings = self._settings
        notes = (NO_TEMPERATURE, *self._adaptation.notes)
        return LLMInfo(
            "anthropic", settings.model, settings.base_url, {"max_tokens": settings.max_tokens}, notes
        )

    def _request(
        self, messages: Sequence[Message], schema: Schema | None, without: tuple[str, ...]
    ) -> dict[str, Any]:
        settings = self._settings
        request: dict[str, Any] = {"model": settings.model, "max_tokens": settings.max_tokens}
        if schema is not None:
            accepted = self._client()[1].transform_schema(dict(schema))
            if SCHEMA in without:
                messages = with_schema_in_words(messages, json.dumps(schema))
            else:
                request["output_config"] = {"format": {"type": "json_schema", "schema": accepted}}
        system = "\n\n".join(message.content for message in messages if message.role == "system")
        if system:
            request["system"] = system
        request["messages"] = [
            {"role": message.role, "content": message.content}
            for message in messages
            if message.role != "system"
        ]
        return request

    def _send(self, request: dict[str, Any], on_text: Callable[[str], None] | None) -> _Reply:
        client, package = self._client()
        with self._reporting(package):
            if on_text is None:
                return self._read(client.messages.create(**request))
            return self._read_stream(client.messages.create(**request, stream=True), on_text)

    def _read(self, answer: Any) -> _Reply:
        content = getattr(answer, "content", None)
        if content is None:
            raise not_understood(self._settings, answer if isinstance(answer, str) else "no content")
        return _Reply(
            text="".join(block.text for block in content if block.type == "text"),
            stop=answer.stop_reason or "",
            usage=_usage(answer.usage),
            request_id=getattr(answer, "_request_id", None) or answer.id or "",
        )

    def _read_stream(self, stream: Any, on_text: Callable[[str], None]) -> _Reply:
        reply, ended = _Reply(), False
        with stream:
            for event in stream:
                if event.type == "message_start":
                    reply.request_id = event.message.id
                    reply.usage = Usage(_usage(event.message.usage).input_tokens)
                elif event.type == "content_block_delta" and event.delta.type == "text_delta":
                    reply.text += event.delta.text
                    on_text(event.delta.text)
                elif event.type == "message_delta":
                    reply.stop = event.delta.stop_reason or reply.stop
                    reply.usage = Usage(reply.usage.input_tokens, _usage(event.usage).output_tokens)
                ended = ended or event.type == "message_stop"
        if not ended:
            raise broken_off(self._settings)
        return reply

    @contextmanager
    def _reporting(self, package: Any) -> Iterator[None]:
        """Turn the package's errors into ours."""
        try:
            with connection_errors(self._settings, package):
                yield
        except package.APIStatusError as error:
            refusal = Refusal.of(
                error.status_code, error.body or error.message, error.response.headers, today=time.time()
            )
            raise Refused(refusal) from error
        except package.APIError as error:
            raise not_understood(self._settings, str(error)) from error

    def _client(self) -> tuple[anthropic.Anthropic, Any]:
        with self._opening:
            if self._opened is None:
                try:
                    import anthropic
                except ImportError as error:
                    raise ExtraMissing(
                        "anthropic: expected the package, it is not installed", hint="pip install anthropic"
                    ) from error
                settings = self._settings
                client = anthropic.Anthropic(
                    # Given always: otherwise the package looks for profiles and tokens of its own.
                    api_key=settings.api_key or "none",
                    base_url=settings.base_url,
                    max_retries=0,
                    timeout=settings.timeout,
                    open_telemetry=False,
                    http_client=http_client(settings),
                )
                self._opened = client, anthropic
            return self._opened


def _usage(counted: Any) -> Usage:
    """Return all tokens read, those of the provider's own prompt cache included, and those written."""
    if counted is None:
        return Usage()
    parts = (counted.input_tokens, counted.cache_creation_input_tokens, counted.cache_read_input_tokens)
    known = [tokens for part in parts if (tokens := Usage.read(part, None).input_tokens) is not None]
    return Usage.read(sum(known) if known else None, counted.output_tokens)
