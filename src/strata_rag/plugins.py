"""What a plugin imports: registration, the base of adapters, and the values they give. See docs/plugins.md."""

from strata_rag.corpus.adapter import FileOutcome, SourceAdapter
from strata_rag.corpus.folder_adapter import FolderAdapter, Skip, SourceFile, Unreadable
from strata_rag.corpus.plugin_loading import ENTRY_POINTS, load_plugins
from strata_rag.corpus.registry import Registration, Registry, register_adapter, register_family
from strata_rag.documents import Section, SourceDocument

__all__ = [
    "ENTRY_POINTS",
    "FileOutcome",
    "FolderAdapter",
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
