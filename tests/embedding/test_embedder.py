from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from strata_rag.embedding import BadVector, HashedWordsEmbedder, unit_vectors


@given(
    arrays.arrays(np.float32, (4, 3), elements=st.floats(-100, 100, width=32).filter(lambda x: abs(x) > 1e-3))
)
def test_rows_keep_their_direction_and_get_length_one(rows: np.ndarray) -> None:
    unit = unit_vectors(rows, list("abcd"), dimension=3)
    np.testing.assert_allclose(np.linalg.norm(unit, axis=1), 1, atol=1e-6)
    np.testing.assert_allclose(unit * np.linalg.norm(rows, axis=1, keepdims=True), rows, rtol=1e-5)
    assert unit.dtype == np.float32


@pytest.mark.parametrize(
    ("value", "found"),
    [
        (np.nan, "NaN or infinity"),
        (np.inf, "NaN or infinity"),
        (-np.inf, "NaN or infinity"),
        (1e39, "NaN or infinity"),
    ],
)
def test_a_row_that_is_not_finite_is_refused_with_its_text(value: float, found: str) -> None:
    rows = np.ones((3, 2), np.float64)
    rows[1, 0] = value
    with pytest.raises(BadVector) as caught:
        unit_vectors(rows, ["first", "second", "third"], dimension=2)
    assert caught.value.message == f"text 'second': expected a finite vector, the model gave {found}"


def test_a_zero_row_is_refused_with_its_text() -> None:
    with pytest.raises(BadVector, match="text 'b': expected a finite vector, the model gave a zero vector"):
        unit_vectors(np.array([[1.0, 0.0], [0.0, 0.0]]), ["a", "b"], dimension=2)


@pytest.mark.parametrize("shape", [(2, 4), (1, 3), (3, 3), (6,)])
def test_rows_of_another_number_or_length_are_refused_with_both(shape: tuple[int, ...]) -> None:
    with pytest.raises(BadVector) as caught:
        unit_vectors(np.ones(shape), ["a" * 100, "b"], dimension=3)
    assert f"text '{'a' * 60}': expected 2 vectors of length 3, the model gave shape {shape}" in str(
        caught.value
    )


def test_the_fake_gives_the_same_unit_vectors_for_the_same_words() -> None:
    embedder = HashedWordsEmbedder(dimension=16)
    one, other = embedder.embed_documents(["alpha beta", "Beta  alpha"])
    np.testing.assert_allclose(one, other, atol=1e-6)
    np.testing.assert_array_equal(embedder.embed_query("alpha beta"), one)
    assert np.linalg.norm(one) == pytest.approx(1, abs=1e-6)
    assert embedder.embed_documents([]).shape == (0, 16)
    assert embedder.embed_query("").shape == (16,)


def test_texts_that_share_words_are_nearer_than_texts_that_do_not() -> None:
    embedder = HashedWordsEmbedder(dimension=256)
    question = embedder.embed_query("pump pressure")
    near, far = embedder.embed_documents(["the pump pressure falls", "roses are red"])
    assert question @ near > 0.5 > question @ far
