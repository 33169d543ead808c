"""From files to text: one reader a format, and processes to run them in."""

from strata_rag.corpus.formats.extraction import Extraction, Limits, Options, Part, Unreadable
from strata_rag.corpus.formats.read import SUFFIXES, extract, extract_bytes

__all__ = [
    "SUFFIXES",
    "Extraction",
    "Limits",
    "Options",
    "Part",
    "Unreadable",
    "extract",
    "extract_bytes",
]
