"""The seam every chunking strategy stands behind."""

from __future__ import annotations

from typing import Protocol

from strata_rag.documents import Chunk, SourceDocument

CHUNKING_VERSION = 2
"""Grows when any strategy cuts the same text differently; stands in every collection's record."""


class Chunker(Protocol):
    """Cuts a document into chunks, in order.

    What every strategy holds to, for the matched span ``[start, end)``: starts and ends rise from chunk to
    chunk, and every character that is not white space is in some chunk. ``text`` is the document's
    ``[text_start, text_end)``, exactly.
    """

    def chunk(self, document: SourceDocument) -> list[Chunk]:
        """Return the chunks of `document`; none where it holds only white space."""


def with_title(title: str, text: str) -> str:
    """Return the text that is matched: `text` under the document's title, where it has one."""
    return f"{title}\n{text}" if title else text


def whole_span(text: str) -> tuple[int, int]:
    """Return the span of `text` without the white space at its ends; ``(n, n)`` where nothing is left."""
    start = len(text) - len(text.lstrip())
    return start, max(start, len(text.rstrip()))


def slice_chunk(
    document: SourceDocument, start: int, end: int, *, shown: tuple[int, int] | None = None
) -> Chunk:
    """Return the chunk that is matched by ``document.text[start:end]``, and shows `shown`, or the same."""
    text_start, text_end = shown or (start, end)
    return Chunk(
        doc_id=document.doc_id,
        start=start,
        end=end,
        text=document.text[text_start:text_end],
        text_start=text_start,
        text_end=text_end,
        embed_text=with_title(document.title, document.text[start:end]),
    )
