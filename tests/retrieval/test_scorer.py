from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import pytest

from strata_rag.cache import Cache
from strata_rag.errors import ModelUnavailable
from strata_rag.retrieval import CachedScorer, FunctionScorer, ModelInfo


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[Cache]:
    opened = Cache(tmp_path / "cache.sqlite")
    yield opened
    opened.close()


class CountingScorer:
    """Scores by length, NaN for ``nan``, and writes down what it is asked."""

    def __init__(self, **info: object) -> None:
        self.asked: list[tuple[str, list[str]]] = []
        self._info = ModelInfo(**{"kind": "fake", "model_id": "m", "fingerprint": "f", **info})

    def score(self, query, texts):
        self.asked.append((query, list(texts)))
        return [math.nan if text == "nan" else float(len(text)) for text in texts]

    def describe(self):
        return self._info


def test_no_pair_is_scored_twice_and_order_is_kept(cache: Cache) -> None:
    scorer = CountingScorer()
    assert CachedScorer(scorer, cache).score("q", ["aa", "b", "aa"]) == [2.0, 1.0, 2.0]
    assert CachedScorer(scorer, cache).score("q", ["b", "ccc", "aa"]) == [1.0, 3.0, 2.0]
    assert scorer.asked == [("q", ["aa", "b"]), ("q", ["ccc"])]


def test_a_scorer_is_not_touched_where_everything_is_known(cache: Cache) -> None:
    CachedScorer(CountingScorer(), cache).score("q", ["a"])
    scorer = CountingScorer()
    assert CachedScorer(scorer, cache).score("q", ["a"]) == [1.0]
    assert CachedScorer(scorer, cache).score("q", []) == []
    assert scorer.asked == []


@pytest.mark.parametrize(
    "info", [{"kind": "x"}, {"model_id": "x"}, {"fingerprint": "x"}, {"parameters": {"label": 1}}]
)
def test_another_scorer_finds_nothing(cache: Cache, info: dict[str, object]) -> None:
    CachedScorer(CountingScorer(), cache).score("q", ["a"])
    other = CountingScorer(**info)
    CachedScorer(other, cache).score("q", ["a"])
    CachedScorer(other, cache).score("another", ["a"])
    assert len(other.asked) == 2


def test_a_missing_score_is_asked_for_again(cache: Cache) -> None:
    scorer = CountingScorer()
    cached = CachedScorer(scorer, cache)
    assert math.isnan(cached.score("q", ["nan", "a"])[0])
    assert math.isnan(cached.score("q", ["nan", "a"])[0])
    assert scorer.asked[1] == ("q", ["nan"])


def test_a_wrong_number_of_scores_is_an_error_and_nothing_is_kept(cache: Cache) -> None:
    class Short(CountingScorer):
        def score(self, query, texts):
            return [1.0]

    with pytest.raises(ModelUnavailable, match="expected 2 scores, found 1"):
        CachedScorer(Short(), cache).score("q", ["a", "b"])
    scorer = CountingScorer()
    CachedScorer(scorer, cache).score("q", ["a", "b"])
    assert scorer.asked == [("q", ["a", "b"])]


def test_a_cached_scorer_is_what_it_wraps(cache: Cache) -> None:
    scorer = FunctionScorer(lambda query, text: 1.0, name="one")
    assert CachedScorer(scorer, cache).describe() == scorer.describe() == ModelInfo("fake", "one", "one")
