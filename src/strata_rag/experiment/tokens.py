"""Counting tokens, in batches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import TypeVar

from strata_rag.embedding import TokenCounter
from strata_rag.progress import Progress

_BATCH = 1024
_Item = TypeVar("_Item")


def batches(items: Sequence[_Item], size: int) -> Iterator[list[_Item]]:
    """Yield `items` in lists of at most `size`."""
    rest = iter(items)
    while batch := list(islice(rest, size)):
        yield batch


def count_tokens(counter: TokenCounter, texts: Mapping[str, str], progress: Progress) -> dict[str, int]:
    """Return tokens by key of `texts`."""
    progress.phase("counting tokens", len(texts))
    tokens: dict[str, int] = {}
    for keys in batches(list(texts), _BATCH):
        tokens |= zip(keys, counter.count([texts[key] for key in keys]), strict=True)
        progress.advance(len(keys))
    return tokens


def count_truncated(tokens: Mapping[str, int], limit: int | None) -> int | None:
    """Return how many texts are longer than `limit` tokens; None where nothing tells."""
    if not tokens or limit is None:
        return None
    return sum(count > limit for count in tokens.values())
