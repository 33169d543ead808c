"""Documents in: source adapters and the manifest."""

from strata_rag.corpus.adapter import FileOutcome, SourceAdapter
from strata_rag.corpus.beir import BeirAdapter
from strata_rag.corpus.coverage import OUTLIER_RULE, Coverage, EmptyPages, Outlier, Share
from strata_rag.corpus.manifest import (
    DocumentFigures,
    Manifest,
    ManifestRow,
    RedactedDocument,
    build_manifest,
    pages_without_text,
    text_digest,
)
from strata_rag.corpus.manifest_diff import Change, FileChange, ManifestDiff, ShareChange, diff_manifests
from strata_rag.corpus.manifest_files import (
    find_manifest,
    keep_manifest,
    preview_path,
    remove_manifests,
    split_reference,
    write_manifest,
)
from strata_rag.corpus.manifest_json import read_manifest
from strata_rag.corpus.quality import RULES, CorpusQuality, DocumentQuality, corpus_quality
from strata_rag.corpus.source import files_digest, open_corpus
from strata_rag.corpus.text_files import TextFilesAdapter

__all__ = [
    "OUTLIER_RULE",
    "RULES",
    "BeirAdapter",
    "Change",
    "CorpusQuality",
    "Coverage",
    "DocumentFigures",
    "DocumentQuality",
    "EmptyPages",
    "FileChange",
    "FileOutcome",
    "Manifest",
    "ManifestDiff",
    "ManifestRow",
    "Outlier",
    "RedactedDocument",
    "Share",
    "ShareChange",
    "SourceAdapter",
    "TextFilesAdapter",
    "build_manifest",
    "corpus_quality",
    "diff_manifests",
    "files_digest",
    "find_manifest",
    "keep_manifest",
    "open_corpus",
    "pages_without_text",
    "preview_path",
    "read_manifest",
    "remove_manifests",
    "split_reference",
    "text_digest",
    "write_manifest",
]
