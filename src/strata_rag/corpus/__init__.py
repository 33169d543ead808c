"""Documents in: source adapters, plugins and families, relevance rules, and the manifest."""

from strata_rag.corpus.adapter import FileOutcome, NotedSource, SourceAdapter
from strata_rag.corpus.beir import BeirAdapter
from strata_rag.corpus.families import Families, FamilyCheck, Mismatch
from strata_rag.corpus.files import FilesAdapter
from strata_rag.corpus.folder_corpus import FolderCorpus
from strata_rag.corpus.formats import Extraction, Limits, Options, Unreadable, extract
from strata_rag.corpus.manifest import DocumentFigures, Manifest, ManifestRow, build_manifest, write_manifest
from strata_rag.corpus.plugin_loading import load_plugins
from strata_rag.corpus.registry import Family, Plugin, Registry
from strata_rag.corpus.rosters import Roster, RosterProblem
from strata_rag.corpus.rules import Rule, Rules
from strata_rag.corpus.rules_file import load_rules, parse_rules, rules_text
from strata_rag.corpus.source import files_digest, is_beir, open_corpus, open_families

__all__ = [
    "BeirAdapter",
    "DocumentFigures",
    "Extraction",
    "Families",
    "Family",
    "FamilyCheck",
    "FileOutcome",
    "FilesAdapter",
    "FolderCorpus",
    "Limits",
    "Manifest",
    "ManifestRow",
    "Mismatch",
    "NotedSource",
    "Options",
    "Plugin",
    "Registry",
    "Roster",
    "RosterProblem",
    "Rule",
    "Rules",
    "SourceAdapter",
    "Unreadable",
    "build_manifest",
    "extract",
    "files_digest",
    "is_beir",
    "load_plugins",
    "load_rules",
    "open_corpus",
    "open_families",
    "parse_rules",
    "rules_text",
    "write_manifest",
]
