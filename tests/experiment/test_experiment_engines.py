"""Ingest and query over both engines: the same points, the same rankings, the same continuation."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from qdrant_client import QdrantClient

from strata_rag.config import load_config
from strata_rag.embedding import CachedEmbedder, HashedWordsEmbedder, ModelFiles, ModelSpec
from strata_rag.errors import WriteFailed
from strata_rag.experiment import Experiment, SearchSettings, Workspace, ingest, query
from strata_rag.index import ServerAddress, ServerClient, ServerCollections
from strata_rag.progress import Silent

pytestmark = pytest.mark.filterwarnings("ignore:Local mode performs exact")
WORDS = [
    "whale",
    "harbour",
    "crane",
    "permit",
    "noise",
    "gift",
    "heat",
    "ballast",
    "valve",
    "AB-12/x",
    "leak",
    "night",
]


class FakeModelExperiment(Experiment):
    """An experiment whose model is a fake, and whose server is qdrant-client in memory."""

    memory: QdrantClient

    @cached_property
    def model_spec(self) -> ModelSpec:
        files = ModelFiles(self.model_id, None, self.workspace.home, "fake")
        return ModelSpec(files, "hashed-words-16", 16, None, "", 1.0)

    @cached_property
    def embedder(self) -> CachedEmbedder:
        return CachedEmbedder(HashedWordsEmbedder(16), self.cache)

    def load_model(self) -> None:
        pass

    @cached_property
    def server_collections(self) -> ServerCollections:
        client = ServerClient(ServerAddress("memory"), client=self.memory)
        return ServerCollections(client, self.workspace.collections)


def write_corpus(root: Path, documents: int, *, changed: bool = False) -> None:
    rng = np.random.default_rng(0)
    for path in root.glob("*/*.md"):
        path.unlink()
    for number in range(documents):
        path = root / f"source{number % 3}" / f"d{number}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        text = " ".join(rng.choice(WORDS, 30))
        path.write_text(f"{text} and more" if changed and number % 4 == 0 else text)


def experiment_on(
    engine: str, tmp_path: Path, memory: QdrantClient, *, home: str = "home"
) -> FakeModelExperiment:
    config = tmp_path / "e.yaml"
    config.write_text("corpus: {root: docs}\nretrieval: {rerank: {scorer: none}}\nembedding: {model: fake}\n")
    loaded = load_config(config, overrides=[f"index.engine={engine}"], environ={}).config
    made = FakeModelExperiment(loaded, Workspace(tmp_path / home))
    made.memory = memory
    return made


def contents(experiment: Experiment) -> dict[str, Any]:
    with experiment.collections.reading(experiment.collection) as (_, index):
        payloads = dict(index.scroll())
        vectors = index.vectors(list(payloads))
    return {key: (payloads[key], *vectors[key]) for key in payloads}


def assert_equal(first: dict[str, Any], second: dict[str, Any]) -> None:
    assert list(first) == list(second)
    for key, (payload, dense, lexical) in first.items():
        other_payload, other_dense, other_lexical = second[key]
        assert payload == other_payload
        np.testing.assert_allclose(dense, other_dense, atol=1e-6)
        np.testing.assert_array_equal(lexical.indices, other_lexical.indices)
        np.testing.assert_array_equal(lexical.values, other_lexical.values)


@pytest.fixture
def memory() -> QdrantClient:
    return QdrantClient(":memory:")


def test_both_engines_hold_the_same_points_and_rank_alike(tmp_path: Path, memory: QdrantClient) -> None:
    write_corpus(tmp_path / "docs", 20)
    embedded, server = (experiment_on(engine, tmp_path, memory) for engine in ("embedded", "server"))
    results = [ingest(one, recreate=False, progress=Silent()) for one in (embedded, server)]
    assert results[0].documents == results[1].documents
    assert embedded.collection == server.collection
    assert_equal(contents(embedded), contents(server))
    for where in ({}, {"source": "source1"}):
        settings = SearchSettings.of(embedded.config, where=where)
        mine, theirs = (
            query(one, "whale AB-12/x night", settings, top_k=10).hits for one in (embedded, server)
        )
        assert [hit.chunk_id for hit in mine] == [hit.chunk_id for hit in theirs]
        assert mine
        for one, other in zip(mine, theirs, strict=True):
            assert one.ranks == other.ranks
            assert one.scores == pytest.approx(other.scores, abs=1e-5)
        assert all(hit.payload["source"] == "source1" for hit in mine) or not where


@pytest.mark.parametrize("engine", ["embedded", "server"])
def test_a_refreshed_collection_equals_a_fresh_one(engine: str, tmp_path: Path, memory: QdrantClient) -> None:
    docs = tmp_path / "docs"
    write_corpus(docs, 20)
    old = experiment_on(engine, tmp_path, memory)
    ingest(old, recreate=False, progress=Silent())
    write_corpus(docs, 15, changed=True)
    changes = ingest(experiment_on(engine, tmp_path, memory), recreate=False, progress=Silent()).documents
    assert (changes.added, changes.changed, changes.removed, changes.unchanged) == (0, 4, 5, 11)
    fresh = experiment_on(engine, tmp_path, QdrantClient(":memory:"), home="other")
    ingest(fresh, recreate=False, progress=Silent())
    assert_equal(contents(old), contents(fresh))
    rebuilt = experiment_on(engine, tmp_path, memory)
    ingest(rebuilt, recreate=True, progress=Silent())
    assert_equal(contents(rebuilt), contents(fresh))


def test_an_ingest_that_a_server_cut_short_is_continued_by_the_next(
    tmp_path: Path, memory: QdrantClient
) -> None:
    write_corpus(tmp_path / "docs", 600)

    class FailsOnce:
        """The in-memory client, refusing the second upsert."""

        upserts = 0

        def upsert(self, *args: Any, **kwargs: Any) -> Any:
            self.upserts += 1
            if self.upserts == 2:
                raise ValueError("no space left")
            return memory.upsert(*args, **kwargs)

        def __getattr__(self, name: str) -> Any:
            return getattr(memory, name)

    failing: Any = FailsOnce()
    with pytest.raises(WriteFailed, match=r"no space left; 256 points are stored"):
        ingest(experiment_on("server", tmp_path, failing), recreate=False, progress=Silent())
    again = experiment_on("server", tmp_path, memory)
    result = ingest(again, recreate=False, progress=Silent())
    assert (result.chunks, result.written) == (600, 344)
    write_corpus(tmp_path / "docs", 600)
    other = experiment_on("server", tmp_path, QdrantClient(":memory:"), home="other")
    ingest(other, recreate=False, progress=Silent())
    assert_equal(contents(again), contents(other))
