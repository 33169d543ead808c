"""Both engines behind one seam: one suite over Qdrant Edge, qdrant-client in memory, and a server if there is one."""

from __future__ import annotations

import math
import os
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from strata_rag.errors import CollectionBusy, CollectionError, WriteFailed
from strata_rag.index import (
    CollectionRecord,
    Collections,
    CollectionWriter,
    EmbeddedCollections,
    Index,
    Point,
    ServerAddress,
    ServerClient,
    ServerCollections,
    ServerLayout,
    SparseVector,
    document_weights,
    matches,
    parse_filters,
    point_id,
)

DIMENSION = 8
TERMS = 12
pytestmark = pytest.mark.filterwarnings("ignore:Local mode performs exact")
URL = os.environ.get("STRATA_TEST_QDRANT_URL", "")


def sparse(values: dict[int, float]) -> SparseVector:
    keys = sorted(values)
    return SparseVector(np.array(keys, np.uint32), np.array([values[key] for key in keys], np.float32))


def point(number: int, seed: int = 0) -> Point:
    """Return a point with a random direction and random words; every tenth repeats the first one's, so scores tie."""
    rng = np.random.default_rng([seed, number if number % 10 else 0])
    vector = rng.normal(size=DIMENSION).astype(np.float32)
    counts = {
        int(term): float(count)
        for term, count in zip(rng.choice(TERMS, 4, replace=False), (1, 2, 1, 3), strict=True)
    }
    weights = document_weights(sparse(counts), length=7, k1=1.2, b=0.75, avg_len=7.0)
    payload = {
        "doc_id": f"d{number:03}", "start": 0, "end": 5, "text": f"text {number} größe 🐋",
        "source": ("atlas", "beta", "")[number % 3], "year": 2000 + number % 7, "draft": number % 2 == 0,
        "date": f"2024-05-{1 + number % 28:02}", "tags": ["a"] if number % 4 else ["b", "c"],
    }  # fmt: skip
    return Point(point_id(f"d{number:03}#0-5"), vector / np.linalg.norm(vector), weights, payload)


POINTS = [point(number) for number in range(60)]


def record(name: str, **changes: Any) -> CollectionRecord:
    values = {"says": {"a": 1}, "model": {"id": "m"}, "dimension": DIMENSION, "stages": {"s": 1}, **changes}
    return CollectionRecord(name=name, **values)


def bm25(points: list[Point], query: SparseVector) -> dict[str, float]:
    """Score by the formula, over exactly these points."""
    scores: dict[str, float] = {}
    for one in points:
        held = dict(zip(one.lexical.indices.tolist(), one.lexical.values.tolist(), strict=True))
        score = 0.0
        for term, count in zip(query.indices.tolist(), query.values.tolist(), strict=True):
            having = sum(term in other.lexical.indices for other in points)
            idf = math.log(1 + (len(points) - having + 0.5) / (having + 0.5))
            score += count * idf * held.get(term, 0.0)
        if held.keys() & set(query.indices.tolist()):
            scores[one.point_id] = score
    return scores


@pytest.fixture(params=["embedded", "memory", pytest.param("server", marks=pytest.mark.server)])
def collections(request: pytest.FixtureRequest, tmp_path: Path) -> Collections:
    if request.param == "embedded":
        return EmbeddedCollections(tmp_path, lock_timeout=0.2, m=16, ef_construct=100, ef_search=64)
    if request.param == "memory":
        from qdrant_client import QdrantClient

        client = ServerClient(ServerAddress("memory"), client=QdrantClient(":memory:"))
    elif URL:
        client = ServerClient(ServerAddress(URL, api_key=os.environ.get("STRATA_TEST_QDRANT_KEY")))
    else:
        pytest.skip("STRATA_TEST_QDRANT_URL is not set")
    return ServerCollections(client, tmp_path, lock_timeout=0.2, layout=ServerLayout())


@pytest.fixture
def name(collections: Collections) -> Iterator[str]:
    made = f"contract__{uuid.uuid4().hex[:8]}"
    yield made
    collections.remove(made)


def fill(collections: Collections, name: str, points: list[Point], *, recreate: bool = False) -> None:
    with collections.writing(name, recreate=recreate) as writer:
        index = writer.open(DIMENSION)
        writer.write_record(record(name))
        index.upsert(points)
        index.optimize()
        writer.write_record(record(name, complete=True, chunks=len(points)))


@pytest.fixture
def index(collections: Collections, name: str) -> Iterator[Index]:
    fill(collections, name, POINTS)
    with collections.reading(name) as (_, opened):
        yield opened


class TestContract:
    def test_what_was_written_is_what_is_read(self, index: Index) -> None:
        stored = dict(index.scroll())
        assert list(stored) == sorted(one.point_id for one in POINTS)
        assert stored == {one.point_id: dict(one.payload) for one in POINTS}
        vectors = index.vectors([one.point_id for one in POINTS] + [point_id("nothing")])
        assert len(vectors) == len(POINTS)
        for one in POINTS:
            dense, lexical = vectors[one.point_id]
            np.testing.assert_allclose(dense, one.dense, atol=1e-6)
            np.testing.assert_array_equal(lexical.indices, one.lexical.indices)
            np.testing.assert_array_equal(lexical.values, one.lexical.values)
        assert index.count() == index.info().points == len(POINTS)
        assert {tuple(payload) for _, payload in index.scroll(["year"])} == {("year",)}

    @pytest.mark.parametrize("limit", [1, 5, 60, 200])
    def test_dense_scores_and_order_are_those_of_brute_force(self, index: Index, limit: int) -> None:
        query = POINTS[3].dense
        scores = {one.point_id: float(one.dense @ query) for one in POINTS}
        self._same(index.search_dense(query, limit), scores, limit)

    @pytest.mark.parametrize("limit", [1, 5, 60, 200])
    def test_lexical_scores_and_order_are_those_of_the_formula(self, index: Index, limit: int) -> None:
        query = sparse({1: 2.0, 4: 1.0, 900: 1.0})
        self._same(index.search_lexical(query, limit), bm25(POINTS, query), limit)
        assert index.search_lexical(sparse({}), 5) == []
        assert index.search_lexical(sparse({900: 1.0}), 5) == []

    @pytest.mark.parametrize(
        "filters",
        [
            ["source=atlas"], ["source="], ["source!=atlas"], ["year=2001..2003"], ["year>2003", "source=beta,atlas"],
            ["draft=true"], ["tags=b"], ["date>=2024-05-20"], ["date<2024-05-03", "draft=false"], ["none=1"],
        ],
    )  # fmt: skip
    def test_filters_act_on_both_sides_before_ranking(self, index: Index, filters: list[str]) -> None:
        where = parse_filters(filters)
        passing = [one for one in POINTS if matches(one.payload, where)]
        query = POINTS[3].dense
        dense = {one.point_id: float(one.dense @ query) for one in passing}
        self._same(index.search_dense(query, 5, where=where), dense, 5)
        words = sparse({1: 1.0, 4: 1.0})
        inside = {one.point_id for one in passing}
        lexical = {key: score for key, score in bm25(POINTS, words).items() if key in inside}
        self._same(index.search_lexical(words, 5, where=where), lexical, 5)

    def test_idf_after_deletes_and_replacements_is_that_of_a_fresh_collection(
        self, collections: Collections, name: str
    ) -> None:
        fill(collections, name, POINTS)
        rest = [*POINTS[:5], *(point(number, seed=1) for number in range(5, 20))]
        with collections.writing(name, recreate=False) as writer:
            index = writer.open(DIMENSION)
            index.delete([one.point_id for one in POINTS[20:]])
            index.delete([point_id("unknown")])
            index.upsert(rest[5:])
            index.optimize()
            query = sparse({1: 1.0, 4: 2.0})
            self._same(index.search_lexical(query, 60), bm25(rest, query), 60)

    def test_lexical_weights_are_replaced_and_vectors_stay(self, collections: Collections, name: str) -> None:
        fill(collections, name, POINTS[:3])
        with collections.writing(name, recreate=False) as writer:
            index = writer.open(DIMENSION)
            key = POINTS[0].point_id
            index.update_lexical({key: sparse({7: 0.5})}, {"_avg_len": 9.0})
            dense, lexical = index.vectors([key])[key]
            np.testing.assert_allclose(dense, POINTS[0].dense, atol=1e-6)
            assert (lexical.indices.tolist(), lexical.values.tolist()) == ([7], [0.5])
            assert dict(index.scroll())[key] == {**POINTS[0].payload, "_avg_len": 9.0}

    def test_a_vector_of_another_length_is_refused(self, collections: Collections, name: str) -> None:
        fill(collections, name, POINTS[:3])
        wrong = Point(POINTS[4].point_id, np.ones(3, np.float32), POINTS[4].lexical, POINTS[4].payload)
        with collections.writing(name, recreate=False) as writer, pytest.raises(WriteFailed):
            writer.open(DIMENSION).upsert([wrong])

    def test_missing_and_incomplete_collections_are_told_apart(
        self, collections: Collections, name: str
    ) -> None:
        with pytest.raises(CollectionError, match="found none"), collections.reading(name):
            pass
        assert collections.peek(name) is None
        with collections.writing(name, recreate=False) as writer:
            assert writer.record() is None
            writer.open(DIMENSION)
            writer.write_record(record(name))
            assert writer.record() == record(name)
        with pytest.raises(CollectionError, match="cut short"), collections.reading(name):
            pass
        assert name in collections.names()

    def test_what_was_never_recorded_is_begun_anew(self, collections: Collections, name: str) -> None:
        with collections.writing(name, recreate=False) as writer:
            writer.open(DIMENSION).upsert(POINTS[:3])
        with collections.writing(name, recreate=False) as writer:
            assert writer.open(DIMENSION).count() == 0
            writer.write_record(record(name))

    def test_a_second_writer_fails_at_once_and_a_reader_after_its_wait(
        self, collections: Collections, name: str
    ) -> None:
        fill(collections, name, POINTS[:3])
        with collections.writing(name, recreate=False):
            busy = pytest.raises(CollectionBusy, match=str(os.getpid()))
            with busy, collections.writing(name, recreate=False):
                pass
            with busy, collections.writing(name, recreate=True):
                pass
            with busy, collections.reading(name):
                pass
        with collections.reading(name) as (_, first), collections.reading(name) as (_, second):
            assert first.count() == second.count() == 3

    def test_a_rebuilt_collection_takes_the_place_of_the_old_one_only_at_the_end(
        self, collections: Collections, name: str
    ) -> None:
        fill(collections, name, POINTS[:3])
        with pytest.raises(WriteFailed), collections.writing(name, recreate=True) as writer:
            self._refused(writer)
        for count in (5, 7):
            before = 3 if count == 5 else 5
            with collections.reading(name) as (_, index):
                assert index.count() == before
            fill(collections, name, POINTS[:count], recreate=True)
            assert [one for one in collections.names() if one.startswith(name)] == [name]
        with collections.reading(name) as (stored, index):
            assert index.count() == stored.chunks == 7
        collections.remove(name)
        assert name not in collections.names()

    @staticmethod
    def _refused(writer: CollectionWriter) -> None:
        index = writer.open(DIMENSION)
        index.upsert(POINTS[:1])
        index.upsert(
            [Point(POINTS[4].point_id, np.ones(3, np.float32), POINTS[4].lexical, POINTS[4].payload)]
        )

    @staticmethod
    def _same(found: list[Any], scores: dict[str, float], limit: int) -> None:
        documents = {one.point_id: one.payload["doc_id"] for one in POINTS}
        rounded = {key: round(score, 5) for key, score in scores.items()}
        expected = sorted(scores, key=lambda key: (-rounded[key], documents[key]))[:limit]
        assert [one.point_id for one in found] == expected
        np.testing.assert_allclose(
            [one.score for one in found], [scores[key] for key in expected], atol=1e-5, rtol=1e-5
        )


def test_a_swap_that_was_cut_short_is_finished_by_the_next_writer(tmp_path: Path) -> None:
    from qdrant_client import QdrantClient

    memory = QdrantClient(":memory:")
    collections = ServerCollections(ServerClient(ServerAddress("memory"), client=memory), tmp_path)
    fill(collections, "c", POINTS[:3])
    fill(collections, "c.r2", POINTS[:5])
    memory.delete_collection("c")
    with collections.writing("c", recreate=False) as writer:
        assert writer.open(DIMENSION).count() == 5
    assert collections.names() == ["c"]


def test_the_layout_reaches_the_server_and_is_shown(tmp_path: Path) -> None:
    asked: dict[str, Any] = {}

    class Recording:
        def create_collection(self, name: str, **settings: Any) -> None:
            asked.update(settings)

    layout = ServerLayout(
        m=8, ef_construct=50, shard_number=2, replication_factor=3, write_consistency_factor=2, on_disk=True,
        quantization="scalar",
    )  # fmt: skip
    client: Any = Recording()
    ServerCollections(ServerClient(ServerAddress("u"), client=client), tmp_path, layout=layout).create("c", 4)
    assert (asked["shard_number"], asked["replication_factor"], asked["write_consistency_factor"]) == (
        2,
        3,
        2,
    )
    assert (asked["hnsw_config"].m, asked["hnsw_config"].ef_construct, asked["on_disk_payload"]) == (
        8,
        50,
        True,
    )
    assert asked["vectors_config"]["dense"].on_disk
    assert asked["quantization_config"].scalar.type == "int8"
