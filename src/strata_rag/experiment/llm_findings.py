"""What `check` and `doctor` say of a config's language models."""

from __future__ import annotations

import importlib.util
import queue
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TypeVar

from strata_rag.config import LanguageModel
from strata_rag.errors import LLMError
from strata_rag.experiment.llm import ASKED, ask_directly, model_settings
from strata_rag.experiment.workspace import Workspace
from strata_rag.llm import Completion, Message, ReplayClient, list_models, offers
from strata_rag.report import Finding

T = TypeVar("T")

_PACKAGES = {"anthropic": "anthropic", "openai": "openai", "ollama": "httpx2"}
_CHECK_SECONDS = 1.0
_GREETING = [Message("user", "Reply with the single word: ready")]


def check_llm(section: LanguageModel, workspace: Workspace, *, where: str) -> Iterator[Finding]:
    """Yield what is known of a language model without a call that costs anything."""
    if section.provider == "replay":
        yield from _check_replay(section, where)
        return
    if section.provider not in ASKED:
        yield Finding(where, "ok", f"{section.provider}: no language model")
        return
    settings = model_settings(section, workspace, where=where)
    package = _PACKAGES[section.provider]
    if importlib.util.find_spec(package) is None:
        message = f"{package}: expected the package, it is not installed"
        yield Finding(where, "problem", message, f"pip install {package}", 3)
        return
    if not settings.is_local:
        yield Finding(where, "note", f"questions and passages are sent to {settings.base_url}")
    if settings.price is None:
        message = f"{where}.price is not set: what a run costs stays unknown"
        yield Finding(where, "note", message, f"set {where}.price.input and {where}.price.output")
    name = f"{section.provider} {settings.model}"
    if workspace.offline and not settings.is_local:
        yield Finding(
            where, "note", f"{name}: {settings.base_url} was not asked, since STRATA_OFFLINE is set"
        )
        return
    try:
        listed = _within_seconds(
            lambda: list_models(section.provider, replace(settings, timeout=_CHECK_SECONDS))
        )
    except LLMError as error:
        if settings.is_local or error.kind == "auth":
            raise
        yield Finding(where, "note", f"{name}: {settings.base_url} did not answer in a second", error.hint)
        return
    if listed is None or offers(listed, settings.model):
        yield Finding(where, "ok", f"{name} at {settings.base_url}")
    else:
        message = f"{settings.base_url}: expected the model {settings.model}, found {_few(listed)}"
        yield Finding(where, "problem", message, f"set {where}.model to one that the server offers", 3)


def _within_seconds(ask: Callable[[], T]) -> T:
    """Return what `ask` returns; looking a name up knows no timeout of its own."""
    answers: queue.SimpleQueue[T | Exception] = queue.SimpleQueue()

    def work() -> None:
        try:
            answers.put(ask())
        except Exception as error:  # raised again in the caller's thread
            answers.put(error)

    threading.Thread(target=work, daemon=True).start()
    try:
        answer = answers.get(timeout=2 * _CHECK_SECONDS)
    except queue.Empty:
        raise LLMError("no answer in time", hint="check the network", kind="timeout") from None
    if isinstance(answer, Exception):
        raise answer
    return answer


def try_llm(section: LanguageModel, workspace: Workspace, *, where: str) -> Iterator[Finding]:
    """Make one real call, past the cache, and yield what it took."""
    said: list[str] = []
    client = ask_directly(section, workspace, said.append, where=where)
    reply = client.complete(_GREETING)
    for line in said:
        yield Finding("llm", "note", line)
    info = client.describe()
    what = f"{where}: {info.provider} {info.model} at {info.base_url}"
    if reply.status != "complete":
        status = reply.status.replace("_", " ")
        message = f"{what}: expected an answer, found one that is {status} ({reply.stop_reason})"
        yield Finding("llm", "problem", message, f"check {where}.max_tokens and the model", 3)
        return
    hint = "" if reply.cost is not None else f"set {where}.price.input and {where}.price.output"
    yield Finding("llm", "ok", f"{what} answers {reply.text.strip()[:40]!r}: {_took(reply)}", hint)


def _took(reply: Completion) -> str:
    read, written = (
        "an unknown number of" if count is None else str(count)
        for count in (reply.usage.input_tokens, reply.usage.output_tokens)
    )
    cost = "cost unknown, since no price is set" if reply.cost is None else f"cost ${reply.cost:.6f}"
    return f"{reply.latency_ms:.0f} ms, {read} tokens read, {written} written, {cost}"


def _check_replay(section: LanguageModel, where: str) -> Iterator[Finding]:
    if section.replay is None:
        message = f"{where}.replay: expected a file of recorded replies, found none"
        yield Finding(where, "problem", message, f"set {where}.replay", 2)
        return
    ReplayClient(section.replay, section.model or "").describe()
    yield Finding(where, "ok", f"replies are read from {section.replay}")


def _few(names: tuple[str, ...]) -> str:
    shown = ", ".join(names[:5]) or "none"
    return shown if len(names) <= 5 else f"{shown} and {len(names) - 5} more"
