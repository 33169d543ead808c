"""Ollama's own API: the only way to tell it how large a context window the prompt needs."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from threading import Lock
from typing import TYPE_CHECKING, Any

from strata_rag.llm.adaptation import SCHEMA, Adaptation, Refused
from strata_rag.llm.client import Schema
from strata_rag.llm.completion import Completion, CompletionStatus, LLMInfo, Message, Usage
from strata_rag.llm.failures import Refusal, broken_off, not_understood
from strata_rag.llm.http import http_client, transport_errors
from strata_rag.llm.settings import ModelSettings, with_schema_in_words
from strata_rag.llm.tokens import ample, estimate_prompt, prompt_was_cut

if TYPE_CHECKING:
    import httpx2

OLLAMA_URL = "http://localhost:11434"
_SMALLEST_WINDOW = 4096
_STATUSES: dict[str, CompletionStatus] = {"": "truncated", "length": "truncated"}


class OllamaClient:
    """A model behind ``POST /api/chat``.

    Each request says how large a context window it needs (``num_ctx``): without that the server cuts the prompt to
    its own default and answers all the same. The window only grows, by doubling, since each change loads the model
    anew.

    Args:
        settings: How it is asked; `context` fixes the window.
        announce: Told once that the window asked for is too small for a prompt, before it is sent.
    """

    def __init__(self, settings: ModelSettings, announce: Callable[[str], None] = lambda _: None) -> None:
        self._settings = settings
        self._url = settings.base_url.rstrip("/").removesuffix("/v1").removesuffix("/api")
        self._announce = announce
        self._adaptation = Adaptation()
        self._lock = Lock()
        self._window = settings.context or _SMALLEST_WINDOW
        self._warned = False
        self._opened: httpx2.Client | None = None

    def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: Schema | None = None,
        repetition: int = 0,
        on_text: Callable[[str], None] | None = None,
    ) -> Completion:
        window = self._window_for(messages)
        began = time.perf_counter()
        (text, end), notes = self._adaptation.send(
            self._settings,
            lambda without: self._send(
                self._request(messages, window, schema, without, stream=on_text is not None), on_text
            ),
            has_schema=schema is not None,
        )
        usage = Usage.read(end.get("prompt_eval_count"), end.get("eval_count"))
        stop = str(end.get("done_reason") or ("stop" if end.get("done") else ""))
        status = _STATUSES.get(stop, "complete")
        if prompt_was_cut(messages, usage.input_tokens, window=window):
            status = "prompt_cut"
        return self._settings.completion(
            text,
            status,
            stop_reason=stop,
            usage=usage,
            latency_ms=(time.perf_counter() - began) * 1000,
            request_id=str(end.get("created_at") or ""),
            notes=notes,
        )

    def describe(self) -> LLMInfo:
        settings = self._settings
        parameters = {
            "temperature": settings.temperature,
            "max_tokens": settings.max_tokens,
            "context": settings.context,
        }
        return LLMInfo("ollama", settings.model, settings.base_url, parameters, self._adaptation.notes)

    def _window_for(self, messages: Sequence[Message]) -> int:
        """Return the window to ask for: the config's, or one that the prompt surely fits."""
        tokens, reply = estimate_prompt(messages), self._settings.max_tokens
        with self._lock:
            if self._settings.context is None:
                while self._window < ample(tokens) + reply:
                    self._window *= 2
            elif tokens + reply > self._window and not self._warned:
                self._warned = True
                self._announce(
                    f"{self._settings.where}.context: expected at least {tokens + reply} tokens, about {tokens} "
                    f"for the prompt and {reply} for the reply; found {self._window}: the server will cut the prompt"
                )
            return self._window

    def _request(
        self,
        messages: Sequence[Message],
        window: int,
        schema: Schema | None,
        without: tuple[str, ...],
        *,
        stream: bool,
    ) -> dict[str, Any]:
        settings = self._settings
        options = {
            "temperature": settings.temperature,
            "num_predict": settings.max_tokens,
            "num_ctx": window,
        }
        request: dict[str, Any] = {"model": settings.model, "stream": stream, "options": options}
        if schema is not None:
            if SCHEMA in without:
                messages = with_schema_in_words(messages, json.dumps(schema))
            else:
                request["format"] = dict(schema)
        request["messages"] = [{"role": message.role, "content": message.content} for message in messages]
        return request

    def _send(
        self, request: dict[str, Any], on_text: Callable[[str], None] | None
    ) -> tuple[str, dict[str, Any]]:
        headers = {"Authorization": f"Bearer {self._settings.api_key}"} if self._settings.api_key else {}
        with (
            transport_errors(self._settings),
            self._client().stream("POST", f"{self._url}/api/chat", json=request, headers=headers) as response,
        ):
            if response.status_code != 200:
                response.read()
                raise Refused(
                    Refusal.of(response.status_code, _body(response), response.headers, today=time.time())
                )
            if on_text is not None:
                return self._read_stream(response.iter_lines(), on_text)
            answer = json.loads(response.read())
            return self._content(answer), answer

    def _read_stream(
        self, lines: Iterator[str], on_text: Callable[[str], None]
    ) -> tuple[str, dict[str, Any]]:
        text = ""
        for line in filter(None, map(str.strip, lines)):
            part = json.loads(line)
            if piece := self._content(part):
                text += piece
                on_text(piece)
            if part.get("done"):
                return text, part
        raise broken_off(self._settings)

    def _content(self, part: Any) -> str:
        if isinstance(part, dict) and part.get("error"):
            raise Refused(Refusal.of(200, {"error": {"message": str(part["error"])}}, {}, today=0))
        message = part.get("message") if isinstance(part, dict) else None
        if not isinstance(message, dict):
            raise not_understood(self._settings, "no message")
        return str(message.get("content") or "")

    def _client(self) -> httpx2.Client:
        with self._lock:
            if self._opened is None:
                self._opened = http_client(self._settings)
            return self._opened


def _body(response: httpx2.Response) -> object:
    try:
        body = response.json()
    except ValueError:
        return response.text
    if isinstance(body, dict) and isinstance(body.get("error"), str):
        return {"error": {"message": body["error"]}}
    return body
