from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strata_rag.corpus import DocumentFigures, FileOutcome, Manifest, build_manifest, write_manifest
from strata_rag.errors import WriteFailed

OUTCOMES = [
    FileOutcome("b.jsonl", "included", doc_ids=("1", "2", "3"), warnings=("document 3 is empty: no chunk",)),
    FileOutcome("a.md", "included", doc_ids=("a.md",)),
    FileOutcome("c.pdf", "excluded", "not one of .md"),
    FileOutcome("d.md", "failed", "can't be read"),
]
FIGURES = {
    "1": DocumentFigures(chunks=2, characters=100, max_tokens=30),
    "2": DocumentFigures(
        chunks=1,
        characters=10,
        max_tokens=70,
        warnings=("chunk 2#0-10 has 70 tokens",),
        redactions=2,
        secrets=1,
    ),
    "a.md": DocumentFigures(chunks=1, characters=5, max_tokens=None),
}


@pytest.fixture
def manifest() -> Manifest:
    return build_manifest(OUTCOMES, FIGURES)


def test_a_row_sums_up_the_documents_of_its_file(manifest: Manifest) -> None:
    assert [row.path for row in manifest.rows] == ["a.md", "b.jsonl", "c.pdf", "d.md"]
    row = manifest.rows[1]
    assert (row.documents, row.chunks, row.characters, row.max_tokens) == (3, 3, 110, 70)
    assert row.warnings == ("document 3 is empty: no chunk", "chunk 2#0-10 has 70 tokens")


def test_totals_count_files_by_status_and_sum_the_rest(manifest: Manifest) -> None:
    assert manifest.totals() == {
        "files": 4,
        "included": 2,
        "excluded": 1,
        "failed": 1,
        "documents": 4,
        "chunks": 4,
        "characters": 115,
        "max_tokens": 70,
        "redactions": 2,
        "secrets": 1,
    }


def test_redacted_documents_are_named_with_their_counts(manifest: Manifest) -> None:
    row = manifest.as_json()["files"][1]
    assert (row["redactions"], row["secrets"]) == (2, 1)
    assert row["redacted"] == [{"doc_id": "2", "redactions": 2, "secrets": 1}]


def test_tokens_are_null_where_nothing_counted_them() -> None:
    manifest = build_manifest(OUTCOMES[1:2], FIGURES)
    assert manifest.totals()["max_tokens"] is None
    assert manifest.as_json()["files"][0]["max_tokens"] is None


def test_warnings_name_their_file(manifest: Manifest) -> None:
    assert manifest.warnings == [
        "b.jsonl: document 3 is empty: no chunk",
        "b.jsonl: chunk 2#0-10 has 70 tokens",
    ]


@given(st.permutations(OUTCOMES))
def test_the_order_of_discovery_does_not_matter(outcomes: list[FileOutcome]) -> None:
    assert build_manifest(outcomes, FIGURES) == build_manifest(OUTCOMES, FIGURES)


def test_every_row_has_the_documented_keys(manifest: Manifest) -> None:
    document = manifest.as_json()
    assert set(document) == {"files", "totals"}
    assert {tuple(sorted(file)) for file in document["files"]} == {
        (
            "characters",
            "chunks",
            "documents",
            "max_tokens",
            "path",
            "reason",
            "redacted",
            "redactions",
            "secrets",
            "status",
            "warnings",
        )
    }


def test_the_file_holds_the_same_and_nothing_is_left_beside_it(tmp_path: Path, manifest: Manifest) -> None:
    path = tmp_path / "manifests" / "x.json"
    write_manifest(path, manifest)
    first = path.read_bytes()
    write_manifest(path, build_manifest(OUTCOMES[::-1], FIGURES))
    assert json.loads(first) == manifest.as_json()
    assert path.read_bytes() == first
    assert list(path.parent.iterdir()) == [path]


def test_a_place_that_can_not_be_written_is_named(tmp_path: Path, manifest: Manifest) -> None:
    (tmp_path / "manifests").write_text("in the way")
    with pytest.raises(WriteFailed, match=r"manifests/x\.json: expected to write the manifest"):
        write_manifest(tmp_path / "manifests" / "x.json", manifest)
