from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from strata_rag.errors import CollectionBusy, CollectionError
from strata_rag.index import CollectionRecord, EmbeddedCollections

from .contract import DIMENSION, EAST, docs, point

NAME = "x__m__01234567"
RECORD = CollectionRecord(NAME, {"size": 1}, {"id": "m"}, DIMENSION, {"chunking": 1}, complete=True)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "collections"


@pytest.fixture
def collections(root: Path) -> EmbeddedCollections:
    return EmbeddedCollections(root, lock_timeout=0.2, m=16, ef_construct=100, ef_search=64)


def build(
    collections: EmbeddedCollections,
    doc_id: str,
    *,
    recreate: bool = False,
    complete: bool = True,
    stop: BaseException | None = None,
) -> None:
    with collections.writing(NAME, recreate=recreate) as writer:
        writer.open(DIMENSION).upsert([point(doc_id)])
        if stop is not None:
            raise stop
        writer.write_record(replace(RECORD, complete=complete))


def stored(collections: EmbeddedCollections) -> list[str]:
    with collections.reading(NAME) as (record, index):
        assert record == RECORD
        return docs(index.search_dense(EAST, 9))


def test_what_was_written_is_read_beside_other_readers(collections: EmbeddedCollections, root: Path) -> None:
    build(collections, "a")
    with collections.reading(NAME) as (_, index):
        assert docs(index.search_dense(EAST, 9)) == stored(collections) == ["a"]
    assert {path.name for path in root.iterdir()} == {NAME, f"{NAME}.lock"}


def test_a_second_writing_continues_the_first(collections: EmbeddedCollections) -> None:
    build(collections, "a")
    build(collections, "b")
    assert stored(collections) == ["a", "b"]


def test_a_collection_that_is_missing_says_what_to_run_and_makes_nothing(
    collections: EmbeddedCollections, root: Path
) -> None:
    with pytest.raises(CollectionError, match="found none") as caught, collections.reading(NAME):
        pass
    assert caught.value.hint == "run `strata ingest CONFIG` first"
    assert not root.exists()


def test_an_incomplete_collection_is_refused_and_can_be_continued(collections: EmbeddedCollections) -> None:
    build(collections, "a", complete=False)
    with pytest.raises(CollectionError, match="cut short"), collections.reading(NAME):
        pass
    build(collections, "b")
    assert stored(collections) == ["a", "b"]


def test_a_shard_that_was_never_recorded_is_made_anew(collections: EmbeddedCollections) -> None:
    with pytest.raises(KeyboardInterrupt):
        build(collections, "lost", stop=KeyboardInterrupt())
    with pytest.raises(CollectionError, match="cut short"), collections.reading(NAME):
        pass
    build(collections, "a")
    assert stored(collections) == ["a"]


def test_recreating_builds_beside_and_swaps_at_the_end(collections: EmbeddedCollections, root: Path) -> None:
    build(collections, "old")
    with collections.writing(NAME, recreate=True) as writer:
        assert writer.record() is None
        writer.open(DIMENSION).upsert([point("new")])
        assert (root / NAME / "record.json").exists()
        writer.write_record(RECORD)
    assert stored(collections) == ["new"]
    assert {path.name for path in root.iterdir()} == {NAME, f"{NAME}.lock"}


def test_a_recreation_that_fails_leaves_the_old_collection(
    collections: EmbeddedCollections, root: Path
) -> None:
    build(collections, "old")
    with pytest.raises(RuntimeError, match="stop"):
        build(collections, "half", recreate=True, stop=RuntimeError("stop"))
    assert stored(collections) == ["old"]
    build(collections, "more")
    assert stored(collections) == ["more", "old"]
    assert {path.name for path in root.iterdir()} == {NAME, f"{NAME}.lock"}


@pytest.mark.parametrize(("complete", "expected"), [(True, "new"), (False, "old")])
def test_a_swap_that_was_cut_between_its_renames_is_finished_by_the_next_writer(
    collections: EmbeddedCollections, root: Path, complete: bool, expected: str
) -> None:
    other = EmbeddedCollections(root / "aside", lock_timeout=0.2, m=16, ef_construct=100, ef_search=64)
    build(other, "new", complete=complete)
    build(collections, "old")
    (root / NAME).rename(root / f"{NAME}.old")
    (root / "aside" / NAME).rename(root / f"{NAME}.next")
    shutil.rmtree(root / "aside")
    with pytest.raises(CollectionError, match="found none"), collections.reading(NAME):
        pass
    with collections.writing(NAME, recreate=False):
        pass
    assert stored(collections) == [expected]
    assert {path.name for path in root.iterdir()} == {NAME, f"{NAME}.lock"}


FIRST_INGEST = """
import sys
from pathlib import Path
from strata_rag.index import EmbeddedCollections
collections = EmbeddedCollections(Path(sys.argv[1]), lock_timeout=1, m=16, ef_construct=100, ef_search=64)
with collections.writing(sys.argv[2], recreate=False):
    print("reading", flush=True)
    sys.stdin.readline()
"""


def test_a_reader_during_the_very_first_ingest_hears_who_is_at_work(
    collections: EmbeddedCollections, root: Path, start: Callable[..., subprocess.Popen[str]]
) -> None:
    child = start(FIRST_INGEST, root, NAME)
    assert child.stdout is not None
    assert child.stdout.readline() == "reading\n"
    with pytest.raises(CollectionBusy, match=f"process {child.pid}"), collections.reading(NAME):
        pass
