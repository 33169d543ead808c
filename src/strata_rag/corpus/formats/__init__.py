"""From files to text: one reader a format, and processes to run them in."""

from strata_rag.corpus.formats.extraction import Extraction, Limits, NoReader, Options, Part, Unreadable
from strata_rag.corpus.formats.pool import ReaderPool
from strata_rag.corpus.formats.read import SUFFIXES, extract, extract_bytes

__all__ = [
    "SUFFIXES",
    "Extraction",
    "Limits",
    "NoReader",
    "Options",
    "Part",
    "ReaderPool",
    "Unreadable",
    "extract",
    "extract_bytes",
]
