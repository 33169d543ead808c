from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from qdrant_client import QdrantClient

from strata_rag.corpus import Manifest, keep_manifest
from strata_rag.errors import CollectionError, InputError, WriteFailed
from strata_rag.experiment import ingest
from strata_rag.experiment.collections import (
    list_collections,
    prune_collections,
    push_collection,
    show_collection,
)
from strata_rag.index import CollectionRecord, EmbeddedCollections
from strata_rag.progress import Silent

from .test_experiment_engines import FakeModelExperiment, assert_equal, contents, experiment_on, write_corpus

pytestmark = pytest.mark.filterwarnings("ignore:Local mode performs exact")


class Stumbling:
    """An in-memory client that refuses one upsert, or spoils what it stores."""

    def __init__(self, memory: QdrantClient, *, refuse: int = 0, spoil: bool = False) -> None:
        self.memory, self.refuse, self.spoil, self.upserts = memory, refuse, spoil, 0

    def upsert(self, name: str, *, points: list[Any], **options: Any) -> Any:
        self.upserts += 1
        if self.upserts == self.refuse:
            raise ValueError("no space left")
        if self.spoil:
            points[0].vector["dense"][0] += 0.01
        return self.memory.upsert(name, points=points, **options)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.memory, name)


@pytest.fixture
def source(tmp_path: Path) -> FakeModelExperiment:
    write_corpus(tmp_path / "docs", 600)
    made = experiment_on("embedded", tmp_path, QdrantClient(":memory:"))
    ingest(made, recreate=False, progress=Silent())
    return made


def pushed(tmp_path: Path, client: Any, *, recreate: bool = False) -> Any:
    experiment = experiment_on("embedded", tmp_path, client)
    return push_collection(experiment, recreate=recreate, progress=Silent())


def test_a_push_that_was_cut_short_is_resumed_and_ends_in_an_equal_copy(
    source: FakeModelExperiment, tmp_path: Path
) -> None:
    memory = QdrantClient(":memory:")
    with pytest.raises(WriteFailed, match="256 points are stored"):
        pushed(tmp_path, Stumbling(memory, refuse=2))
    server = experiment_on("server", tmp_path, memory)
    with pytest.raises(CollectionError, match="cut short"):
        contents(server)
    result = pushed(tmp_path, memory)
    assert (result.chunks, result.copied, result.removed) == (600, 344, 0)
    assert_equal(contents(source), contents(server))
    assert pushed(tmp_path, memory).copied == 0
    write_corpus(tmp_path / "docs", 590, changed=True)
    ingest(source, recreate=False, progress=Silent())
    again = pushed(tmp_path, memory)
    assert 0 < again.copied < 590
    assert again.removed == again.copied + 10  # a document that grew has chunks of other ids
    assert_equal(contents(source), contents(server))


def test_a_copy_that_is_not_equal_is_told_and_never_complete(
    source: FakeModelExperiment, tmp_path: Path
) -> None:
    memory = QdrantClient(":memory:")
    with pytest.raises(CollectionError, match="its vector differs"):
        pushed(tmp_path, Stumbling(memory, spoil=True))
    record = experiment_on("server", tmp_path, memory).collections.peek(source.collection)
    assert record is not None
    assert not record.complete


def test_a_collection_of_another_origin_is_replaced_only_when_told_to(
    source: FakeModelExperiment, tmp_path: Path
) -> None:
    memory = QdrantClient(":memory:")
    server = experiment_on("server", tmp_path, memory)
    other = CollectionRecord(source.collection, {"chunking": 1}, {"id": "other"}, 16, {}, complete=True)
    with server.collections.writing(source.collection, recreate=False) as writer:
        writer.open(16)
        writer.write_record(other)
    with pytest.raises(CollectionError, match="other origins"):
        pushed(tmp_path, memory)
    assert server.collections.peek(source.collection) == other
    assert pushed(tmp_path, memory, recreate=True).copied == 600
    assert_equal(contents(source), contents(server))


def test_collections_are_listed_shown_and_pruned(source: FakeModelExperiment, tmp_path: Path) -> None:
    collections = source.collections
    with collections.writing("old__m__00000000", recreate=False) as writer:
        writer.open(4)
        writer.write_record(CollectionRecord("old__m__00000000", {}, {"id": "m"}, 4, {}))
    assert [row.name for row in list_collections(collections)] == [source.collection, "old__m__00000000"]
    details = show_collection(collections, source.collection)
    assert details.info.points == details.row.record.chunks == 600
    keep = [source.collection]
    manifests = tmp_path / "manifests"
    for name in (source.collection, "old__m__00000000"):
        keep_manifest(manifests, name, Manifest(()))
    assert [
        row.name for row in prune_collections(collections, keep, remove=False, manifests=manifests).rows
    ] == ["old__m__00000000"]
    assert len(list_collections(collections)) == 2
    with collections.writing("old__m__00000000", recreate=False):
        assert prune_collections(collections, keep, remove=True, manifests=manifests).busy
    assert prune_collections(collections, keep, remove=True, manifests=manifests).removed
    assert [row.name for row in list_collections(collections)] == keep
    assert [path.stem for path in manifests.iterdir()] == keep
    with pytest.raises(InputError):
        prune_collections(collections, [], remove=True, manifests=manifests)


def test_a_servers_settings_are_shown(source: FakeModelExperiment, tmp_path: Path) -> None:
    memory = QdrantClient(":memory:")
    pushed(tmp_path, memory)
    server = experiment_on("server", tmp_path, memory)
    settings = show_collection(server.collections, server.collection).info.settings
    assert settings["params.vectors.dense.size"] == 16
    assert [row.name for row in list_collections(server.collections)] == [server.collection]


def test_the_command_line_lists_shows_and_prunes(tmp_path: Path, strata: Callable[..., Any]) -> None:
    collections = EmbeddedCollections(
        tmp_path / ".strata" / "collections", lock_timeout=1, m=16, ef_construct=100, ef_search=64
    )
    with collections.writing("old__m__00000000", recreate=False) as writer:
        writer.open(4)
        writer.write_record(CollectionRecord("old__m__00000000", {}, {"id": "m"}, 4, {}, complete=True))
    (tmp_path / "e.yaml").write_text("corpus: {root: docs}\n")
    listed = json.loads(strata("collections", "list", "--json").stdout)
    assert [one["name"] for one in listed["collections"]] == ["old__m__00000000"]
    assert "disk_bytes" in strata("collections", "show", "old__m__00000000").stdout
    assert strata("collections", "show", "e.yaml").returncode == 3
    kept = strata("collections", "prune", "e.yaml")
    assert "unused" in kept.stdout
    assert "--yes" in kept.stderr
    assert "removed" in strata("collections", "prune", "e.yaml", "--yes").stdout
    assert strata("collections", "list").stdout == "no collections\n"
    unreachable = strata("collections", "push", "e.yaml", "--set", "index.url=http://127.0.0.1:9")
    assert unreachable.returncode == 3
