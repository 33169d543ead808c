"""The language models' part of the composition root: from a config's section to a client that may be asked."""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Lock
from urllib.parse import urlsplit

import numpy as np

from strata_rag.cache import Cache
from strata_rag.config import LanguageModel
from strata_rag.errors import InputError, ModelUnavailable, WriteFailed
from strata_rag.experiment.hosted import is_loopback
from strata_rag.experiment.workspace import Workspace
from strata_rag.llm import (
    ANTHROPIC_URL,
    OLLAMA_URL,
    OPENAI_URL,
    AnthropicClient,
    Budget,
    BudgetedClient,
    CachedClient,
    Completion,
    LimitedClient,
    Limiters,
    LLMClient,
    LLMInfo,
    Message,
    ModelSettings,
    OllamaClient,
    OpenAIClient,
    RecordingClient,
    ReplayClient,
    RetryingClient,
    RetryPolicy,
    Schema,
    TokenPrice,
    Watchdog,
    WatchedClient,
)

ASKED = ("anthropic", "openai", "ollama")
"""Providers that send something."""
_URLS = {"anthropic": ANTHROPIC_URL, "openai": OPENAI_URL, "ollama": OLLAMA_URL}
_KEYS = {"anthropic": "ANTHROPIC_API_KEY", "openai": "OPENAI_API_KEY"}
_OLLAMA_PORT = 11434
_KEY_BYTES = 32


def build_llm(
    section: LanguageModel,
    workspace: Workspace,
    cache: Cache,
    announce: Callable[[str], None] = lambda _: None,
    *,
    where: str = "generation",
    budget: Budget | None = None,
    watchdog: Watchdog | None = None,
    limiters: Limiters | None = None,
) -> LLMClient:
    """Return the client of a config's section: cached, within the budget, tried again, limited. Nothing is sent yet.

    Args:
        section: The config's section.
        workspace: Where keys are looked up.
        cache: Keeps complete replies.
        announce: Told once where texts are sent, and what the model does not take.
        where: The section's path in the config, for messages.
        budget: Shared by all models of a run.
        watchdog: Likewise.
        limiters: Likewise: two sections with one model share its limiter.

    Raises:
        InputError: The section names no model, or one elsewhere without `allow_remote`; or a cost is limited without
            a price.
        ModelUnavailable: The variable with the key is not set.
    """
    if section.provider == "replay":
        return _replay(section, where)
    budget = budget or Budget()
    if budget.max_cost is not None and section.price is None:
        raise InputError(
            f"{where}.price: expected what {section.model} costs, since a cost is limited; found none",
            hint=f"set {where}.price.input and {where}.price.output (US dollars per million tokens); 0 if it is free",
        )
    asking = ask_directly(section, workspace, announce, where=where, watchdog=watchdog, limiters=limiters)
    paying = BudgetedClient(asking, budget, price=token_price(section), max_tokens=section.max_tokens)
    client: LLMClient = CachedClient(paying, cache, budget=budget)
    return client if section.record is None else RecordingClient(client, section.record)


def ask_directly(
    section: LanguageModel,
    workspace: Workspace,
    announce: Callable[[str], None],
    *,
    where: str,
    watchdog: Watchdog | None = None,
    limiters: Limiters | None = None,
) -> LLMClient:
    """Return a client like `build_llm` does, but one that sends every call: no cache, no budget.

    Raises:
        InputError: The section names no model, or one elsewhere without `allow_remote`.
        ModelUnavailable: The variable with the key is not set.
    """
    if section.provider == "replay":
        return _replay(section, where)
    settings = model_settings(section, workspace, where=where)
    provider = _provider(section, settings, announce)
    watchdog = watchdog or Watchdog(announce)
    watchdog.limit(section.run_for)
    limiter = (limiters or Limiters()).of(provider.describe(), section.concurrency)
    watched = WatchedClient(_Announcing(provider, announce, _leaving(section, settings)), watchdog)
    return RetryingClient(
        LimitedClient(watched, limiter),
        policy=RetryPolicy(total=section.retry_for),
        rng=np.random.default_rng(0),
        watchdog=watchdog,
    )


def model_settings(section: LanguageModel, workspace: Workspace, *, where: str) -> ModelSettings:
    """Return how the model is asked, if it may be.

    Raises:
        InputError: The section names no model, or one elsewhere without `allow_remote`.
        ModelUnavailable: The variable with the key is not set.
    """
    if section.provider not in ASKED:
        raise InputError(
            f"{where}.provider: expected a language model ({', '.join(ASKED)} or replay), found {section.provider}",
            hint=f"set {where}.provider and {where}.model",
        )
    if section.model is None:
        raise InputError(
            f"{where}.model: expected the provider's name of a model, found none",
            hint=f"set {where}.model to a name that {section.provider} knows",
        )
    url = section.base_url or _URLS[section.provider]
    require_url(url, where)
    if not is_loopback(url) and not section.allow_remote:
        raise InputError(
            f"{where}.allow_remote: expected true, since provider {section.provider} sends questions and passages to "
            f"{url}; found false",
            hint="set it to true if they may leave this machine, or choose a model on it",
        )
    key, variable = _key(section, workspace, url, where)
    return ModelSettings(
        model=section.model,
        base_url=url,
        api_key=key,
        api_key_env=variable,
        is_local=is_loopback(url),
        temperature=section.temperature,
        max_tokens=section.max_tokens,
        context=section.context,
        timeout=section.timeout,
        connections=section.concurrency,
        price=token_price(section),
        where=where,
    )


def require_url(url: str, where: str) -> None:
    """Refuse what is no address of an HTTP server."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InputError(
            f"{where}.base_url: expected an address like http://localhost:8080/v1, found {url}",
            hint="write it with http:// or https://",
        )


def token_price(section: LanguageModel) -> TokenPrice | None:
    """Return the config's price; None: unknown."""
    return TokenPrice(section.price.input, section.price.output) if section.price else None


def fence_key(workspace: Workspace) -> bytes:
    """Return the workspace's secret that fence markers are made with; the first call makes it."""
    path = workspace.home / "fence.key"
    try:
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            _write_secret(path)
        return path.read_bytes()
    except OSError as error:
        raise WriteFailed(
            f"{path}: expected to keep a secret for fence markers, found: {error.strerror or error}",
            hint="check the folder's permissions and disk space, or point STRATA_HOME elsewhere",
        ) from error


def _write_secret(path: Path) -> None:
    """Write a new secret that only its owner may read; one that another process has written meanwhile stays."""
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(secrets.token_bytes(_KEY_BYTES))
    try:
        with contextlib.suppress(FileExistsError):
            os.link(partial, path)
    finally:
        partial.unlink()


def _replay(section: LanguageModel, where: str) -> ReplayClient:
    if section.replay is None:
        raise InputError(
            f"{where}.replay: expected a file of recorded replies, found none",
            hint=f"set {where}.replay to a file that {where}.record has written",
        )
    return ReplayClient(section.replay, section.model or "")


def _provider(section: LanguageModel, settings: ModelSettings, announce: Callable[[str], None]) -> LLMClient:
    if section.provider == "anthropic":
        return AnthropicClient(settings)
    if section.provider == "ollama":
        return OllamaClient(settings, announce)
    return OpenAIClient(settings)


def _key(section: LanguageModel, workspace: Workspace, url: str, where: str) -> tuple[str, str]:
    """Return key and variable: the provider's own key goes to the provider's own server alone."""
    is_own = url.rstrip("/") == _URLS[section.provider]
    variable = section.api_key_env or (_KEYS.get(section.provider, "") if is_own else "")
    key = workspace.environ.get(variable, "") if variable else ""
    if variable and not key and not is_loopback(url):
        raise ModelUnavailable(
            f"{url}: expected an API key in the variable {variable}, it is not set",
            hint=f"set it; {where}.api_key_env names another variable",
        )
    return key, variable


def _leaving(section: LanguageModel, settings: ModelSettings) -> list[str]:
    """Return what is said before the first request."""
    said = []
    if not settings.is_local:
        said.append(
            f"questions and passages leave this machine: they are sent to {settings.base_url} "
            f"({settings.where}.provider {section.provider})"
        )
    if section.provider == "openai" and urlsplit(settings.base_url).port == _OLLAMA_PORT:
        said.append(
            f"{settings.base_url} looks like Ollama, which can't be told the size of the context window this way; "
            f"set {settings.where}.provider to ollama, or prompts may be cut"
        )
    return said


class _Announcing:
    """Says before the first request where it goes, and after it what the model did not take."""

    def __init__(self, client: LLMClient, announce: Callable[[str], None], lines: Sequence[str]) -> None:
        self._client = client
        self._announce = announce
        self._lines = list(lines)
        self._noted: set[str] = set()
        self._lock = Lock()

    def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: Schema | None = None,
        repetition: int = 0,
        on_text: Callable[[str], None] | None = None,
    ) -> Completion:
        with self._lock:
            while self._lines:
                self._announce(self._lines.pop(0))
        completion = self._client.complete(messages, schema=schema, repetition=repetition, on_text=on_text)
        self._say_once(completion.notes)
        return completion

    def describe(self) -> LLMInfo:
        return self._client.describe()

    def _say_once(self, notes: Sequence[str]) -> None:
        with self._lock:
            for note in notes:
                if note not in self._noted:
                    self._noted.add(note)
                    self._announce(f"note: {self._client.describe().model}: {note}")
