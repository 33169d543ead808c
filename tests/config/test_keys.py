from __future__ import annotations

import pytest

from strata_rag.config.keys import all_keys, nearest_keys


@pytest.mark.parametrize(
    ("unknown", "nearest"),
    [
        ("retreival", ("retrieval",)),
        ("top_k", ("retrieval.top_k",)),
        ("retrieval.topk", ("retrieval.top_k",)),
        ("retreival.top_k", ("retrieval.top_k",)),
        ("rerank.scorer", ("retrieval.rerank.scorer",)),
        ("model", ("embedding.model", "generation.model", "retrieval.rerank.model")),
        ("overlaps", ("chunking.overlap",)),
        ("zzzzzzzz", ()),
    ],
)
def test_an_unknown_key_has_its_nearest_known_ones(unknown: str, nearest: tuple[str, ...]) -> None:
    assert sorted(nearest_keys(unknown)) == sorted(nearest)


def test_sections_come_before_what_they_hold() -> None:
    paths = list(all_keys())
    for path in paths:
        parent = path.rpartition(".")[0]
        assert not parent or paths.index(parent) < paths.index(path)


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("retrieval.top_k", "a whole number from 1 to 1000000"),
        ("retrieval.lexical.b", "a number from 0 to 1"),
        ("retrieval.fusion.weights.dense", "a number above 0"),
        ("retrieval.rerank.label", "a whole number of at least 0 or null"),
        ("retrieval.mode", "one of hybrid, dense, lexical"),
        ("corpus.follow_symlinks", "true or false"),
        ("evaluation.golden", "a path or null"),
        ("retrieval", "a map of keys"),
    ],
)
def test_what_a_key_takes_is_said_with_its_bounds(key: str, expected: str) -> None:
    assert all_keys()[key].expected == expected
