"""From the keys of ``chunking`` to chunkers, and what they say about the stored points."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from strata_rag.chunking import (
    ByTypeChunker,
    Chunker,
    DocumentChunker,
    MarkdownChunker,
    SemanticChunker,
    SentenceChunker,
    SentenceWindowChunker,
    TokenChunker,
    WindowChunker,
    normal_type,
)
from strata_rag.config import Chunking
from strata_rag.embedding import Embedder, ModelTokenCounter
from strata_rag.errors import InputError, ModelUnavailable

_SIZED = {"size", "overlap"}
_USED = {
    "window": _SIZED,
    "document": set[str](),
    "token": _SIZED,
    "sentence": _SIZED | {"overlap_sentences"},
    "sentence-window": _SIZED | {"window"},
    "markdown": _SIZED | {"prepend_headings"},
    "semantic": _SIZED | {"percentile"},
}
"""The keys that each strategy uses: no other makes another collection."""

IN_CHARACTERS = frozenset(_USED) - {"document", "token"}
"""Strategies whose `size` counts characters."""


def said_chunking(chunking: Chunking) -> dict[str, Any]:
    """Return what `chunking` says about the chunks: used keys, those at their default left out."""
    said = _said(chunking)
    by_type = {name: _said(policy) for name, policy in _policies(chunking).items()}
    differing = {name: policy for name, policy in by_type.items() if policy != said}
    return {**said, "by_type": differing} if differing else said


def _said(chunking: Chunking) -> dict[str, Any]:
    used = _USED[chunking.strategy] | {"strategy"}
    return chunking.model_dump(exclude_defaults=True, include=used)


def build_chunker(
    chunking: Chunking, *, embedder: Callable[[], Embedder], tokenizer: Callable[[], ModelTokenCounter]
) -> Chunker:
    """Return the chunker that `chunking` asks for.

    Args:
        chunking: The section.
        embedder: Gives the model for `semantic`; not called for another strategy.
        tokenizer: Gives the model's tokenizer for `token`; not called for another strategy.

    Raises:
        InputError: Size and overlap don't fit the model, or two names of one type are given.
        ModelUnavailable: The model holds no tokenizer that can be read alone.
    """

    def build(policy: Chunking) -> Chunker:
        return _build(policy, embedder, tokenizer)

    by_type = {name: build(policy) for name, policy in _policies(chunking).items()}
    default = build(chunking)
    return ByTypeChunker(default, by_type) if by_type else default


def _policies(chunking: Chunking) -> dict[str, Chunking]:
    policies: dict[str, Chunking] = {}
    for name, policy in chunking.policies().items():
        if policies.setdefault(normal_type(name), policy) is not policy:
            raise InputError(
                f"chunking.by_type: expected each document type once, found {name} beside {normal_type(name)}",
                hint=f"keep {normal_type(name)}; it stands for both",
            )
    return policies


def _build(
    chunking: Chunking, embedder: Callable[[], Embedder], tokenizer: Callable[[], ModelTokenCounter]
) -> Chunker:
    size, overlap = chunking.size, chunking.overlap
    match chunking.strategy:
        case "window":
            return WindowChunker(size=size, overlap=overlap)
        case "document":
            return DocumentChunker()
        case "token":
            return _token_chunker(tokenizer(), size, overlap)
        case "sentence":
            return SentenceChunker(size=size, overlap=overlap, overlap_sentences=chunking.overlap_sentences)
        case "sentence-window":
            return SentenceWindowChunker(size=size, overlap=overlap, window=chunking.window)
        case "markdown":
            return MarkdownChunker(size=size, overlap=overlap, prepend_headings=chunking.prepend_headings)
        case "semantic":
            return SemanticChunker(
                embedder=embedder(), size=size, overlap=overlap, percentile=chunking.percentile
            )


def _token_chunker(tokenizer: ModelTokenCounter, size: int, overlap: int) -> TokenChunker:
    if not tokenizer.available:
        raise ModelUnavailable(
            "chunking.strategy token: expected a model with a tokenizer.json, found none in its folder",
            hint="choose another chunking.strategy, or a model that brings the file",
        )
    limit = tokenizer.max_tokens
    try:
        return TokenChunker(tokenizer=tokenizer, size=size, overlap=overlap, limit=limit)
    except ValueError as error:
        reads = "any number of" if limit is None else str(limit)
        raise InputError(
            f"chunking.overlap: {error} (size in tokens, of which the model reads {reads})",
            hint="lower chunking.overlap, or set chunking.size to the tokens that a chunk may have",
        ) from error
