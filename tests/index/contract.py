"""What every engine behind the `Index` seam holds to; an engine's tests inherit it and give the factory."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

from strata_rag.errors import StrataError
from strata_rag.index import Index, Point, ScoredPoint, SparseVector, point_id

DIMENSION = 4
MakeIndex = Callable[[], Index]


def sparse(weights: Mapping[int, float]) -> SparseVector:
    places = sorted(weights)
    return SparseVector(
        np.array(places, np.uint32), np.array([weights[place] for place in places], np.float32)
    )


def point(
    doc_id: str,
    dense: tuple[float, ...] = (1, 0, 0, 0),
    lexical: Mapping[int, float] | None = None,
    *,
    start: int = 0,
    **payload: Any,
) -> Point:
    vector = np.array(dense, np.float32)
    return Point(
        point_id(f"{doc_id}#{start}"),
        vector / np.linalg.norm(vector),
        sparse(lexical or {}),
        {"doc_id": doc_id, "start": start, **payload},
    )


def docs(found: list[ScoredPoint]) -> list[str]:
    return [one.payload["doc_id"] for one in found]


EAST = np.array([1, 0, 0, 0], np.float32)


class IndexContract:
    """Inherit, and define the fixture ``make_index``: returns a new, empty, open index of length `DIMENSION`."""

    @pytest.fixture
    def index(self, make_index: MakeIndex) -> Index:
        return make_index()

    def test_what_was_written_is_counted_and_scrolled_with_its_payload(self, index: Index) -> None:
        payload = {"text": "naïve 漢 \0 \U0001f600", "n": 3, "flag": True, "nothing": None, "tags": ["a"]}
        written = [point("a", **payload), point("a", start=5), point("b")]
        index.upsert(written)
        assert index.count() == index.info().points == 3
        assert dict(index.scroll()) == {one.point_id: dict(one.payload) for one in written}

    def test_scrolling_goes_by_id_and_gives_only_the_fields_asked_for(self, index: Index) -> None:
        index.upsert([point(f"d{number}", extra=number) for number in range(50)])
        found = list(index.scroll(["extra"]))
        assert [key for key, _ in found] == sorted(key for key, _ in found)
        assert {tuple(payload) for _, payload in found} == {("extra",)}

    def test_a_point_written_again_replaces_the_first(self, index: Index) -> None:
        index.upsert([point("a", old=1)])
        index.upsert([point("a", (0, 1, 0, 0), {1: 1.0}, new=1)])
        [(key, payload)] = index.scroll()
        assert payload == {"doc_id": "a", "start": 0, "new": 1}
        dense, lexical = index.vectors([key])[key]
        np.testing.assert_allclose(dense, [0, 1, 0, 0])
        assert lexical.indices.tolist() == [1]

    def test_vectors_come_back_as_they_were_written(self, index: Index) -> None:
        written = [point("a", (1, 2, 3, 4), {7: 0.5, 4_294_967_295: 2.25}), point("b")]
        index.upsert(written)
        found = index.vectors([written[0].point_id, written[1].point_id, point_id("unknown")])
        assert set(found) == {one.point_id for one in written}
        dense, lexical = found[written[0].point_id]
        np.testing.assert_allclose(dense, np.array([1, 2, 3, 4]) / math.sqrt(30), atol=1e-6)
        assert lexical.indices.tolist() == [7, 4_294_967_295]
        assert lexical.values.tolist() == [0.5, 2.25]
        assert found[written[1].point_id][1].indices.tolist() == []

    def test_a_dense_score_is_the_cosine(self, index: Index) -> None:
        index.upsert(
            [
                point("same"),
                point("near", (3, 4, 0, 0)),
                point("across", (0, 0, 1, 0)),
                point("away", (-1, 0, 0, 0)),
            ]
        )
        found = index.search_dense(EAST, 10)
        assert docs(found) == ["same", "near", "across", "away"]
        np.testing.assert_allclose([one.score for one in found], [1, 0.6, 0, -1], atol=1e-6)
        assert found[0].point_id == point("same").point_id

    def test_a_lexical_score_sums_query_count_times_idf_times_weight(self, index: Index) -> None:
        index.upsert(
            [
                point("a", lexical={1: 1.5, 2: 0.5}),
                point("b", lexical={1: 0.25}),
                point("c", lexical={3: 1.0}),
            ]
        )
        found = index.search_lexical(sparse({1: 2.0, 2: 1.0, 9: 5.0}), 10)
        idf_1 = math.log(1 + (3 - 2 + 0.5) / (2 + 0.5))
        idf_2 = math.log(1 + (3 - 1 + 0.5) / (1 + 0.5))
        assert docs(found) == ["a", "b"]
        expected = [2 * idf_1 * 1.5 + idf_2 * 0.5, 2 * idf_1 * 0.25]
        np.testing.assert_allclose([one.score for one in found], expected, rtol=1e-5)

    def test_a_query_without_terms_finds_nothing(self, index: Index) -> None:
        index.upsert([point("a", lexical={1: 1.0})])
        assert index.search_lexical(sparse({}), 10) == []
        assert index.search_lexical(sparse({2: 1.0}), 10) == []

    @pytest.mark.parametrize("limit", [1, 3, 10, 40, 100])
    def test_equal_scores_come_by_document_and_place_also_where_the_limit_cuts_them(
        self, index: Index, limit: int
    ) -> None:
        expected = [(f"d{number:02}", start) for number in range(20) for start in (0, 9)]
        shuffled = np.random.default_rng(3).permutation(len(expected))
        index.upsert([point(expected[at][0], lexical={1: 1.0}, start=expected[at][1]) for at in shuffled])
        for found in (index.search_dense(EAST, limit), index.search_lexical(sparse({1: 1.0}), limit)):
            assert [(one.payload["doc_id"], one.payload["start"]) for one in found] == expected[:limit]

    @pytest.mark.parametrize("limit", [10, 1000])
    def test_case_40_asking_for_more_than_there_is_gives_all_there_is(self, index: Index, limit: int) -> None:
        index.upsert([point("a", lexical={1: 1.0}, source="x"), point("b", lexical={1: 1.0}, source="y")])
        for where, expected in ((None, ["a", "b"]), ({"source": "y"}, ["b"]), ({"source": "z"}, [])):
            assert docs(index.search_dense(EAST, limit, where=where)) == expected
            assert docs(index.search_lexical(sparse({1: 1.0}), limit, where=where)) == expected

    def test_a_filter_wants_every_field_to_have_its_value(self, index: Index) -> None:
        index.upsert(
            [
                point("a", source="x", year=1),
                point("b", source="x", year=2),
                point("c", source="x", year=1),
                point("d"),
            ]
        )
        assert docs(index.search_dense(EAST, 9, where={"source": "x", "year": 1})) == ["a", "c"]
        assert docs(index.search_dense(EAST, 9, where={})) == ["a", "b", "c", "d"]

    @pytest.mark.parametrize("optimized_before", [False, True])
    def test_case_43_idf_after_deletes_is_that_of_a_fresh_collection(
        self, index: Index, optimized_before: bool
    ) -> None:
        points = [point(f"p{number}", lexical={1 if number < 3 else 2: 1.0}) for number in range(6)]
        index.upsert(points)
        if optimized_before:
            index.optimize()
        before = index.search_lexical(sparse({1: 1.0}), 9)
        np.testing.assert_allclose([one.score for one in before], [0.693147] * 3, atol=1e-6)
        index.delete([one.point_id for one in points[3:]])
        index.optimize()
        after = index.search_lexical(sparse({1: 1.0}), 9)
        np.testing.assert_allclose([one.score for one in after], [0.133531] * 3, atol=1e-6)
        assert index.count() == 3

    def test_deleting_what_is_not_there_changes_nothing(self, index: Index) -> None:
        index.upsert([point("a")])
        index.delete([point_id("unknown")])
        index.delete([])
        assert index.count() == 1

    def test_new_lexical_weights_leave_the_dense_vector_and_other_fields_alone(self, index: Index) -> None:
        one, other = (
            point("a", (1, 1, 0, 0), {1: 1.0, 2: 1.0}, text="x", avg=1.0),
            point("b", lexical={1: 1.0}),
        )
        index.upsert([one, other])
        index.update_lexical({one.point_id: sparse({3: 2.0})}, {"avg": 2.0})
        stored = dict(index.scroll())
        assert stored[one.point_id] == {"doc_id": "a", "start": 0, "text": "x", "avg": 2.0}
        assert stored[other.point_id] == dict(other.payload)
        dense, lexical = index.vectors([one.point_id])[one.point_id]
        np.testing.assert_allclose(dense, one.dense, atol=1e-6)
        assert (lexical.indices.tolist(), lexical.values.tolist()) == ([3], [2.0])
        assert docs(index.search_lexical(sparse({1: 1.0}), 9)) == ["b"]

    def test_a_vector_of_another_length_is_refused_with_both_lengths_and_changes_nothing(
        self, index: Index
    ) -> None:
        index.upsert([point("a")])
        with pytest.raises(StrataError, match=r"4\D+3"):
            index.upsert([point("b", (1, 0, 0))])
        with pytest.raises(StrataError, match=r"4\D+3"):
            index.search_dense(np.ones(3, np.float32), 5)
        assert docs(index.search_dense(EAST, 9)) == ["a"]

    def test_an_empty_index_answers_with_nothing(self, index: Index) -> None:
        assert index.count() == 0
        assert list(index.scroll()) == []
        assert index.search_dense(EAST, 5) == []
        assert index.search_lexical(sparse({1: 1.0}), 5) == []
        assert index.vectors([]) == {}

    def test_optimizing_changes_no_answer(self, index: Index) -> None:
        rng = np.random.default_rng(5)
        index.upsert(
            [
                point(f"d{at}", tuple(rng.normal(size=4)), {int(rng.integers(5)): 1.0, 9: 0.5})
                for at in range(60)
            ]
        )
        question, terms = rng.normal(size=4).astype(np.float32), sparse({2: 1.0, 9: 1.0})
        before = [index.search_dense(question, 20), index.search_lexical(terms, 20)]
        index.optimize()
        after = [index.search_dense(question, 20), index.search_lexical(terms, 20)]
        for one, other in zip(before, after, strict=True):
            assert docs(one) == docs(other)
            np.testing.assert_allclose([a.score for a in one], [b.score for b in other], atol=1e-6)

    def test_closing_twice_is_allowed(self, index: Index) -> None:
        index.close()
        index.close()
