"""A window of characters that moves over the text and prefers to cut between words."""

from __future__ import annotations

from strata_rag.chunking.chunker import slice_chunk, whole_span
from strata_rag.chunking.cutting import CharacterRuler, cut_spans
from strata_rag.documents import Chunk, SourceDocument


class WindowChunker:
    """Cuts windows of at most `size` characters, of which neighbours share at most `overlap`.

    A window that would end inside a word ends before it, unless that gives up more than half of the
    window; the next one begins at a word's start where the overlap holds one. Words longer than that,
    and scripts that write without spaces, are cut at the character.

    Args:
        size: Most code points in a chunk, at least 1.
        overlap: Most code points that neighbours share, at least 0 and below `size`.

    Raises:
        ValueError: `size` or `overlap` is out of range.
    """

    def __init__(self, *, size: int, overlap: int) -> None:
        self._ruler = CharacterRuler(size, overlap)

    def chunk(self, document: SourceDocument) -> list[Chunk]:
        """Return the document's windows in order; none where it holds only white space."""
        text = document.text
        return [slice_chunk(document, *span) for span in cut_spans(text, whole_span(text), self._ruler)]
