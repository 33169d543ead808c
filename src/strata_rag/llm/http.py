"""The HTTP client that every provider's requests go through."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from strata_rag.llm.failures import not_understood, too_slow, unreachable
from strata_rag.llm.settings import ModelSettings

if TYPE_CHECKING:
    import httpx2

_CONNECT_SECONDS = 10.0
_BEGAN = "strata_began"


def http_client(settings: ModelSettings) -> httpx2.Client:
    """Return a client that gives a request up after `settings.timeout` seconds in all, and follows no redirect.

    A library's own timeout is of silence: a server that sends a byte a second would never meet it. A redirect would
    send the prompt to another server than the config names. Proxies of the environment are used for servers elsewhere
    only.
    """
    import httpx2

    timeout = settings.timeout

    def begin(request: httpx2.Request) -> None:
        request.extensions[_BEGAN] = time.monotonic()

    def bound(response: httpx2.Response) -> None:
        deadline = response.request.extensions[_BEGAN] + timeout
        response.stream = _bounded(response.stream, deadline, response.request)

    return httpx2.Client(
        timeout=httpx2.Timeout(timeout, connect=min(_CONNECT_SECONDS, timeout), pool=None),
        limits=httpx2.Limits(max_connections=None, max_keepalive_connections=settings.connections),
        trust_env=not settings.is_local,
        follow_redirects=False,
        event_hooks={"request": [begin], "response": [bound]},
    )


@contextmanager
def transport_errors(settings: ModelSettings) -> Iterator[None]:
    """Turn what goes wrong between here and the server into our error, whether a package has wrapped it or not."""
    import httpx2

    try:
        yield
    except httpx2.TimeoutException as error:
        raise too_slow(settings) from error
    except httpx2.TransportError as error:
        raise unreachable(settings, error) from error
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise not_understood(settings, str(error)) from error


def _bounded(stream: Any, deadline: float, request: httpx2.Request) -> httpx2.SyncByteStream:
    import httpx2

    class Bounded(httpx2.SyncByteStream):
        def __iter__(self) -> Iterator[bytes]:
            for part in stream:
                if time.monotonic() > deadline:
                    raise httpx2.ReadTimeout("the reply took too long", request=request)
                yield part

        def close(self) -> None:
            stream.close()

        @property
        def elapsed(self) -> Any:
            return stream.elapsed

    return Bounded()
