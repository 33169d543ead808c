from __future__ import annotations

import json
from pathlib import Path

import pytest

from strata_rag.corpus import (
    Manifest,
    ManifestRow,
    find_manifest,
    keep_manifest,
    preview_path,
    remove_manifests,
    split_reference,
    write_manifest,
)
from strata_rag.corpus.manifest_files import EARLIER_KEPT
from strata_rag.errors import InputError, WriteFailed


def manifest(characters: int, privacy: str = "p") -> Manifest:
    return Manifest((ManifestRow("ä.md", "included", characters=characters),), privacy=privacy)


def characters(path: Path) -> int:
    return int(json.loads(path.read_text(encoding="utf-8"))["totals"]["characters"])


def test_the_file_holds_the_manifest_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "manifests" / "x.json"
    write_manifest(path, manifest(1))
    first = path.read_bytes()
    write_manifest(path, manifest(1))
    assert json.loads(first) == manifest(1).as_json()
    assert path.read_bytes() == first
    assert list(path.parent.iterdir()) == [path]


def test_a_place_that_can_not_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "manifests").write_text("in the way")
    with pytest.raises(WriteFailed, match=r"manifests/x\.json: expected to write the manifest"):
        write_manifest(tmp_path / "manifests" / "x.json", manifest(1))


def test_an_ingest_keeps_the_manifest_that_it_replaces(tmp_path: Path) -> None:
    for number in (1, 2, 2, 3):
        keep_manifest(tmp_path, "c", manifest(number))
    assert [characters(find_manifest(tmp_path, f"c{which}")) for which in ("", "~0", "~1", "~2")] == [
        3,
        3,
        2,
        1,
    ]
    with pytest.raises(InputError, match="at least 3 earlier manifests were expected, found 2"):
        find_manifest(tmp_path, "c~3")


def test_going_back_to_an_earlier_state_is_a_change_too(tmp_path: Path) -> None:
    for number in (1, 2, 1):
        keep_manifest(tmp_path, "c", manifest(number))
    assert [characters(find_manifest(tmp_path, f"c~{back}")) for back in range(3)] == [1, 2, 1]


def test_an_ingest_that_ended_before_the_replacement_leaves_no_second_copy(tmp_path: Path) -> None:
    current = keep_manifest(tmp_path, "c", manifest(1))
    before = current.read_bytes()
    keep_manifest(tmp_path, "c", manifest(2))
    current.write_bytes(before)  # as if the process had ended after the copy
    keep_manifest(tmp_path, "c", manifest(3))
    assert [characters(find_manifest(tmp_path, f"c~{back}")) for back in range(2)] == [3, 1]
    with pytest.raises(InputError):
        find_manifest(tmp_path, "c~2")


def test_only_the_last_earlier_manifests_stay(tmp_path: Path) -> None:
    for number in range(EARLIER_KEPT + 5):
        keep_manifest(tmp_path, "c", manifest(number))
    kept = sorted((tmp_path / "earlier" / "c").iterdir())
    assert len(kept) == EARLIER_KEPT
    assert characters(find_manifest(tmp_path, f"c~{EARLIER_KEPT}")) == 4


def test_a_dry_run_stands_beside_the_ingest_and_in_no_history(tmp_path: Path) -> None:
    keep_manifest(tmp_path, "c", manifest(1))
    write_manifest(preview_path(tmp_path, "c"), manifest(2))
    assert characters(find_manifest(tmp_path, "c")) == 1
    assert characters(find_manifest(tmp_path, "c@dry-run")) == 2
    with pytest.raises(InputError, match="found none"):
        find_manifest(tmp_path, "c~1")


def test_under_another_policy_no_earlier_manifest_stays(tmp_path: Path) -> None:
    for number in (1, 2):
        keep_manifest(tmp_path, "c", manifest(number))
        write_manifest(preview_path(tmp_path, "c"), manifest(number))
    keep_manifest(tmp_path, "c", manifest(3, privacy="stricter"))
    assert [path.name for path in tmp_path.rglob("*.json")] == ["c.json"]
    keep_manifest(tmp_path, "c", manifest(4, privacy="stricter"))
    assert characters(find_manifest(tmp_path, "c~1")) == 3


def test_a_damaged_manifest_is_replaced_and_not_kept(tmp_path: Path) -> None:
    (tmp_path / "c.json").write_text("{")
    keep_manifest(tmp_path, "c", manifest(1))
    assert [path.name for path in tmp_path.rglob("*.json")] == ["c.json"]


def test_a_removed_collection_leaves_no_manifest(tmp_path: Path) -> None:
    for name in ("c", "d"):
        for number in (1, 2):
            keep_manifest(tmp_path, name, manifest(number))
        write_manifest(preview_path(tmp_path, name), manifest(1))
    remove_manifests(tmp_path, "c")
    assert {path.name for path in tmp_path.rglob("*.json") if path.parent == tmp_path} == {
        "d.json",
        "d.dry-run.json",
    }
    assert [path.name for path in (tmp_path / "earlier").iterdir()] == ["d"]


def test_a_collection_with_a_dry_run_alone_has_no_manifest_of_an_ingest(tmp_path: Path) -> None:
    write_manifest(preview_path(tmp_path, "c"), manifest(2))
    with pytest.raises(InputError, match="c: an ingest's manifest was expected, found none"):
        find_manifest(tmp_path, "c")


def test_a_unique_prefix_and_a_path_name_a_manifest(tmp_path: Path) -> None:
    keep_manifest(tmp_path, "sample__m__1", manifest(1))
    keep_manifest(tmp_path, "other__m__2", manifest(2))
    assert characters(find_manifest(tmp_path, "sam")) == 1
    path = tmp_path / "somewhere~1.txt"
    write_manifest(path, manifest(7))
    assert find_manifest(tmp_path, str(path)) == path


@pytest.mark.parametrize(
    ("reference", "said"),
    [
        ("nothing", "found 'nothing'"),
        ("", "found 2 that begin with ''"),
        ("sample", "found 2 that begin with 'sample': sample__a, sample__b"),
        ("sample__a@later", "found 'sample__a@later'"),
    ],
)
def test_a_reference_to_none_or_several_is_refused(tmp_path: Path, reference: str, said: str) -> None:
    for name in ("sample__a", "sample__b"):
        keep_manifest(tmp_path, name, manifest(1))
    with pytest.raises(InputError) as caught:
        find_manifest(tmp_path, reference)
    assert said in caught.value.message


def test_a_workspace_without_manifests_says_so(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        find_manifest(tmp_path / "none", "c")
    assert "holds none" in caught.value.hint


@pytest.mark.parametrize(
    ("reference", "parts"),
    [
        ("mine.yaml", ("mine.yaml", "")),
        ("mine.yaml~12", ("mine.yaml", "~12")),
        ("a/mine~1.yaml@dry-run", ("a/mine~1.yaml", "@dry-run")),
        ("", ("", "")),
    ],
)
def test_a_reference_is_a_name_and_what_follows_it(reference: str, parts: tuple[str, str]) -> None:
    assert split_reference(reference) == parts
