"""What a plugin imports: registration, the base of adapters, and the values they give. See docs/plugins.md."""

from strata_rag.corpus.adapter import FileOutcome, SourceAdapter
from strata_rag.corpus.folder_adapter import FolderAdapter, Skip, SourceFile
from strata_rag.corpus.formats import Extraction, Unreadable
from strata_rag.corpus.plugin_loading import ENTRY_POINTS, load_plugins
from strata_rag.corpus.registration import Registration, register_adapter, register_family
from strata_rag.corpus.registry import Registry
from strata_rag.documents import Record, Section, SourceDocument

__all__ = [
    "ENTRY_POINTS",
    "Extraction",
    "FileOutcome",
    "FolderAdapter",
    "Record",
    "Registration",
    "Registry",
    "Section",
    "Skip",
    "SourceAdapter",
    "SourceDocument",
    "SourceFile",
    "Unreadable",
    "load_plugins",
    "register_adapter",
    "register_family",
]
