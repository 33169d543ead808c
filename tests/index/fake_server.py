"""A loopback stand-in for a Qdrant server: takes points, refuses large requests, and fails where it is told to."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

LIMIT = 33_554_432


@dataclass
class FakeServer:
    """What the server holds and how it behaves; `upserts` are the sizes of the requests that carried points.

    `answers` are statuses by upsert, counted from 1; the others succeed.
    """

    url: str = ""
    version: str = "1.19.1"
    points: dict[str, Any] = field(default_factory=dict)
    upserts: list[int] = field(default_factory=list)
    answers: dict[int, int] = field(default_factory=dict)
    keys_seen: set[str | None] = field(default_factory=set)
    key: str | None = None

    def answer(self, method: str, path: str, body: bytes, key: str | None) -> tuple[int, Any]:
        self.keys_seen.add(key)
        if self.key is not None and key != self.key:
            return 401, "Must provide an API key"
        if path == "/":
            return 200, {"title": "fake", "version": self.version}
        if method == "PUT" and path.split("?")[0].endswith("/points"):
            return self._upsert(body)
        if path.split("?")[0].endswith("/points/count"):
            return 200, {"result": {"count": len(self.points)}, "status": "ok", "time": 0}
        return 404, {"status": {"error": f"no {path}"}}

    def _upsert(self, body: bytes) -> tuple[int, Any]:
        self.upserts.append(len(body))
        if len(body) > LIMIT:
            return 400, {
                "status": {"error": f"Payload error: JSON payload ({len(body)} bytes) is larger than allowed"}
            }
        status = self.answers.get(len(self.upserts), 200)
        if status != 200:
            return status, {"status": {"error": "told to fail"}}
        self.points |= {point["id"]: point for point in json.loads(body)["points"]}
        return 200, {"result": {"operation_id": 1, "status": "completed"}, "status": "ok", "time": 0}


@contextmanager
def running(server: FakeServer) -> Iterator[FakeServer]:
    """Run the server on a free port of the loopback interface."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _handle(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            status, document = server.answer(self.command, self.path, body, self.headers.get("api-key"))
            data = json.dumps(document).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_PUT = do_POST = _handle  # noqa: N815

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as httpd:
        thread = threading.Thread(target=httpd.serve_forever, daemon=True)
        thread.start()
        server.url = f"http://127.0.0.1:{httpd.server_address[1]}"
        yield server
        httpd.shutdown()
        thread.join()
