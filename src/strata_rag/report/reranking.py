"""What a language model was used for as reranker, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def reranking_line(use: Mapping[str, Any]) -> str:
    """Return what a language model was used for as reranker, in one line."""
    cost = "cost unknown" if use["cost"] is None else f"cost ${use['cost']:.4f}"
    parts = [f"{use['calls']} calls, {use['cached']} from the cache"]
    parts.append(f"{use['input_tokens']} tokens read, {use['output_tokens']} written, {cost}")
    if use["fallbacks"]:
        parts.append(f"{use['fallbacks']} questions kept the first stage's order, the reply being no ranking")
    if use["cut"]:
        parts.append(f"{use['cut']} passages shortened (retrieval.rerank.passage_tokens)")
    return f"reranker: {'; '.join(parts)}"
