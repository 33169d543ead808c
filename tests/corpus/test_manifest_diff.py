from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from strata_rag.corpus import (
    DocumentFigures,
    FileOutcome,
    Manifest,
    ManifestDiff,
    ManifestRow,
    build_manifest,
    diff_manifests,
)

A = ManifestRow("a.md", "included", documents=1, chunks=2, characters=10, digest="da")
B = ManifestRow("b.md", "included", documents=1, chunks=1, characters=5, digest="db")
GONE = ManifestRow("c.pdf", "excluded", "not one of .md")


def diff(before: tuple[ManifestRow, ...], after: tuple[ManifestRow, ...]) -> ManifestDiff:
    return diff_manifests(Manifest(before), Manifest(after))


def test_equal_manifests_do_not_differ() -> None:
    assert diff((A, B, GONE), (A, B, GONE)).is_empty


def test_files_that_only_one_has_are_added_or_removed() -> None:
    found = diff((A, GONE), (A, B))
    assert (found.added, found.removed, found.changed) == ((B,), (GONE,), ())
    assert {one.name: (one.before, one.after) for one in found.totals} == {
        "included": (1, 2),
        "excluded": (1, 0),
        "documents": (1, 2),
        "chunks": (2, 3),
        "characters": (10, 15),
    }


def test_a_file_that_is_decided_otherwise_is_told_with_both_reasons() -> None:
    [one] = diff((GONE,), (replace(GONE, reason="rule 3: drafts"),)).changed
    assert one.decided_otherwise
    assert (one.before.reason, one.after.reason) == ("not one of .md", "rule 3: drafts")
    [one] = diff((A,), (replace(A, status="failed", reason="damaged"),)).changed
    assert one.decided_otherwise


def test_counts_reading_and_warnings_that_differ_are_told_apart() -> None:
    before = replace(A, encoding="utf-8", warnings=("old", "both"))
    after = replace(A, chunks=3, redactions=1, encoding="cp1252", warnings=("both", "new"))
    [one] = diff((before,), (after,)).changed
    assert not one.decided_otherwise
    assert [(c.name, c.before, c.after) for c in one.counts] == [("chunks", 2, 3), ("redactions", 0, 1)]
    assert [(c.name, c.before, c.after) for c in one.read_as] == [("encoding", "utf-8", "cp1252")]
    assert (one.warnings_gained, one.warnings_lost) == (("new",), ("old",))


def test_a_text_that_differs_is_seen_where_every_count_is_the_same() -> None:
    [one] = diff((A,), (replace(A, digest="other"),)).changed
    assert one.text_differs
    assert one.counts == ()
    [one] = diff((replace(A, digest=""),), (A,)).changed
    assert not one.text_differs


def test_a_text_under_another_path_has_moved() -> None:
    found = diff((A, B), (replace(A, path="new/a.md"), B))
    assert [(one.before.path, one.after.path) for one in found.moved] == [("a.md", "new/a.md")]
    assert (found.added, found.removed, found.is_empty) == ((), (), False)


def test_a_text_that_stood_twice_has_not_moved() -> None:
    twin = replace(A, path="twin.md")
    found = diff((A, twin), (replace(A, path="new.md"),))
    assert (len(found.added), len(found.removed), found.moved) == (1, 2, ())


def test_what_coverage_found_is_compared() -> None:
    def manifest(*outcomes: FileOutcome) -> Manifest:
        figures = {
            one.path: DocumentFigures(chunks=1, characters=5, max_tokens=None)
            for one in outcomes
            if one.doc_ids
        }
        return build_manifest(outcomes, figures)

    first = FileOutcome("atlas/x/a.pdf", "included", doc_ids=("atlas/x/a.pdf",), pages=2, empty_pages=(1,))
    found = diff_manifests(manifest(first), manifest(FileOutcome("atlas/x/a.pdf", "failed", "damaged")))
    assert {(one.name, one.gained, one.lost) for one in found.findings} == {
        ("folders without documents", ("atlas",), ()),
        ("pages without text", (), ("atlas/x/a.pdf: page 1",)),
    }
    assert [(one.kind, one.name) for one in found.shares] == [("type", ".pdf"), ("folder", "atlas/x")]


ROWS = st.lists(
    st.builds(
        ManifestRow,
        path=st.sampled_from("abcd"),
        status=st.sampled_from(["included", "excluded"]),
        chunks=st.integers(0, 2),
        characters=st.integers(0, 2),
        digest=st.sampled_from(["", "x", "y"]),
    ),
    unique_by=lambda row: row.path,
).map(lambda rows: tuple(sorted(rows, key=lambda row: row.path)))


@given(ROWS, ROWS)
def test_every_file_of_either_side_stands_in_one_place(
    before: tuple[ManifestRow, ...], after: tuple[ManifestRow, ...]
) -> None:
    found = diff(before, after)
    same = {row.path for row in before} & {row.path for row in after if row in before}
    told = [one.after.path for one in found.changed] + [row.path for row in (*found.added, *found.removed)]
    told += [path for one in found.moved for path in (one.before.path, one.after.path)]
    assert sorted(told) == sorted({row.path for row in (*before, *after)} - same)
    assert found.is_empty == (before == after)
    back = diff(after, before)
    assert (back.added, back.removed) == (found.removed, found.added)
