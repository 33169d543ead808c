"""Which adapter reads a corpus root."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Literal

from strata_rag.corpus.adapter import SourceAdapter
from strata_rag.corpus.beir import CORPUS_FILE, BeirAdapter
from strata_rag.corpus.families import Families
from strata_rag.corpus.files import FilesAdapter, may_hold_documents
from strata_rag.corpus.folder_corpus import FolderCorpus
from strata_rag.corpus.formats import Limits, Options
from strata_rag.corpus.registry import Registry
from strata_rag.corpus.rules import JudgedFiles, Rules
from strata_rag.corpus.walk import WalkedFile, walk_files
from strata_rag.errors import CorpusError

Layout = Literal["auto", "files", "beir"]
_NO_RULES = Rules()


def files_digest(
    root: Path,
    *,
    layout: Layout = "auto",
    follow_symlinks: bool = False,
    rules: Rules = _NO_RULES,
    registry: Registry | None = None,
) -> str | None:
    """Return a digest of names, sizes and times of the files that hold documents; None where `root` is no folder.

    It tells that something may have changed without reading a document. Files that the rules leave out do not
    count; in a folder that a plugin reads, all others do.
    """
    if not root.is_dir():
        return None
    total = sha256()
    for path in _document_files(root, layout, follow_symlinks, rules, registry or Registry()):
        try:
            status = (root / path).stat()
        except OSError:
            continue
        total.update(f"{path}\0{status.st_size} {status.st_mtime_ns}\n".encode("utf-8", "surrogateescape"))
    return total.hexdigest()


def _document_files(
    root: Path, layout: Layout, follow_symlinks: bool, rules: Rules, registry: Registry
) -> Iterator[str]:
    if is_beir(root, layout):
        yield CORPUS_FILE
        return
    claimed = tuple(f"{adapter.folder}/" for adapter in registry.adapters)
    walked = walk_files(root, follow_symlinks=follow_symlinks)
    for file in JudgedFiles(root, rules).judged(walked) if rules.rules else walked:
        if file.excluded or file.failed:
            continue
        if file.path.startswith(claimed) or may_hold_documents(root / file.path):
            yield file.path


def is_beir(root: Path, layout: Layout) -> bool:
    """Tell whether `root` is read as a BEIR folder."""
    return layout == "beir" or (layout == "auto" and (root / CORPUS_FILE).is_file())


def open_corpus(
    root: Path,
    *,
    layout: Layout = "auto",
    follow_symlinks: bool = False,
    options: Options | None = None,
    limits: Limits | None = None,
    rules: Rules = _NO_RULES,
    registry: Registry | None = None,
    rosters_dir: Path | None = None,
) -> SourceAdapter:
    """Return the adapter for `root`; ``auto`` means BEIR where it holds a ``corpus.jsonl``.

    Args:
        root: The corpus root.
        layout: What it holds.
        follow_symlinks: Whether symbolic links are followed.
        options: What is a reader's choice.
        limits: What one file may cost.
        rules: Which files are left out.
        registry: The plugins' adapters and families.
        rosters_dir: Where the families' rosters lie; None means `root`.

    Raises:
        CorpusError: `root` is no folder, a roster can't be read, or rules are given for a BEIR folder.
    """
    if not root.is_dir():
        found = "a file" if root.exists() else "nothing"
        raise CorpusError(
            f"{root}: expected the corpus root, a folder; found {found}", hint="set corpus.root"
        )
    if is_beir(root, layout):
        if rules.rules:
            raise CorpusError(
                f"{root}: expected a folder of files, since corpus.rules judges files; found a BEIR folder",
                hint="take corpus.rules out, or set corpus.format to files",
            )
        return BeirAdapter(root)

    def files_adapter(walk: Callable[[], Iterable[WalkedFile]]) -> SourceAdapter:
        return FilesAdapter(root, walk, options=options, limits=limits)

    registry = registry or Registry()
    families = open_families(root, registry, rosters_dir)
    if not (registry.adapters or rules.rules or families.rosters):
        return files_adapter(lambda: walk_files(root, follow_symlinks=follow_symlinks))
    return FolderCorpus(
        root,
        follow_symlinks=follow_symlinks,
        default=files_adapter,
        registry=registry,
        families=families,
        rules=rules,
    )


def open_families(root: Path, registry: Registry, rosters_dir: Path | None) -> Families:
    """Return the families that concern `root`, their rosters read.

    Raises:
        CorpusError: A roster can't be read.
    """
    return Families(registry.in_use(root)[1], rosters_dir or root)
