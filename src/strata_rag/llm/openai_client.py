"""OpenAI's Chat Completions, and the servers that speak it."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from threading import Lock
from typing import TYPE_CHECKING, Any

from strata_rag.errors import ExtraMissing
from strata_rag.llm.adaptation import SCHEMA, TEMPERATURE, TOKEN_LIMIT, Adaptation, Refused
from strata_rag.llm.client import Schema
from strata_rag.llm.completion import Completion, CompletionStatus, LLMInfo, Message, Usage
from strata_rag.llm.failures import Refusal, broken_off, not_understood
from strata_rag.llm.http import connection_errors, http_client
from strata_rag.llm.settings import ModelSettings, with_schema_in_words
from strata_rag.llm.strict import closed_schema, is_strict
from strata_rag.llm.tokens import prompt_was_cut

if TYPE_CHECKING:
    import openai

OPENAI_URL = "https://api.openai.com/v1"
# A note and no status: these servers count in ways of their own.
MAY_BE_CUT = "the server says it read less than half of the prompt: its context window may be too small"
_STATUSES: dict[str, CompletionStatus] = {
    "": "truncated",
    "length": "truncated",
    "max_tokens": "truncated",
    "content_filter": "filtered",
    "refusal": "refused",
}


@dataclass(slots=True)
class _Reply:
    text: str = ""
    refusal: str = ""
    finish: str = ""
    usage: Usage = field(default_factory=Usage)
    request_id: str = ""


class OpenAIClient:
    """A model behind ``POST /chat/completions``; the openai package is imported with the first call.

    Args:
        settings: How it is asked.
    """

    def __init__(self, settings: ModelSettings) -> None:
        self._settings = settings
        self._is_own = settings.base_url.rstrip("/") == OPENAI_URL
        self._adaptation = Adaptation()
        self._opening = Lock()
        self._opened: tuple[openai.OpenAI, Any] | None = None

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
        status: CompletionStatus = "refused" if reply.refusal else _STATUSES.get(reply.finish, "complete")
        if not self._is_own and prompt_was_cut(messages, reply.usage.input_tokens):
            notes = (*notes, MAY_BE_CUT)
        return self._settings.completion(
            reply.refusal or reply.text,
            status,
            stop_reason=reply.finish,
            usage=reply.usage,
            latency_ms=(time.perf_counter() - began) * 1000,
            request_id=reply.request_id,
            notes=notes,
        )

    def describe(self) -> LLMInfo:
        settings = self._settings
        parameters = {"temperature": settings.temperature, "max_tokens": settings.max_tokens}
        return LLMInfo("openai", settings.model, settings.base_url, parameters, self._adaptation.notes)

    def _request(
        self, messages: Sequence[Message], schema: Schema | None, without: tuple[str, ...]
    ) -> dict[str, Any]:
        request: dict[str, Any] = {"model": self._settings.model}
        if TEMPERATURE not in without:
            request["temperature"] = self._settings.temperature
        modern = self._is_own != (TOKEN_LIMIT in without)
        request["max_completion_tokens" if modern else "max_tokens"] = self._settings.max_tokens
        if schema is not None:
            text, strict = _closed(json.dumps(schema))
            if SCHEMA in without:
                messages = with_schema_in_words(messages, text)
            else:
                named = {"name": "reply", "schema": json.loads(text), "strict": strict}
                request["response_format"] = {"type": "json_schema", "json_schema": named}
        request["messages"] = [{"role": message.role, "content": message.content} for message in messages]
        return request

    def _send(self, request: dict[str, Any], on_text: Callable[[str], None] | None) -> _Reply:
        client, package = self._client()
        try:
            with self._reporting(package):
                if on_text is None:
                    return self._read(client.chat.completions.create(**request))
                stream = client.chat.completions.create(
                    **request, stream=True, stream_options={"include_usage": True}
                )
                return self._read_stream(stream, on_text)
        except Refused as error:
            # Azure and others answer a filtered prompt with 400.
            if error.refusal.status == 400 and error.refusal.mentions("content_filter"):
                return _Reply(finish="content_filter", usage=Usage(0, 0))
            raise

    def _read(self, answer: Any) -> _Reply:
        choices = getattr(answer, "choices", None)
        if not choices:
            raise not_understood(self._settings, str(answer) if isinstance(answer, str) else "no choices")
        message = choices[0].message
        return _Reply(
            text=_text(message.content),
            refusal=_text(message.refusal),
            finish=choices[0].finish_reason or "",
            usage=_usage(answer.usage),
            request_id=getattr(answer, "_request_id", None) or answer.id or "",
        )

    def _read_stream(self, stream: Any, on_text: Callable[[str], None]) -> _Reply:
        reply = _Reply()
        with stream:
            for chunk in stream:
                reply.request_id = reply.request_id or chunk.id or ""
                if chunk.usage is not None:
                    reply.usage = _usage(chunk.usage)
                for choice in chunk.choices or ():
                    reply.finish = choice.finish_reason or reply.finish
                    reply.refusal += _text(choice.delta.refusal)
                    if piece := _text(choice.delta.content):
                        reply.text += piece
                        on_text(piece)
        if not reply.finish:
            raise broken_off(self._settings)
        return reply

    @contextmanager
    def _reporting(self, package: Any) -> Iterator[None]:
        """Turn the package's errors into ours."""
        try:
            with connection_errors(self._settings, package):
                yield
        except package.APIError as error:
            response = getattr(error, "response", None)
            headers = response.headers if response is not None else {}
            status = getattr(error, "status_code", 200)
            body = error.body if error.body is not None else error.message
            raise Refused(Refusal.of(status, body, headers, today=time.time())) from error

    def _client(self) -> tuple[openai.OpenAI, Any]:
        with self._opening:
            if self._opened is None:
                try:
                    import openai
                except ImportError as error:
                    raise ExtraMissing(
                        "openai: expected the package, it is not installed", hint="pip install openai"
                    ) from error
                settings = self._settings
                client = openai.OpenAI(
                    api_key=settings.api_key or "none",
                    base_url=settings.base_url,
                    max_retries=0,
                    timeout=settings.timeout,
                    http_client=http_client(settings),
                )
                if not self._is_own:  # who someone is at OpenAI is no other server's business
                    client.organization = client.project = None
                self._opened = client, openai
            return self._opened


def _usage(counted: Any) -> Usage:
    if counted is None:
        return Usage()
    return Usage.read(counted.prompt_tokens, counted.completion_tokens)


@lru_cache(maxsize=64)  # a run asks for a handful of schemas a thousand times
def _closed(schema: str) -> tuple[str, bool]:
    """Return a schema's closed form, and whether it can be enforced strictly."""
    closed = closed_schema(json.loads(schema))
    return json.dumps(closed), is_strict(closed)


def _text(content: Any) -> str:
    """Return a reply's text; some servers send it in parts, which the package hands on as they are."""
    if isinstance(content, list):
        return "".join(_text(part.get("text")) for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""
