"""Small corpora with plugins, for tests."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from strata_rag.corpus import FolderCorpus, Registry, Rules, load_plugins, open_corpus, parse_rules
from strata_rag.documents import SourceDocument

IMPORTS = """
from strata_rag.plugins import *
from strata_rag.plugins import FileOutcome, SourceDocument
"""


def write(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


def registry_of(folder: Path, plugin: str) -> Registry:
    """Load one plugin, whose names are all imported for it."""
    write(folder, {"plugin.py": IMPORTS + plugin})
    return load_plugins(folder, installed=[])


def rules_of(text: str) -> Rules:
    return parse_rules(f"version: 1\nrules:\n{text}", "rules.yaml")


def opened(root: Path, **options: object) -> FolderCorpus:
    source = open_corpus(root, **options)  # type: ignore[arg-type]
    assert isinstance(source, FolderCorpus)
    return source


def read(source: FolderCorpus) -> dict[str, SourceDocument]:
    return {document.doc_id: document for document in source.discover()}


def rows(source: FolderCorpus) -> dict[str, str]:
    """Return status and reason by path; fails where a path has two rows."""
    found = {outcome.path: f"{outcome.status}: {outcome.reason}" for outcome in source.outcomes}
    assert len(found) == len(source.outcomes)
    return found
