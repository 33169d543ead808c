"""Talking to a Qdrant server: one client, deadlines, retries on what can succeed, errors in our words."""

from __future__ import annotations

import logging
import re
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from strata_rag.errors import ServerUnavailable

if TYPE_CHECKING:
    from qdrant_client import QdrantClient

_log = logging.getLogger(__name__)

_OLDEST = (1, 16)
"""The first server version that keeps metadata with a collection."""
_PASSING_STATUS = {429, 502, 503, 504}
_PASSING_GRPC = {"UNAVAILABLE", "DEADLINE_EXCEEDED", "RESOURCE_EXHAUSTED"}
_PAUSES = (0.5, 1.0, 2.0)
_LONGEST_PAUSE = 30.0


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """Where a server is and how it is asked.

    Attributes:
        url: ``http://`` or ``https://``, host, port; https is TLS.
        api_key: Sent with every request, or None.
        api_key_env: The variable that holds it, for messages.
        grpc: Whether data goes over gRPC (port 6334) instead of HTTP.
        timeout: Seconds until a request is given up.
    """

    url: str
    api_key: str | None = field(default=None, repr=False)
    api_key_env: str = "QDRANT_API_KEY"
    grpc: bool = False
    timeout: int = 30


class ServerCall(Exception):
    """A request that failed for good.

    Attributes:
        reason: What the server or the network said, in one line.
        status: HTTP status, or None.
        reached: Whether a server answered.
    """

    def __init__(self, reason: str, *, status: int | None, reached: bool) -> None:
        super().__init__(reason)
        self.reason = reason
        self.status = status
        self.reached = reached


class ServerClient:
    """A connection to one server, made when it is first used.

    Args:
        address: The server.
        client: A client to use instead of connecting; tests hand in qdrant-client's in-memory mode.
        pauses: Seconds before each further attempt.
        sleep: Waits.
    """

    def __init__(
        self,
        address: ServerAddress,
        *,
        client: QdrantClient | None = None,
        pauses: Sequence[float] = _PAUSES,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.address = address
        self._client = client
        self._pauses = pauses
        self._sleep = sleep

    @property
    def url(self) -> str:
        return self.address.url

    def call(self, method: str, *args: Any, retry: bool = True, **kwargs: Any) -> Any:
        """Call a method of qdrant-client; what may pass (no answer in time, 429, 502, 503, 504) is tried again.

        Raises:
            ServerUnavailable: No server answers, or it refuses the key.
            ServerCall: It answered with anything else.
        """
        bound = getattr(self._connected(), method)
        pauses = list(self._pauses) if retry else []
        while True:
            try:
                return bound(*args, **kwargs)
            except (
                Exception
            ) as error:  # HTTP, gRPC and pydantic each raise their own; the unknown is raised again
                failure, passing, pause = _understood(error)
                if failure is None:
                    raise
                if not passing or not pauses:
                    raise self._final(failure) from error
                wait = min(max(pauses.pop(0), pause), _LONGEST_PAUSE)
                _log.warning("%s: %s; trying %s again in %g s", self.url, failure.reason, method, wait)
                self._sleep(wait)

    def _connected(self) -> QdrantClient:
        """Connect and look at the server's version, once; this first contact is not tried again."""
        if self._client is not None:
            return self._client
        from qdrant_client import QdrantClient

        address = self.address
        if address.api_key and not address.url.startswith("https:") and not _is_loopback(address.url):
            _log.warning("%s: the API key goes over a connection without TLS; use an https URL", address.url)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                client = QdrantClient(
                    url=address.url,
                    api_key=address.api_key,
                    prefer_grpc=address.grpc,
                    timeout=address.timeout,
                    check_compatibility=False,
                )
                version = client.info().version
            except Exception as error:  # as above
                failure, _, _ = _understood(error)
                raise self._final(failure or ServerCall(str(error), status=None, reached=False)) from error
        found = tuple(map(int, re.findall(r"\d+", version)[:2]))
        if found < _OLDEST:
            raise ServerUnavailable(
                f"{address.url}: expected a Qdrant server of version 1.16 or later, found {version}",
                hint="docker compose pull && docker compose up -d --wait",
            )
        self._client = client
        return client

    def _final(self, failure: ServerCall) -> Exception:
        key = f"the variable {self.address.api_key_env}"
        if failure.status in (401, 403):
            state = "holds another" if self.address.api_key else "is not set"
            return ServerUnavailable(
                f"{self.url}: expected the server to accept the API key, found {failure.reason}",
                hint=f"{key} {state}; index.api_key_env names the variable",
            )
        if failure.reached:
            return failure
        return ServerUnavailable(
            f"{self.url}: expected a Qdrant server, none answered ({failure.reason})",
            hint="start it (docker compose up -d --wait), or set index.url or index.engine embedded",
        )


def _is_loopback(url: str) -> bool:
    return (urlsplit(url).hostname or "") in {"localhost", "127.0.0.1", "::1"}


def _understood(error: Exception) -> tuple[ServerCall | None, bool, float]:
    """Return the failure in our words (None: no failure of a request), whether it may pass, and after how long."""
    from qdrant_client.common.client_exceptions import ResourceExhaustedResponse
    from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse

    if isinstance(error, ResourceExhaustedResponse):
        return ServerCall(_line(error), status=429, reached=True), True, float(error.retry_after_s)
    if isinstance(error, UnexpectedResponse):
        status = error.status_code
        said = error.content.decode(errors="replace")[:200]
        reason = f"HTTP {status} {error.reason_phrase}: {said}".strip().replace("\n", " ")
        return ServerCall(reason, status=status, reached=True), status in _PASSING_STATUS, 0.0
    if isinstance(error, ResponseHandlingException):
        source = error.source
        timed_out = "timeout" in type(source).__name__.lower()
        reason = "no answer in time" if timed_out else _line(source)
        return ServerCall(reason, status=None, reached=False), True, 0.0
    if isinstance(error, ValueError):  # qdrant-client refuses by itself what a server would answer with 400
        return ServerCall(_line(error), status=400, reached=True), False, 0.0
    code = getattr(error, "code", None)
    if callable(code):  # gRPC
        name = code().name
        details = getattr(error, "details", lambda: "")() or name
        status = {"UNAUTHENTICATED": 401, "PERMISSION_DENIED": 403, "NOT_FOUND": 404}.get(name)
        reached = name not in {"UNAVAILABLE", "DEADLINE_EXCEEDED"}
        return (
            ServerCall(f"gRPC {name}: {details}", status=status, reached=reached),
            name in _PASSING_GRPC,
            0.0,
        )
    return None, False, 0.0


def _line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]
