"""A server on loopback that speaks the real wire formats of Anthropic, OpenAI and Ollama."""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

ANTHROPIC, OPENAI, OLLAMA = "/v1/messages", "/v1/chat/completions", "/api/chat"


@dataclass(frozen=True)
class Answer:
    """What the server does with one request.

    Attributes:
        status: HTTP status.
        body: Sent as JSON, or as it is if bytes.
        headers: Further headers.
        stream: Pieces sent one after another in place of `body`.
        cut: Whether the connection ends before what was promised.
        hang: Seconds before anything is sent.
        pause: Seconds between the pieces of a stream.
    """

    status: int = 200
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    stream: Sequence[bytes] | None = None
    cut: bool = False
    hang: float = 0.0
    pause: float = 0.0


@dataclass(frozen=True)
class Received:
    """A request as it came in."""

    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]


@dataclass
class Wire:
    """The server's memory and manners.

    Attributes:
        url: Its address, without a path.
        answers: What it answers, in order; the last one for ever.
        received: What was asked.
        decide: Decides in place of `answers`.
    """

    url: str = ""
    answers: list[Answer] = field(default_factory=list)
    received: list[Received] = field(default_factory=list)
    decide: Callable[[Received], Answer] | None = None
    released: threading.Event = field(default_factory=threading.Event)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def answer_to(self, request: Received) -> Answer:
        with self.lock:
            self.received.append(request)
            if self.decide is not None:
                return self.decide(request)
            return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


@contextmanager
def serving() -> Iterator[Wire]:
    """Run the server for the body."""
    wire = Wire()
    with _Server(("127.0.0.1", 0), _handler(wire)) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        wire.url = f"http://127.0.0.1:{server.server_address[1]}"
        try:
            yield wire
        finally:
            wire.released.set()
            server.shutdown()
            thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128


def _handler(wire: Wire) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            headers = {name.lower(): value for name, value in self.headers.items()}
            answer = wire.answer_to(Received(self.path, headers, body))
            if answer.hang:
                wire.released.wait(answer.hang)
            with contextlib.suppress(OSError):  # the client gave up
                self._stream(answer) if answer.stream is not None else self._send(answer)

        def do_GET(self) -> None:
            headers = {name.lower(): value for name, value in self.headers.items()}
            self._send(wire.answer_to(Received(self.path, headers, {})))

        def _send(self, answer: Answer) -> None:
            data = answer.body if isinstance(answer.body, bytes) else json.dumps(answer.body).encode()
            self._head(answer, "application/json")
            self.send_header("Content-Length", str(len(data) + (100 if answer.cut else 0)))
            self.end_headers()
            self.wfile.write(data)
            self.wfile.flush()
            if answer.cut:
                self.close_connection = True

        def _stream(self, answer: Answer) -> None:
            self._head(answer, "text/event-stream")
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            for piece in answer.stream or ():
                self.wfile.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
                self.wfile.flush()
                if answer.pause:
                    time.sleep(answer.pause)
            if answer.cut:
                self.close_connection = True
            else:
                self.wfile.write(b"0\r\n\r\n")
            self.wfile.flush()

        def _head(self, answer: Answer, kind: str) -> None:
            self.send_response(answer.status)
            for name, value in {"Content-Type": kind, **answer.headers}.items():
                self.send_header(name, value)

        def log_message(self, *_: object) -> None:
            pass

    return Handler


def anthropic_reply(text: str = "Forty metres [1].", stop: str = "end_turn", **more: Any) -> Answer:
    return Answer(
        body={
            "id": "msg_01",
            "type": "message",
            "role": "assistant",
            "model": "claude-test",
            "content": [{"type": "text", "text": text}] if text else [],
            "stop_reason": stop,
            "stop_sequence": None,
            "usage": {"input_tokens": 20, "output_tokens": 7},
        },
        headers={"request-id": "req_01"},
        **more,
    )


def anthropic_stream(
    texts: Sequence[str], stop: str = "end_turn", *, end: bool = True, **more: Any
) -> Answer:
    message = {
        "id": "msg_01", "type": "message", "role": "assistant", "model": "claude-test", "content": [],
        "stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": 20, "output_tokens": 1},
    }  # fmt: skip
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "ping"},
        *(
            {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}}
            for text in texts
        ),
    ]
    if end:
        events += [
            {"type": "content_block_stop", "index": 0},
            {
                "type": "message_delta",
                "delta": {"stop_reason": stop, "stop_sequence": None},
                "usage": {"output_tokens": 7},
            },
            {"type": "message_stop"},
        ]
    return Answer(stream=[_event(event, event["type"]) for event in events], **more)


def anthropic_error(status: int, kind: str = "", message: str = "no", **more: Any) -> Answer:
    body = {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_01"}
    return Answer(status, body, **more)


def openai_reply(
    text: str | None = "Forty metres [1].", stop: str | None = "stop", refusal: str | None = None, **more: Any
) -> Answer:
    message = {"role": "assistant", "content": text, "refusal": refusal}
    return Answer(
        body={
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1,
            "model": "gpt-test",
            "choices": [{"index": 0, "message": message, "finish_reason": stop, "logprobs": None}],
            "usage": {"prompt_tokens": 20, "completion_tokens": 7, "total_tokens": 27},
        },
        headers={"x-request-id": "req_01"},
        **more,
    )


def openai_stream(texts: Sequence[str], stop: str = "stop", *, end: bool = True, **more: Any) -> Answer:
    def chunk(choices: list[dict[str, Any]], usage: dict[str, int] | None = None) -> dict[str, Any]:
        return {
            "id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "gpt-test",
            "choices": choices, "usage": usage,
        }  # fmt: skip

    chunks = [chunk([{"index": 0, "delta": {"content": text}, "finish_reason": None}]) for text in texts]
    if end:
        chunks.append(chunk([{"index": 0, "delta": {}, "finish_reason": stop}]))
        chunks.append(chunk([], {"prompt_tokens": 20, "completion_tokens": 7, "total_tokens": 27}))
    pieces = [_event(one) for one in chunks]
    return Answer(stream=[*pieces, b"data: [DONE]\n\n"] if end else pieces, **more)


def openai_error(
    status: int,
    message: str = "no",
    *,
    code: str | None = None,
    kind: str = "",
    param: str | None = None,
    **more: Any,
) -> Answer:
    return Answer(status, {"error": {"message": message, "type": kind, "param": param, "code": code}}, **more)


def ollama_reply(
    text: str = "Forty metres [1].", stop: str = "stop", read: int | None = 20, **more: Any
) -> Answer:
    body = {
        "model": "llama-test", "created_at": "2026-01-01T00:00:00Z", "message": {"role": "assistant", "content": text},
        "done": True, "done_reason": stop, "total_duration": 5, "eval_count": 7,
    }  # fmt: skip
    return Answer(body=body if read is None else {**body, "prompt_eval_count": read}, **more)


def ollama_stream(texts: Sequence[str], stop: str = "stop", *, end: bool = True, **more: Any) -> Answer:
    parts: list[dict[str, Any]] = [
        {"model": "llama-test", "message": {"role": "assistant", "content": text}, "done": False}
        for text in texts
    ]
    if end:
        parts.append(
            {
                "model": "llama-test",
                "message": {"role": "assistant", "content": ""},
                "done": True,
                "done_reason": stop,
                "prompt_eval_count": 20,
                "eval_count": 7,
            }
        )
    return Answer(stream=[json.dumps(part).encode() + b"\n" for part in parts], **more)


def _event(data: Any, name: str = "") -> bytes:
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {json.dumps(data)}\n\n".encode()
