from __future__ import annotations

import random
import time

from hypothesis import given
from hypothesis import strategies as st

from strata_rag.chunking.likeness import LIKENESS, near_duplicates, word_runs

WORDS = st.lists(st.sampled_from(["a", "b", "c", "d"]), max_size=12).map(" ".join)


def words(count: int, seed: int) -> list[str]:
    return random.Random(seed).choices([f"word{number}" for number in range(5000)], k=count)


def exact_share(one: str, other: str) -> float:
    """Return the Jaccard similarity of five-word runs, by sets of words."""

    def runs(text: str) -> set[tuple[str, ...]]:
        found = text.lower().split()
        length = min(5, len(found))
        return {tuple(found[at : at + length]) for at in range(len(found) - length + 1)}

    return len(runs(one) & runs(other)) / len(runs(one) | runs(other))


def test_the_share_is_the_exact_one_and_stands_beside_the_first_like_it() -> None:
    text = words(200, seed=1)
    texts = {"a": " ".join(text), "b": " ".join(words(200, seed=2)), "c": " ".join([*text[:-10], *"uvwxyz"])}
    [(key, like)] = near_duplicates(texts).items()
    assert (key, like.first) == ("c", "a")
    assert like.share == exact_share(texts["a"], texts["c"])


@given(st.lists(WORDS, max_size=8))
def test_no_pair_below_the_threshold_is_named_and_equal_texts_are(texts: list[str]) -> None:
    named = {str(at): text for at, text in enumerate(texts)}
    found = near_duplicates(named)
    for key, like in found.items():
        assert int(like.first) < int(key)
        assert like.first not in found
        assert like.share == exact_share(named[key], named[like.first]) >= LIKENESS
    for at, text in enumerate(texts):
        assert not text or text not in texts[:at] or str(at) in found


def test_pairs_at_the_threshold_are_found() -> None:
    """One in 5,000 would be missed: 300 pairs of a similarity between 0.80 and 0.87."""
    missed = 0
    for seed in range(300):
        text = words(120, seed)
        changed = [*text[:-8], *words(8, seed + 10_000)]
        pair = {"a": " ".join(text), "b": " ".join(changed)}
        assert LIKENESS <= exact_share(*pair.values()) < 0.9
        missed += "b" not in near_duplicates(pair)
    assert missed <= 1


def test_case_and_punctuation_do_not_count() -> None:
    text = " ".join(words(30, seed=3))
    assert near_duplicates({"a": text, "b": text.upper().replace(" ", "; ")})["b"].share == 1


def test_texts_without_words_are_no_duplicates() -> None:
    assert near_duplicates({"a": "---", "b": "---", "c": ""}) == {}
    assert word_runs("--").size == 0


def test_a_crowd_of_half_alike_texts_is_looked_at_in_linear_time() -> None:
    common = words(120, seed=4)
    texts = {str(at): " ".join([*common, *words(25, seed=at + 5)]) for at in range(1500)}
    texts |= {f"copy of {at}": texts[str(at)] for at in range(10)}
    begin = time.perf_counter()
    found = near_duplicates(texts)
    assert time.perf_counter() - begin < 10
    assert {f"copy of {at}" for at in range(10)} <= found.keys()
