from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strata_rag.index import Analyser, document_weights, rounded_average, sparse_counts

from .contract import MakeIndex, docs, point, sparse


def test_a_weight_is_the_formula() -> None:
    found = document_weights(sparse({1: 1, 2: 3}), length=4, k1=1.2, b=0.75, avg_len=8.0)
    norm = 1.2 * (1 - 0.75 + 0.75 * 4 / 8)
    np.testing.assert_allclose(found.values, [2.2 / (1 + norm), 3 * 2.2 / (3 + norm)], rtol=1e-6)
    assert found.indices.tolist() == [1, 2]


@pytest.mark.parametrize(("k1", "b", "length"), [(1.5, 0.75, 3), (0.0, 0.5, 9), (1.2, 0.0, 50)])
def test_one_occurrence_in_a_document_of_average_length_weighs_one(k1: float, b: float, length: int) -> None:
    avg_len = 3.0
    found = document_weights(sparse({1: 1}), length=length, k1=k1, b=b, avg_len=avg_len)
    assert found.values.tolist() == pytest.approx([1.0])


@given(st.integers(1, 50), st.floats(0.1, 3), st.floats(0, 1), st.integers(1, 500))
def test_a_weight_grows_with_the_count_and_stays_below_k1_plus_one(
    count: int, k1: float, b: float, length: int
) -> None:
    few, many = document_weights(
        sparse({1: count, 2: count + 1}), length=length, k1=k1, b=b, avg_len=20.0
    ).values
    assert 0 < few < many + 1e-6 <= k1 + 1 + 2e-6


def test_case_37_a_word_in_half_of_the_corpus_counts(make_index: MakeIndex) -> None:
    texts = {
        "d1": "alpha note on pumps",
        "d2": "alpha note on valves",
        "d3": "beta note on pumps",
        "d4": "beta note on seals",
    }
    analyser = Analyser(language="english")
    index = make_index()
    for doc_id, text in texts.items():
        counts = analyser.counts(text)
        assert counts.total() == 3
        weights = document_weights(sparse_counts(counts), length=3, k1=1.5, b=0.75, avg_len=3.0)
        one = point(doc_id, lexical=dict(zip(weights.indices.tolist(), weights.values.tolist(), strict=True)))
        index.upsert([one])
    found = index.search_lexical(sparse_counts(analyser.counts("alpha")), 10)
    assert docs(found) == ["d1", "d2"]
    np.testing.assert_allclose([one.score for one in found], [math.log(2)] * 2, atol=1e-6)


@given(st.floats(0.01, 1e6))
def test_a_rounded_average_is_near_and_a_power_of_the_step(mean: float) -> None:
    found = rounded_average(mean)
    assert abs(math.log(found / mean)) <= math.log(1.05) / 2 + 1e-9
    power = math.log(found, 1.05)
    assert power == pytest.approx(round(power), abs=1e-6)
    assert rounded_average(found) == found


def test_small_edits_leave_the_average_alone_and_an_empty_corpus_has_one() -> None:
    assert rounded_average(97.0) == rounded_average(100.0) == 1.05**94
    assert rounded_average(0.0) == rounded_average(-1.0) == 1.0
