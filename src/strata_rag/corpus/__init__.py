"""Documents in: source adapters and the manifest."""

from strata_rag.corpus.adapter import FileOutcome, SourceAdapter
from strata_rag.corpus.beir import BeirAdapter
from strata_rag.corpus.files import FilesAdapter
from strata_rag.corpus.formats import Extraction, Limits, Options, Unreadable, extract
from strata_rag.corpus.manifest import DocumentFigures, Manifest, ManifestRow, build_manifest, write_manifest
from strata_rag.corpus.source import files_digest, open_corpus

__all__ = [
    "BeirAdapter",
    "DocumentFigures",
    "Extraction",
    "FileOutcome",
    "FilesAdapter",
    "Limits",
    "Manifest",
    "ManifestRow",
    "Options",
    "SourceAdapter",
    "Unreadable",
    "build_manifest",
    "extract",
    "files_digest",
    "open_corpus",
    "write_manifest",
]
