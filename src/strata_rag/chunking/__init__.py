"""Cutting documents into chunks: one file per strategy."""

from strata_rag.chunking.by_type import ByTypeChunker, document_type, normal_type
from strata_rag.chunking.chunker import CHUNKING_VERSION, Chunker, with_title
from strata_rag.chunking.document import DocumentChunker
from strata_rag.chunking.markdown import HEADING_PATH, MarkdownChunker
from strata_rag.chunking.semantic import SemanticChunker
from strata_rag.chunking.sentence import SentenceChunker, SentenceWindowChunker
from strata_rag.chunking.sentences import sentence_spans
from strata_rag.chunking.token import TokenChunker, Tokenizer, WordTokenizer
from strata_rag.chunking.window import WindowChunker

__all__ = [
    "CHUNKING_VERSION",
    "HEADING_PATH",
    "ByTypeChunker",
    "Chunker",
    "DocumentChunker",
    "MarkdownChunker",
    "SemanticChunker",
    "SentenceChunker",
    "SentenceWindowChunker",
    "TokenChunker",
    "Tokenizer",
    "WindowChunker",
    "WordTokenizer",
    "document_type",
    "normal_type",
    "sentence_spans",
    "with_title",
]
