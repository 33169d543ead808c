"""The hosted models' part of the composition root: from a config to an embedder, if texts may leave the machine."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

from strata_rag.cache import Cache
from strata_rag.config import Embedding
from strata_rag.embedding import DEFAULT_BASE_URL, ModelFiles, ModelSpec, OpenAIEmbedder
from strata_rag.errors import InputError, ModelUnavailable
from strata_rag.experiment.workspace import Workspace


def hosted_model_id(embedding: Embedding) -> str:
    """Return the canonical id of a hosted model."""
    return f"openai/{embedding.model}"


def require_allowed(embedding: Embedding, workspace: Workspace) -> None:
    """Refuse to send texts off this machine unless the config allows it and the key is there.

    Raises:
        InputError: ``embedding.allow_remote`` is not true.
        ModelUnavailable: The variable with the key is not set.
    """
    url = embedding.base_url or DEFAULT_BASE_URL
    if is_loopback(url):
        return
    if not embedding.allow_remote:
        raise InputError(
            f"embedding.allow_remote: expected true, since provider openai sends every chunk and question to {url}; "
            "found false",
            hint="set it to true if the corpus may leave this machine, or choose a local model",
        )
    if not workspace.environ.get(embedding.api_key_env):
        raise ModelUnavailable(
            f"{url}: expected an API key in the variable {embedding.api_key_env}, it is not set",
            hint="set it; embedding.api_key_env names another variable",
        )


def hosted_embedder(
    embedding: Embedding, workspace: Workspace, cache: Cache, announce: Callable[[str], None]
) -> OpenAIEmbedder:
    """Return the config's hosted model.

    Raises:
        InputError: ``embedding.allow_remote`` is not true.
        ModelUnavailable: The variable with the key is not set.
    """
    require_allowed(embedding, workspace)
    url = embedding.base_url or DEFAULT_BASE_URL

    def leaving(line: str) -> None:
        announce(line if is_loopback(url) else f"the corpus leaves this machine: {line}")

    return OpenAIEmbedder(
        embedding.model,
        base_url=url,
        api_key=workspace.environ.get(embedding.api_key_env) or None,
        api_key_env=embedding.api_key_env,
        cache=cache,
        max_texts=embedding.batch_size,
        max_tokens=embedding.request_tokens,
        announce=leaving,
    )


def hosted_spec(embedder: OpenAIEmbedder, embedding: Embedding) -> ModelSpec:
    """Return what is known of a hosted model; asks the server for its dimension once."""
    files = ModelFiles(hosted_model_id(embedding), embedding.revision, Path(), "hosted")
    return ModelSpec(files, embedder.fingerprint, embedder.dimension, None, "", 1.0)


def is_loopback(url: str) -> bool:
    """Tell whether a server stands on this machine."""
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
