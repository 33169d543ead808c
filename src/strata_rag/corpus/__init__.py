"""Documents in: source adapters and the manifest."""

from strata_rag.corpus.adapter import FileOutcome, SourceAdapter
from strata_rag.corpus.beir import BeirAdapter
from strata_rag.corpus.manifest import DocumentFigures, Manifest, ManifestRow, build_manifest, write_manifest
from strata_rag.corpus.source import files_digest, open_corpus
from strata_rag.corpus.text_files import TextFilesAdapter

__all__ = [
    "BeirAdapter",
    "DocumentFigures",
    "FileOutcome",
    "Manifest",
    "ManifestRow",
    "SourceAdapter",
    "TextFilesAdapter",
    "build_manifest",
    "files_digest",
    "open_corpus",
    "write_manifest",
]
