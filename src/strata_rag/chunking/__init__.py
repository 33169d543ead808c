"""Cutting documents into chunks: one file per strategy."""

from strata_rag.chunking.chunker import CHUNKING_VERSION, Chunker, with_title
from strata_rag.chunking.document import DocumentChunker
from strata_rag.chunking.window import WindowChunker

__all__ = ["CHUNKING_VERSION", "Chunker", "DocumentChunker", "WindowChunker", "with_title"]
