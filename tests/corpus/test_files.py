from __future__ import annotations

import codecs
import os
from pathlib import Path

import pytest

from strata_rag.corpus import FileOutcome, FilesAdapter, Unreadable, build_manifest, extract, write_manifest
from strata_rag.corpus.files import source_and_project
from strata_rag.corpus.walk import walk_files
from strata_rag.documents import SourceDocument


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "corpus"
    folder.mkdir()
    return folder


def adapter_of(root: Path) -> FilesAdapter:
    return FilesAdapter(root, lambda: walk_files(root, follow_symlinks=False))


def read(root: Path) -> tuple[list[SourceDocument], dict[str, FileOutcome]]:
    adapter = adapter_of(root)
    documents = list(adapter.discover())
    outcomes = {outcome.path: outcome for outcome in adapter.outcomes}
    assert len(outcomes) == len(adapter.outcomes)
    return documents, outcomes


def text_of(root: Path, raw: bytes) -> str:
    path = root / "a.md"
    path.write_bytes(raw)
    return extract(path).text


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("a.md", ("", "")),
        ("wiki/a.md", ("wiki", "")),
        ("wiki/atlas/a.md", ("wiki", "atlas")),
        ("wiki/atlas/deep/a.md", ("wiki", "atlas")),
    ],
)
def test_the_first_two_folders_are_source_and_project(path: str, expected: tuple[str, str]) -> None:
    assert source_and_project(path) == expected


def test_a_document_is_named_after_its_path_with_slashes(root: Path) -> None:
    (root / "wiki" / "atlas").mkdir(parents=True)
    (root / "wiki" / "atlas" / "ü 漢.md").write_text("text", encoding="utf-8")
    [document], outcomes = read(root)
    assert document == SourceDocument("wiki/atlas/ü 漢.md", "text", source="wiki", project="atlas")
    assert outcomes[document.doc_id] == FileOutcome(
        document.doc_id, "included", doc_ids=("wiki/atlas/ü 漢.md",), format="md", encoding="utf-8"
    )


def test_what_is_no_text_file_is_left_out_by_its_ending(root: Path) -> None:
    for name in ("a.MD", "b.markdown", "c.TXT", "d.png", "readme", "e.md.bak"):
        (root / name).write_text("x")
    documents, outcomes = read(root)
    assert [document.doc_id for document in documents] == ["a.MD", "b.markdown", "c.TXT", "readme"]
    assert {path: one.reason for path, one in outcomes.items() if one.status == "excluded"} == {
        "d.png": "no reader for .png",
        "e.md.bak": "no reader for .bak",
    }


@pytest.mark.parametrize(
    ("mark", "encoding"),
    [
        (b"", "utf-8"),
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
        (codecs.BOM_UTF32_LE, "utf-32-le"),
        (codecs.BOM_UTF32_BE, "utf-32-be"),
    ],
)
def test_a_byte_order_mark_tells_the_encoding_and_is_no_part_of_the_text(
    root: Path, mark: bytes, encoding: str
) -> None:
    assert text_of(root, mark + "naïve 漢 \U0001f600".encode(encoding)) == "naïve 漢 \U0001f600"


def test_line_ends_of_every_kind_become_line_feeds_and_the_line_separator_stays(root: Path) -> None:
    assert text_of(root, "a\r\nb\rc\nd\u2028e\u0085f\x0cg".encode()) == "a\nb\nc\nd\u2028e\nf\ng"


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (codecs.BOM_UTF16_LE + b"\0", "expected utf-16-le text, found 1 places that are none"),
        (b"a\0b", "expected text, found binary data: 1 control characters, U+0000 at 1"),
        (b"%PDF-1.7\n\xe2\xe3", "expected a PDF, found damaged data (data format)"),
        (b"\x89PNG\r\n\x1a\n....", "expected md, found a PNG picture"),
    ],
)
def test_what_is_no_text_fails_with_what_it_is(root: Path, raw: bytes, reason: str) -> None:
    with pytest.raises(Unreadable) as caught:
        text_of(root, raw)
    assert str(caught.value) == reason
    _, outcomes = read(root)
    assert outcomes["a.md"] == FileOutcome("a.md", "failed", reason)


def test_a_file_that_is_gone_when_it_is_read_fails_and_the_others_are_read(root: Path) -> None:
    for name in ("a.md", "b.md", "c.md"):
        (root / name).write_text(name)
    adapter = adapter_of(root)
    documents = adapter.discover()
    assert next(documents).doc_id == "a.md"
    (root / "b.md").unlink()
    assert [document.doc_id for document in documents] == ["c.md"]
    assert [(one.path, one.status) for one in adapter.outcomes] == [
        ("a.md", "included"),
        ("b.md", "failed"),
        ("c.md", "included"),
    ]
    assert adapter.outcomes[1].reason.startswith("can't be read: ")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every file")
def test_a_file_that_may_not_be_read_fails_with_the_reason(root: Path) -> None:
    (root / "a.md").write_text("x")
    (root / "a.md").chmod(0)
    _, outcomes = read(root)
    assert outcomes["a.md"].reason == "can't be read: Permission denied"


@pytest.mark.parametrize("content", ["", " \n\t\u00a0"])
def test_an_empty_file_is_included_with_a_warning(root: Path, content: str) -> None:
    (root / "a.md").write_text(content, encoding="utf-8")
    documents, outcomes = read(root)
    assert [document.text for document in documents] == [content]
    assert outcomes["a.md"].status == "included"
    assert outcomes["a.md"].warnings == ("the file is empty: no chunk",)


def test_names_that_are_not_utf_8_reach_the_manifest(root: Path) -> None:
    for name in (b"\xff.md", b"\xfe.png", b".\xfd.md"):
        Path(os.fsdecode(os.fsencode(root) + b"/" + name)).write_text("x")
    folder = Path(os.fsdecode(os.fsencode(root) + b"/d\xfc"))
    folder.mkdir()
    (folder / "a.md").write_text("x")
    documents, outcomes = read(root)
    assert documents == []
    assert {path: (one.status, one.reason) for path, one in outcomes.items()} == {
        r".\xfd.md": ("excluded", r"hidden: .\xfd.md"),
        r"\xfe.png": ("failed", "the file's name is not UTF-8"),
        r"\xff.md": ("failed", "the file's name is not UTF-8"),
        r"d\xfc/a.md": ("failed", "the file's name is not UTF-8"),
    }
    write_manifest(root / "manifest.json", build_manifest(list(outcomes.values()), {}))
    assert r"\\xfe.png" in (root / "manifest.json").read_text(encoding="utf-8")


def test_a_second_look_counts_nothing_twice(root: Path) -> None:
    (root / "a.md").write_text("x")
    adapter = adapter_of(root)
    assert list(adapter.discover()) == list(adapter.discover())
    assert len(adapter.outcomes) == 1
