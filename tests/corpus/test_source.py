from __future__ import annotations

from pathlib import Path

import pytest

from strata_rag.corpus import BeirAdapter, FilesAdapter, open_corpus
from strata_rag.errors import CorpusError


def test_a_folder_with_a_corpus_file_is_read_as_beir(tmp_path: Path) -> None:
    (tmp_path / "corpus.jsonl").touch()
    assert isinstance(open_corpus(tmp_path), BeirAdapter)
    assert isinstance(open_corpus(tmp_path, layout="files"), FilesAdapter)


def test_any_other_folder_is_read_as_files(tmp_path: Path) -> None:
    (tmp_path / "corpus.jsonl").mkdir()
    assert isinstance(open_corpus(tmp_path), FilesAdapter)
    assert isinstance(open_corpus(tmp_path, layout="beir"), BeirAdapter)


def test_links_are_followed_where_the_caller_says_so(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / ".kept").mkdir()
    (root / ".kept" / "a.md").write_text("x")
    (root / "link.md").symlink_to(root / ".kept" / "a.md")
    assert [one.doc_id for one in open_corpus(root, follow_symlinks=True).discover()] == ["link.md"]
    assert list(open_corpus(root).discover()) == []


@pytest.mark.parametrize(("make", "found"), [(Path.touch, "a file"), (lambda path: None, "nothing")])
def test_a_root_that_is_no_folder_is_refused(tmp_path: Path, make, found: str) -> None:
    root = tmp_path / "root"
    make(root)
    with pytest.raises(CorpusError, match=f"root: expected the corpus root, a folder; found {found}$"):
        open_corpus(root)
