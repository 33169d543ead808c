"""From a provider's refusal to the one error type."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any

from strata_rag.errors import LLMError, LLMErrorKind
from strata_rag.llm.settings import ModelSettings

_SAID_LENGTH = 300
# Codes and types of an account that is empty or over its limit, whatever the status they come with.
_NO_MONEY = re.compile(
    r"insufficient_quota|billing|spend_limit|credit_balance|payment_required", re.IGNORECASE
)
_NO_CREDIT = re.compile(r"credit balance is too low|insufficient (?:balance|credits?)", re.IGNORECASE)
_KIND_OF_TYPE: Mapping[str, LLMErrorKind] = {
    "authentication_error": "auth",
    "permission_error": "auth",
    "rate_limit_error": "rate_limit",
    "rate_limit_exceeded": "rate_limit",
    "overloaded_error": "overloaded",
    "timeout_error": "timeout",
    "invalid_request_error": "bad_request",
    "request_too_large": "bad_request",
}
_KIND_OF_STATUS: Mapping[int, LLMErrorKind] = {
    401: "auth",
    402: "quota",
    403: "auth",
    404: "not_found",
    408: "timeout",
    409: "server",
    429: "rate_limit",
    503: "overloaded",
    504: "timeout",
    529: "overloaded",
}


@dataclass(frozen=True, slots=True)
class Refusal:
    """What a server said in place of a reply.

    Attributes:
        status: HTTP status; 200 where the refusal came inside a stream.
        code: Machine-readable code, or an empty string.
        type: Machine-readable type, likewise.
        param: The parameter it is about, likewise.
        message: In words.
        retry_after: Seconds it asks to wait, or None.
    """

    status: int
    code: str = ""
    type: str = ""
    param: str = ""
    message: str = ""
    retry_after: float | None = None

    @classmethod
    def of(cls, status: int, body: object, headers: Mapping[str, str], *, today: float) -> Refusal:
        """Read a body as Anthropic, OpenAI, Ollama and the servers that imitate them write it."""
        if 300 <= status < 400:
            return cls(status, message=headers.get("location", ""))
        error: Any = body.get("error", body) if isinstance(body, Mapping) else body
        wait = read_retry_after(headers, today=today)
        if not isinstance(error, Mapping):
            return cls(status, message=str(error or ""), retry_after=wait)
        details = error.get("details")
        code = error.get("code") or (details.get("error_code") if isinstance(details, Mapping) else None)
        return cls(
            status,
            code=str(code or ""),
            type=str(error.get("type") or ""),
            param=str(error.get("param") or ""),
            message=str(error.get("message") or ""),
            retry_after=wait,
        )

    @property
    def kind(self) -> LLMErrorKind:
        """What went wrong, in one word for all providers."""
        if _NO_MONEY.search(f"{self.code} {self.type}") or _NO_CREDIT.search(self.message):
            return "quota"
        if self.status in _KIND_OF_STATUS:
            return _KIND_OF_STATUS[self.status]
        if self.status < 300:
            return _KIND_OF_TYPE.get(self.type) or _KIND_OF_TYPE.get(self.code, "server")
        return "bad_request" if self.status < 500 else "server"

    def mentions(self, *words: str) -> bool:
        """Tell whether it is about one of `words`."""
        said = f"{self.param} {self.code} {self.message}".lower()
        return any(word in said for word in words)


def read_retry_after(headers: Mapping[str, str], *, today: float) -> float | None:
    """Return the seconds a response asks to wait: given in milliseconds, in seconds, or as a date (RFC 9110)."""
    for name, scale in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        text = headers.get(name, "").strip()
        if not text:
            continue
        try:
            seconds = float(text) / scale
        except ValueError:
            try:
                seconds = parsedate_to_datetime(text).timestamp() - today
            except ValueError:
                continue
        if math.isfinite(seconds):
            return max(seconds, 0.0)
    return None


def failure(settings: ModelSettings, refusal: Refusal) -> LLMError:
    """Return the error of a refusal."""
    kind = refusal.kind
    said = _one_line(refusal.message or refusal.code or refusal.type, settings)
    where = f"{settings.base_url}: expected a reply of {settings.model}"
    status = f" ({refusal.status})" if refusal.status >= 300 else ""
    found = (
        f"a redirect, which is not followed{status}"
        if refusal.status < 400 and status
        else {
            "auth": f"the server refused the key{status}",
            "quota": f"the account can't pay for more{status}",
            "not_found": f"the server knows no such model or path{status}",
            "rate_limit": f"too many calls{status}",
            "overloaded": f"the server is overloaded{status}",
            "timeout": f"the server gave up waiting{status}",
            "bad_request": f"the server refused the request{status}",
        }.get(kind, f"the server failed{status}")
    )
    message = f"{where}, {found}" + (f": {said}" if said else "")
    return LLMError(message, hint=_hint(kind, settings, refusal), kind=kind, retry_after=refusal.retry_after)


def unreachable(settings: ModelSettings, error: BaseException) -> LLMError:
    """Return the error of a request that no server answered, or whose answer broke off."""
    said = _one_line(str(_root(error)) or type(error).__name__, settings)
    return LLMError(
        f"{settings.base_url}: expected a reply of {settings.model}, found no connection, or a broken one: {said}",
        hint=f"check that the server runs and {settings.where}.base_url names it; what was answered is kept",
        kind="connection",
    )


def too_slow(settings: ModelSettings) -> LLMError:
    """Return the error of a request that was given up."""
    return LLMError(
        f"{settings.base_url}: expected a reply of {settings.model} within {settings.timeout:g} s, found none",
        hint=f"raise {settings.where}.timeout, or lower {settings.where}.max_tokens",
        kind="timeout",
    )


def broken_off(settings: ModelSettings) -> LLMError:
    """Return the error of a stream that ended before its end; the text so far is no answer."""
    return LLMError(
        f"{settings.base_url}: expected a reply of {settings.model} to its end, found a stream that broke off",
        hint="run again; what was answered is kept",
        kind="connection",
    )


def not_understood(settings: ModelSettings, found: str) -> LLMError:
    """Return the error of an answer that is not what the protocol says."""
    return LLMError(
        f"{settings.base_url}: expected a reply of {settings.model} as JSON, found {_one_line(found, settings)}",
        hint=f"check that {settings.where}.base_url is the address of the API that {settings.where}.provider speaks",
        kind="server",
    )


def _hint(kind: LLMErrorKind, settings: ModelSettings, refusal: Refusal) -> str:
    where = settings.where
    if kind == "auth":
        key = f"the variable {settings.api_key_env}" if settings.api_key_env else f"{where}.api_key_env"
        return f"check {key}, and that its key may use {settings.model}"
    if kind == "quota":
        return "check the account's plan and limits; what was answered is kept, and the next run continues"
    if kind == "not_found":
        return f"check {where}.model and {where}.base_url"
    if 300 <= refusal.status < 400:
        return f"set {where}.base_url to the address that answers, if prompts may go there"
    if kind == "bad_request":
        if refusal.mentions("context", "too long", "too large", "maximum"):
            return "lower retrieval.top_k or chunking.size, or take a model that reads more"
        return f"check {where}.model and the parameters it takes"
    if kind == "timeout":
        return f"raise {where}.timeout, or run again; what was answered is kept"
    return f"run again later, or lower {where}.concurrency; what was answered is kept, and the next run continues"


def _one_line(text: str, settings: ModelSettings) -> str:
    if settings.api_key:
        text = text.replace(settings.api_key, "***")
    return " ".join(text.split())[:_SAID_LENGTH]


def _root(error: BaseException) -> BaseException:
    while error.__cause__ is not None:
        error = error.__cause__
    return error
