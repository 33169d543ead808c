from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strata_rag.corpus import (
    DocumentFigures,
    FileOutcome,
    Manifest,
    build_manifest,
    pages_without_text,
    text_digest,
)

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
        "tokens": None,
        "redactions": 2,
        "secrets": 1,
    }


def test_tokens_are_summed_by_file_and_in_total() -> None:
    figures = {
        "1": DocumentFigures(chunks=2, characters=9, max_tokens=30, tokens=50),
        "2": DocumentFigures(chunks=0, characters=1, max_tokens=None, tokens=0),
        "3": DocumentFigures(chunks=1, characters=9, max_tokens=7, tokens=7),
        "a.md": DocumentFigures(chunks=1, characters=5, max_tokens=5, tokens=5),
    }
    manifest = build_manifest(OUTCOMES, figures)
    assert [row.tokens for row in manifest.rows] == [5, 57, None, None]
    assert manifest.totals()["tokens"] == 62


def test_a_row_carries_what_its_file_was_read_as() -> None:
    outcome = FileOutcome(
        "a.pdf", "included", "include: **", ("a.pdf",), format="pdf", pages=3, empty_pages=(2,)
    )
    row = build_manifest([outcome], {}).as_json()["files"][0]
    assert (row["format"], row["encoding"], row["pages"], row["empty_pages"]) == ("pdf", "", 3, [2])
    assert row["reason"] == "include: **"


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
    assert set(document) == {"privacy", "files", "totals", "coverage"}
    promised = {"path", "status", "reason", "documents", "chunks", "characters", "max_tokens"}
    promised |= {"redactions", "secrets", "warnings"}
    further = {"format", "encoding", "pages", "empty_pages", "tokens", "digest", "redacted"}
    assert all(set(file) == promised | further for file in document["files"])


@pytest.mark.parametrize(
    ("text", "pages", "empty"),
    [
        ("", (), ()),
        ("", (0, 0), (1, 2)),
        ("one\n\ntwo", (0, 4, 5), (2,)),
        (" \nb", (0, 2), (1,)),
        ("a", (0, 1), (2,)),
    ],
)
def test_pages_that_hold_white_space_alone_are_without_text(
    text: str, pages: tuple[int, ...], empty: tuple[int, ...]
) -> None:
    assert pages_without_text(text, pages) == empty


def test_pages_without_text_of_a_files_documents_stand_in_its_row() -> None:
    figures = {"a.pdf": DocumentFigures(chunks=0, characters=0, max_tokens=None, empty_pages=(1, 2))}
    manifest = build_manifest([FileOutcome("a.pdf", "included", "", ("a.pdf",), pages=2)], figures)
    assert manifest.rows[0].empty_pages == (1, 2)
    assert manifest.as_json()["coverage"]["pages_without_text"] == 2


def test_the_digest_tells_whether_a_text_is_the_same() -> None:
    assert text_digest("a") == text_digest("a") != text_digest("b")
    outcome = FileOutcome("a.jsonl", "included", doc_ids=("1", "2"))

    def digest(*texts: str) -> str:
        figures = {
            str(at): DocumentFigures(chunks=1, characters=1, max_tokens=None, digest=text_digest(text))
            for at, text in enumerate(texts, 1)
        }
        return build_manifest([outcome], figures).rows[0].digest

    assert digest("a", "b") == digest("a", "b")
    assert digest("a", "b") != digest("b", "a")
