"""Which adapter reads a corpus root."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from strata_rag.corpus.adapter import SourceAdapter
from strata_rag.corpus.beir import CORPUS_FILE, BeirAdapter
from strata_rag.corpus.text_files import TextFilesAdapter
from strata_rag.errors import CorpusError


def open_corpus(
    root: Path, *, layout: Literal["auto", "files", "beir"] = "auto", follow_symlinks: bool = False
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
    if layout == "beir" or (layout == "auto" and (root / CORPUS_FILE).is_file()):
        return BeirAdapter(root)
    return TextFilesAdapter(root, follow_symlinks=follow_symlinks)
