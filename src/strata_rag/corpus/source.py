"""Which adapter reads a corpus root."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Literal

from strata_rag.corpus.adapter import SourceAdapter
from strata_rag.corpus.beir import CORPUS_FILE, BeirAdapter
from strata_rag.corpus.files import FilesAdapter, may_hold_documents
from strata_rag.corpus.formats import Limits, Options
from strata_rag.corpus.walk import WalkedFile, walk_files
from strata_rag.errors import CorpusError


def files_digest(
    root: Path, *, layout: Literal["auto", "files", "beir"] = "auto", follow_symlinks: bool = False
) -> str | None:
    """Return a digest of names, sizes and times of the files that hold documents; None where `root` is no folder.

    It tells that something may have changed without reading a document.
    """
    if not root.is_dir():
        return None
    total = sha256()
    for path in _document_files(root, layout, follow_symlinks):
        try:
            status = (root / path).stat()
        except OSError:
            continue
        total.update(f"{path}\0{status.st_size} {status.st_mtime_ns}\n".encode("utf-8", "surrogateescape"))
    return total.hexdigest()


def _document_files(
    root: Path, layout: Literal["auto", "files", "beir"], follow_symlinks: bool
) -> Iterator[str]:
    if _is_beir(root, layout):
        yield CORPUS_FILE
        return
    for file in walk_files(root, follow_symlinks=follow_symlinks):
        if not file.excluded and not file.failed and may_hold_documents(root / file.path):
            yield file.path


def _is_beir(root: Path, layout: Literal["auto", "files", "beir"]) -> bool:
    return layout == "beir" or (layout == "auto" and (root / CORPUS_FILE).is_file())


def open_corpus(
    root: Path,
    *,
    layout: Literal["auto", "files", "beir"] = "auto",
    follow_symlinks: bool = False,
    options: Options | None = None,
    limits: Limits | None = None,
) -> SourceAdapter:
    """Return the adapter for `root`; ``auto`` means BEIR where it holds a ``corpus.jsonl``.

    Raises:
        CorpusError: `root` is no folder.
    """
    if not root.is_dir():
        found = "a file" if root.exists() else "nothing"
        raise CorpusError(
            f"{root}: expected the corpus root, a folder; found {found}", hint="set corpus.root"
        )
    if _is_beir(root, layout):
        return BeirAdapter(root)

    def walk() -> Iterator[WalkedFile]:
        return walk_files(root, follow_symlinks=follow_symlinks)

    return FilesAdapter(root, walk, options=options, limits=limits)
