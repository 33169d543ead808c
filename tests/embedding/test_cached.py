from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from strata_rag.cache import Cache
from strata_rag.embedding import BadVector, CachedEmbedder, HashedWordsEmbedder, Matrix


class CountingEmbedder(HashedWordsEmbedder):
    """Writes down what it is asked, and refuses a text on request."""

    def __init__(self, dimension: int = 8, *, name: str = "", refused: str | None = None) -> None:
        super().__init__(dimension)
        self.asked: list[list[str]] = []
        self.questions: list[str] = []
        self._name = name
        self._refused = refused

    @property
    def fingerprint(self) -> str:
        return super().fingerprint + self._name

    def embed_documents(self, texts: Sequence[str]) -> Matrix:
        self.asked.append(list(texts))
        if self._refused in texts:
            raise BadVector(str(self._refused), "expected a vector, found none")
        return np.stack([HashedWordsEmbedder.embed_query(self, text) for text in texts])

    def embed_query(self, text: str) -> np.ndarray:
        self.questions.append(text)
        return -super().embed_query(text)  # a question's vector differs from a document's


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[Cache]:
    opened = Cache(tmp_path / "cache.sqlite")
    yield opened
    opened.close()


def test_no_text_is_embedded_twice(cache: Cache) -> None:
    model = CountingEmbedder()
    CachedEmbedder(model, cache).embed_documents(["a", "b", "a"])
    CachedEmbedder(model, cache).embed_documents(["b", "c"])
    assert model.asked == [["a", "b"], ["c"]] or model.asked == [["b", "a"], ["c"]]


def test_a_model_is_not_touched_where_everything_is_known(cache: Cache) -> None:
    CachedEmbedder(CountingEmbedder(), cache).embed_documents(["a"])
    model = CountingEmbedder()
    CachedEmbedder(model, cache).embed_documents(["a", "a"])
    assert model.asked == []


@settings(max_examples=25)
@given(st.lists(st.text(st.characters(codec="utf-8"), max_size=6), max_size=12))
def test_rows_come_in_the_order_of_the_texts(texts: list[str]) -> None:
    with TemporaryDirectory() as folder:
        cache = Cache(Path(folder) / "cache.sqlite")
        cached = CachedEmbedder(CountingEmbedder(), cache)
        plain = HashedWordsEmbedder(8).embed_documents(texts)
        np.testing.assert_array_equal(cached.embed_documents(texts), plain)
        np.testing.assert_array_equal(cached.embed_documents(texts), plain)
        cache.close()


def test_texts_of_like_length_are_embedded_together(cache: Cache) -> None:
    model = CountingEmbedder()
    texts = [f"{'x' * (length % 97)} {length}" for length in range(600)]
    CachedEmbedder(model, cache).embed_documents(texts)
    lengths = [len(text) for group in model.asked for text in group]
    assert lengths == sorted(lengths)
    assert [len(group) for group in model.asked] == [256, 256, 88]


def test_questions_and_documents_are_kept_apart(cache: Cache) -> None:
    model = CountingEmbedder()
    cached = CachedEmbedder(model, cache)
    [document] = cached.embed_documents(["a"])
    np.testing.assert_array_equal(cached.embed_query("a"), -document)
    np.testing.assert_array_equal(cached.embed_query("a"), -document)
    assert (model.asked, model.questions) == ([["a"]], ["a"])


def test_another_fingerprint_finds_nothing(cache: Cache) -> None:
    CachedEmbedder(CountingEmbedder(), cache).embed_documents(["a"])
    other = CachedEmbedder(CountingEmbedder(name="int8"), cache)
    assert other.missing_documents(["a"]) == {"a"}


def test_missing_documents_are_those_that_would_be_embedded(cache: Cache) -> None:
    cached = CachedEmbedder(CountingEmbedder(), cache)
    cached.embed_documents(["a", "b"])
    cached.embed_query("c")
    assert cached.missing_documents(["a", "c", "d", "d"]) == {"c", "d"}


def test_what_was_embedded_before_a_bad_vector_is_kept(cache: Cache) -> None:
    texts = [f"{'x' * length}" for length in range(1, 300)]
    model = CountingEmbedder(refused=texts[-1])
    with pytest.raises(BadVector):
        CachedEmbedder(model, cache).embed_documents(texts)
    assert CachedEmbedder(CountingEmbedder(), cache).missing_documents(texts) == set(texts[256:])


def test_no_texts_give_a_matrix_without_rows(cache: Cache) -> None:
    cached = CachedEmbedder(CountingEmbedder(5), cache)
    assert cached.embed_documents([]).shape == (0, 5)
    assert (cached.dimension, cached.fingerprint) == (5, "hashed-words-5")
