"""Documents in: source adapters, plugins and families, relevance rules, and the manifest."""

from strata_rag.corpus.adapter import FileOutcome, NotedSource, SourceAdapter
from strata_rag.corpus.beir import BeirAdapter
from strata_rag.corpus.coverage import OUTLIER_RULE, Coverage, EmptyPages, Outlier, Share
from strata_rag.corpus.families import Families, FamilyCheck, Mismatch
from strata_rag.corpus.files import FilesAdapter
from strata_rag.corpus.folder_corpus import FolderCorpus
from strata_rag.corpus.formats import Extraction, Limits, Options, Unreadable, extract
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
from strata_rag.corpus.plugin_loading import load_plugins
from strata_rag.corpus.quality import RULES, CorpusQuality, DocumentQuality, corpus_quality
from strata_rag.corpus.registry import Family, Plugin, Registry
from strata_rag.corpus.rosters import Roster, RosterProblem
from strata_rag.corpus.rules import Rule, Rules
from strata_rag.corpus.rules_file import load_rules, parse_rules, rules_text
from strata_rag.corpus.source import files_digest, is_beir, open_corpus, open_families

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
    "Extraction",
    "Families",
    "Family",
    "FamilyCheck",
    "FileChange",
    "FileOutcome",
    "FilesAdapter",
    "FolderCorpus",
    "Limits",
    "Manifest",
    "ManifestDiff",
    "ManifestRow",
    "Mismatch",
    "NotedSource",
    "Options",
    "Outlier",
    "Plugin",
    "RedactedDocument",
    "Registry",
    "Roster",
    "RosterProblem",
    "Rule",
    "Rules",
    "Share",
    "ShareChange",
    "SourceAdapter",
    "Unreadable",
    "build_manifest",
    "corpus_quality",
    "diff_manifests",
    "extract",
    "files_digest",
    "find_manifest",
    "is_beir",
    "keep_manifest",
    "load_plugins",
    "load_rules",
    "open_corpus",
    "open_families",
    "pages_without_text",
    "parse_rules",
    "preview_path",
    "read_manifest",
    "remove_manifests",
    "rules_text",
    "split_reference",
    "text_digest",
    "write_manifest",
]
