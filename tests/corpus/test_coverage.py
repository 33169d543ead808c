from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from strata_rag.corpus import Coverage, FileOutcome
from strata_rag.corpus.coverage import MeasuredFile, find_outliers, measure_coverage
from strata_rag.corpus.walk import is_machinery


def read(path: str, length: int = 10, **fields: object) -> MeasuredFile:
    return MeasuredFile(FileOutcome(path, "included", doc_ids=(path,), **fields), {path: length})  # type: ignore[arg-type]


def left_out(path: str, reason: str = "a rule", status: str = "excluded") -> MeasuredFile:
    return MeasuredFile(FileOutcome(path, status, reason), {})  # type: ignore[arg-type]


def coverage(*files: MeasuredFile, adapters: Sequence[str] | None = None) -> Coverage:
    return measure_coverage(files, adapters=adapters)


def test_files_are_counted_by_suffix_and_by_folder() -> None:
    found = coverage(
        read("README"),
        read("atlas/parts/a.MD"),
        read("atlas/parts/deep/er/b.md"),
        left_out("atlas/c.pdf", status="failed"),
        left_out("atlas/parts/.profile"),
    )
    assert [(one.name, one.files, one.included, one.failed) for one in found.types] == [
        ("", 2, 1, 0),
        (".md", 2, 2, 0),
        (".pdf", 1, 0, 1),
    ]
    assert [(one.name, one.files, one.included, one.excluded) for one in found.folders] == [
        ("", 1, 1, 0),
        ("atlas", 1, 0, 0),
        ("atlas/parts", 3, 2, 1),
    ]
    assert found.folders[2].as_json()["share_read"] == 2 / 3


def test_hidden_files_and_environments_are_no_part_of_the_corpus() -> None:
    assert is_machinery("hidden: .git")
    found = coverage(
        read("a.md"), left_out(".git/x", "hidden: .git"), left_out("v/y.py", "virtual environment: v")
    )
    assert [one.name for one in found.folders] == [""]
    assert found.without_documents == ()


def test_a_folder_none_of_whose_files_gave_text_is_named() -> None:
    found = coverage(
        read("atlas/parts/a.md"),
        left_out("atlas/drafts/b.md"),
        read("atlas/blank/c.md", length=0),
        left_out("harbor/x/d.md"),
        left_out("harbor/y/e.md"),
    )
    assert found.without_documents == ("atlas/blank", "atlas/drafts", "harbor")
    assert found.empty_documents == ("atlas/blank/c.md",)


def test_folders_without_an_adapter_are_named_once_a_plugin_names_one() -> None:
    files = (read("a.md"), read("atlas/b.md"), read("harbor/c.md"), left_out("noise/d.md"))
    assert coverage(*files).without_adapter is None
    assert coverage(*files, adapters=["atlas"]).without_adapter == ("harbor",)
    assert coverage(*files, adapters=["atlas", "harbor"]).without_adapter == ()


def test_pages_without_text_are_named_with_their_file() -> None:
    found = coverage(read("a.pdf", pages=3, empty_pages=(2, 3)), read("b.pdf", pages=4))
    document = found.as_json()
    assert (document["pages"], document["pages_without_text"]) == (7, 2)
    assert document["empty_pages"] == [{"path": "a.pdf", "pages": 3, "empty": [2, 3]}]


def test_documents_far_longer_or_shorter_than_the_others_are_outliers() -> None:
    lengths = {f"d{number}": 1000 + number for number in range(20)}
    long, short = find_outliers({**lengths, "long": 9000, "longer": 90_000, "short": 100, "empty": 0})
    assert [one.doc_id for one in long] == ["longer", "long"]
    assert [one.doc_id for one in short] == ["short"]


def test_a_wide_spread_of_lengths_has_no_outliers() -> None:
    assert find_outliers({f"d{number}": 2**number for number in range(16)}) == ((), ())


def test_too_few_documents_have_no_outliers() -> None:
    assert find_outliers({"a": 1, "b": 1, "c": 10**9}) == ((), ())


@given(st.lists(st.integers(0, 10**6), max_size=40), st.randoms())
def test_outliers_depend_on_the_lengths_alone(lengths: list[int], random: object) -> None:
    named = {f"d{at}": length for at, length in enumerate(lengths)}
    backwards = dict(reversed(named.items()))
    assert find_outliers(named) == find_outliers(backwards)
    long, short = find_outliers(named)
    assert not set(long) & set(short)
