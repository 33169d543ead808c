"""Whole documents as chunks."""

from __future__ import annotations

from strata_rag.chunking.chunker import slice_chunk, whole_span
from strata_rag.documents import Chunk, SourceDocument


class DocumentChunker:
    """One chunk a document, without the white space at its ends."""

    def chunk(self, document: SourceDocument) -> list[Chunk]:
        """Return the document's one chunk; none where it holds only white space."""
        start, end = whole_span(document.text)
        return [slice_chunk(document, start, end)] if end > start else []
