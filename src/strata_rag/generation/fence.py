"""Fences: passages set apart from instructions by a marker that nobody who wrote them knows."""

from __future__ import annotations

from collections.abc import Sequence

from strata_rag.generation.answer import ContextPassage
from strata_rag.generation.guards.hidden import without_hidden
from strata_rag.llm import fence_marker

_LONGEST_LABEL = 120
# What a label is made of: a title that holds it could end the label, or state a page of its own.
_FORGING = str.maketrans("<>|", "‹›¦")


def request_marker(key: bytes, question: str, passages: Sequence[ContextPassage]) -> str:
    """Return the request's marker, which stands neither in the passages nor in the question.

    It is a keyed digest of the request. Without the key it can't be told from a random one; with it the same request
    gets the same marker, so that a cache knows the request again.

    Args:
        key: Random bytes of this workspace.
        question: The question.
        passages: What the marker is to set apart.
    """
    texts = [question, *(part for passage in passages for part in (fence_label(passage), passage.text))]
    attempt = 0
    while True:
        marker = fence_marker(key, [*texts, str(attempt)])
        if not any(marker in text.lower() for text in texts):
            return marker
        attempt += 1


def fenced(passages: Sequence[ContextPassage], marker: str) -> str:
    """Return the passages, each between two lines with its number and the marker."""
    return "\n\n".join(_between_fences(passage, marker) for passage in passages)


def _between_fences(passage: ContextPassage, marker: str) -> str:
    label = f"passage {passage.number}: {fence_label(passage)}"
    return f"<<{marker} {label}>>\n{passage.text}\n<<{marker} end of passage {passage.number}>>"


def plain(passages: Sequence[ContextPassage]) -> str:
    """Return the passages under their numbers, with nothing that sets them apart."""
    return "\n\n".join(f"[{passage.number}] {fence_label(passage)}\n{passage.text}" for passage in passages)


def fence_label(passage: ContextPassage) -> str:
    """Return what names a passage: document, page or section, on one line and without hidden characters."""
    parts = [_on_a_line(passage.doc_id)]
    if passage.title and passage.title != passage.doc_id:
        parts.append(f"title {_on_a_line(passage.title)}")
    if passage.page is not None:
        parts.append(f"page {passage.page}")
    if passage.section:
        parts.append(f"section {_on_a_line(passage.section)}")
    return " | ".join(parts)


def _on_a_line(text: str) -> str:
    clean = " ".join(without_hidden(text).text.translate(_FORGING).split())
    clean = "".join(letter for letter in clean if letter.isprintable())
    return clean if len(clean) <= _LONGEST_LABEL else clean[: _LONGEST_LABEL - 1] + "…"
