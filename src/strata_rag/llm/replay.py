"""Recorded replies: a JSON-lines file that stands in for a model."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Lock
from typing import Any

from strata_rag.cache import digest_request
from strata_rag.errors import InputError, LLMError, WriteFailed
from strata_rag.llm.client import LLMClient, Schema
from strata_rag.llm.completion import Completion, LLMInfo, Message, Usage
from strata_rag.llm.fence import MARKER

_SHOWN = 60


def replay_digest(messages: Sequence[Message], schema: Schema | None, repetition: int) -> str:
    """Return the digest that a recorded reply is found by; the value of a fence marker does not count."""
    turns = [[message.role, MARKER.sub("strata-marker", message.content)] for message in messages]
    request = {"messages": turns, "schema": schema, "repetition": repetition}
    return digest_request(request).hex()


class ReplayClient:
    """Gives recorded replies; it never asks a model.

    Args:
        path: The file, as `RecordingClient` writes it. Of two replies to one request the later one counts.
        model: Only replies of this model; an empty string takes any.
    """

    def __init__(self, path: Path, model: str = "") -> None:
        self._path = path
        self._model = model
        self._lock = Lock()
        self._replies: dict[str, Completion] | None = None
        self._digest = ""

    def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: Schema | None = None,
        repetition: int = 0,
        on_text: Callable[[str], None] | None = None,
    ) -> Completion:
        completion = self._read().get(replay_digest(messages, schema, repetition))
        if completion is None:
            asked = " ".join(messages[-1].content.split())[-_SHOWN:] if messages else ""
            of = f" of {self._model}" if self._model else ""
            raise LLMError(
                f"{self._path}: expected a recorded reply{of} to the request that ends with {asked!r}, found none",
                hint="record it: set `record` to this file and `provider` to the model's, and run once",
                kind="bad_request",
            )
        if on_text is not None:
            on_text(completion.text)
        return completion

    def describe(self) -> LLMInfo:
        self._read()
        return LLMInfo("replay", self._model, parameters={"recording": self._digest})

    def _read(self) -> dict[str, Completion]:
        with self._lock:
            if self._replies is None:
                data = _bytes_of(self._path)
                self._digest = hashlib.sha256(data).hexdigest()
                self._replies = dict(_entries(data, self._path, self._model))
            return self._replies


class RecordingClient:
    """Adds every reply to a file that `ReplayClient` reads; it holds requests and replies in full, and no key.

    A reply that stands in the file already is not added again.

    Args:
        client: Asked.
        path: The file; made where it is missing.
    """

    def __init__(self, client: LLMClient, path: Path) -> None:
        self._client = client
        self._path = path
        self._lock = Lock()
        self._written: set[bytes] | None = None

    def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: Schema | None = None,
        repetition: int = 0,
        on_text: Callable[[str], None] | None = None,
    ) -> Completion:
        completion = self._client.complete(messages, schema=schema, repetition=repetition, on_text=on_text)
        info = self._client.describe()
        line = {
            "digest": replay_digest(messages, schema, repetition),
            "provider": info.provider,
            "model": info.model,
            "messages": [{"role": message.role, "content": message.content} for message in messages],
            "schema": schema,
            "repetition": repetition,
            "reply": {
                "text": completion.text,
                "status": completion.status,
                "stop_reason": completion.stop_reason,
                "input_tokens": completion.usage.input_tokens,
                "output_tokens": completion.usage.output_tokens,
                "notes": list(completion.notes),
            },
        }
        self._append(json.dumps(line, ensure_ascii=False).encode("utf-8", "surrogatepass"))
        return completion

    def describe(self) -> LLMInfo:
        return self._client.describe()

    def _append(self, line: bytes) -> None:
        """Add a line that is not there yet."""
        try:
            with self._lock, self._path.open("a+b") as file:
                if self._written is None:
                    file.seek(0)
                    self._written = set(file.read().splitlines())
                if line not in self._written:
                    self._written.add(line)
                    file.write(line + b"\n")
        except OSError as error:
            raise WriteFailed(
                f"{self._path}: expected to record a reply, found: {error.strerror or error}",
                hint="check the path, disk space and permissions",
            ) from error


def _bytes_of(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(
            f"{path}: expected a file of recorded replies, found: {error.strerror or error}",
            hint="set `replay` to a file that `record` has written",
        ) from error


def _entries(data: bytes, path: Path, model: str) -> list[tuple[str, Completion]]:
    entries = []
    for number, line in enumerate(data.split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            entry: dict[str, Any] = json.loads(line)
            reply = entry["reply"]
            completion = Completion(
                reply["text"],
                status=reply["status"],
                stop_reason=reply["stop_reason"],
                usage=Usage(reply["input_tokens"], reply["output_tokens"]),
                cost=0.0,
                cached=True,
                notes=tuple(reply["notes"]),
            )
            if model in ("", entry["model"]):
                entries.append((entry["digest"], completion))
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(
                f"{path}:{number}: expected a recorded reply, found something else ({type(error).__name__}: {error})",
                hint="remove the line, or record anew; a run that was killed may leave half a line at the end",
            ) from error
    return entries
