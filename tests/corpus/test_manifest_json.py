from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strata_rag.corpus import (
    DocumentFigures,
    FileOutcome,
    Manifest,
    build_manifest,
    read_manifest,
    write_manifest,
)
from strata_rag.errors import InputError

NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)
OUTCOMES = st.builds(
    FileOutcome,
    path=NAMES,
    status=st.sampled_from(["included", "excluded", "failed"]),
    reason=NAMES,
    doc_ids=st.just(("d",)),
    warnings=st.lists(NAMES, max_size=2).map(tuple),
    format=st.sampled_from(["", "pdf"]),
    pages=st.none() | st.integers(0, 9),
    empty_pages=st.lists(st.integers(1, 9), max_size=3).map(tuple),
)
FIGURES = st.builds(
    DocumentFigures,
    chunks=st.none() | st.integers(0, 9),
    characters=st.integers(0, 10**6),
    max_tokens=st.none() | st.integers(1, 9),
    tokens=st.none() | st.integers(1, 9),
    redactions=st.integers(0, 2),
    digest=st.sampled_from(["", "abc"]),
)


@given(outcomes=st.lists(OUTCOMES, max_size=5, unique_by=lambda one: one.path), figures=FIGURES)
def test_what_is_written_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, outcomes: list[FileOutcome], figures: DocumentFigures
) -> None:
    manifest = build_manifest(outcomes, {"d": figures}, adapters=["atlas"], privacy="p")
    path = tmp_path_factory.getbasetemp() / "manifest.json"
    write_manifest(path, manifest)
    assert read_manifest(path) == manifest


def save(path: Path, document: Any) -> Path:
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def test_a_manifest_of_another_version_is_read(tmp_path: Path) -> None:
    row = {"path": "a.md", "status": "included", "reason": "", "documents": 1, "chunks": 2, "future": {}}
    manifest = read_manifest(save(tmp_path / "m.json", {"files": [row], "collection": "c"}))
    assert (manifest.rows[0].chunks, manifest.rows[0].tokens) == (2, None)
    assert manifest.coverage == Manifest(()).coverage


@pytest.mark.parametrize(
    ("document", "found"),
    [
        ([], "[] in place of an object"),
        ({"totals": {}}, "no files"),
        ({"files": {}}, "files {} in place of a list"),
        ({"files": [1]}, "1 in place of an object"),
        ({"files": [{"status": "included"}]}, "no path"),
        ({"files": [{"path": "a", "status": "lost"}]}, 'status "lost" in place of included'),
        ({"files": [{"path": "a", "status": "included", "documents": "1"}]}, "documents"),
        ({"files": [{"path": "a", "status": "included", "documents": True}]}, "in place of a whole number"),
        ({"files": [{"path": "a", "status": "included", "warnings": [1]}]}, "warnings with 1"),
        ({"files": [{"path": "a", "status": "failed"}] * 2}, "a file that stands in it twice"),
        ({"files": [], "coverage": {"types": [1]}}, "1 in place of an object"),
    ],
)
def test_a_file_that_is_no_manifest_is_refused(tmp_path: Path, document: Any, found: str) -> None:
    with pytest.raises(InputError) as caught:
        read_manifest(save(tmp_path / "m.json", document))
    assert "m.json: expected a saved manifest, found" in caught.value.message
    assert found in caught.value.message


@pytest.mark.parametrize("content", [b"{", b"\xff\xfe", b"", b"[" * 100_000])
def test_a_damaged_file_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "m.json").write_bytes(content)
    with pytest.raises(InputError, match="found no JSON"):
        read_manifest(tmp_path / "m.json")


def test_a_folder_or_a_missing_file_is_refused(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none.json"):
        with pytest.raises(InputError, match="expected a manifest, found: "):
            read_manifest(path)
