"""The HTTP client that every provider's requests go through."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any

from strata_rag.llm.failures import not_understood, too_slow, unreachable
from strata_rag.llm.settings import ModelSettings

if TYPE_CHECKING:
    import httpx2

_CONNECT_SECONDS = 10.0
_BEGAN = "strata_began"
_BYTES, _BYTES_A_TOKEN = 4_000_000, 1_000  # a stream wraps each token in some hundred bytes of JSON


def http_client(settings: ModelSettings) -> httpx2.Client:
    """Return a client that gives up after `settings.timeout` seconds in all, and follows no redirect.

    A library's own timeout is of silence: a server that sends a byte a second would never meet it. A redirect would
    send the prompt to another server than the config names. Proxies of the environment are used for servers elsewhere
    only. A body far larger than `settings.max_tokens` can be is not read to its end.
    """
    import httpx2

    timeout = settings.timeout
    most = _BYTES + _BYTES_A_TOKEN * settings.max_tokens

    def begin(request: httpx2.Request) -> None:
        request.extensions[_BEGAN] = time.monotonic()

    def bound(response: httpx2.Response) -> None:
        deadline = response.request.extensions[_BEGAN] + timeout
        response.stream = _bounded(response.stream, deadline, most, response.request)

    return httpx2.Client(
        timeout=httpx2.Timeout(timeout, connect=min(_CONNECT_SECONDS, timeout), pool=None),
        limits=httpx2.Limits(max_connections=None, max_keepalive_connections=settings.connections),
        trust_env=not settings.is_local,
        follow_redirects=False,
        event_hooks={"request": [begin], "response": [bound]},
    )


@contextmanager
def transport_errors(settings: ModelSettings) -> Iterator[None]:
    """Turn what goes wrong between here and the server into our error, whether a package has wrapped it or not.

    That includes a reply of another shape than the protocol's: packages hand on what a server sent without a look at
    it, so that reading it fails in as many ways as there are servers.
    """
    import httpx2

    try:
        yield
    except httpx2.TimeoutException as error:
        raise too_slow(settings) from error
    except httpx2.RequestError as error:
        raise unreachable(settings, error) from error
    except (json.JSONDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise not_understood(settings, str(error)) from error
    except (AttributeError, TypeError, LookupError) as error:
        raise not_understood(settings, f"JSON of another shape ({error})") from error


@contextmanager
def connection_errors(settings: ModelSettings, package: Any) -> Iterator[None]:
    """Do the same for a provider's package, whose errors of the connection are named alike in both."""
    try:
        with transport_errors(settings):
            yield
    except package.APITimeoutError as error:
        raise too_slow(settings) from error
    except package.APIConnectionError as error:
        raise unreachable(settings, error) from error


def _bounded(stream: Any, deadline: float, most: int, request: httpx2.Request) -> httpx2.SyncByteStream:
    return _bounded_type()(stream, deadline, most, request)  # type: ignore[no-any-return]


@cache
def _bounded_type() -> Any:
    """Return the class of a body that ends in an error when it takes too long or too much; made once, for speed."""
    import httpx2

    class Bounded(httpx2.SyncByteStream):
        def __init__(self, stream: Any, deadline: float, most: int, request: httpx2.Request) -> None:
            self._stream = stream
            self._deadline = deadline
            self._most = most
            self._request = request

        def __iter__(self) -> Iterator[bytes]:
            read = 0
            for part in self._stream:
                read += len(part)
                if read > self._most:
                    raise httpx2.ReadError(f"a reply of more than {self._most} bytes", request=self._request)
                if time.monotonic() > self._deadline:
                    raise httpx2.ReadTimeout("the reply took too long", request=self._request)
                yield part

        def close(self) -> None:
            self._stream.close()

        @property
        def elapsed(self) -> Any:
            return self._stream.elapsed

    return Bounded
