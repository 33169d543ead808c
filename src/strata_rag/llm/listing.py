"""Which models a server offers: asking that costs nothing and tells whether server and key are right."""

from __future__ import annotations

import time
from typing import Any

from strata_rag.llm.failures import Refusal, failure
from strata_rag.llm.http import http_client, transport_errors
from strata_rag.llm.settings import ModelSettings

_PATHS = {"anthropic": "/v1/models?limit=1000", "openai": "/models", "ollama": "/api/tags"}
_ANTHROPIC_VERSION = "2023-06-01"


def list_models(provider: str, settings: ModelSettings) -> tuple[str, ...] | None:
    """Return the names of the models that a server offers, or None where it keeps no such list.

    Raises:
        LLMError: No server answers within `settings.timeout`, or it refuses the key.
    """
    base = settings.base_url.rstrip("/")
    if provider == "ollama":
        base = base.removesuffix("/v1").removesuffix("/api")
    headers = {"Authorization": f"Bearer {settings.api_key}"} if settings.api_key else {}
    if provider == "anthropic":
        headers = {"x-api-key": settings.api_key, "anthropic-version": _ANTHROPIC_VERSION}
    with transport_errors(settings), http_client(settings) as client:
        response = client.get(f"{base}{_PATHS[provider]}", headers=headers)
        if response.status_code in (401, 403):
            raise failure(
                settings, Refusal.of(response.status_code, None, response.headers, today=time.time())
            )
        if response.status_code != 200:
            return None
        return _names(response.json())


def offers(listed: tuple[str, ...], model: str) -> bool:
    """Tell whether `model` is among the listed; Ollama adds ``:latest`` to a name without a tag."""
    return model in listed or f"{model}:latest" in listed


def _names(document: Any) -> tuple[str, ...] | None:
    listed = document.get("data") or document.get("models") if isinstance(document, dict) else None
    if not isinstance(listed, list):
        return None
    names = [
        item.get("id") or item.get("model") or item.get("name") for item in listed if isinstance(item, dict)
    ]
    return tuple(str(name) for name in names if name)
