from __future__ import annotations

import pytest

from .conftest import Refuse


@pytest.mark.parametrize(
    ("text", "line", "hint"),
    [
        ("retreival: {}", "1:1: unknown key `retreival`", "did you mean `retrieval`?"),
        ("top_k: 3", "1:1: unknown key `top_k`", "did you mean `retrieval.top_k`?"),
        ("retrieval:\n  topk: 3", "2:3: unknown key `retrieval.topk`", "did you mean `retrieval.top_k`?"),
        (
            "retrieval.top_k: 3",
            "1:1: unknown key `retrieval.top_k`",
            "write `top_k` as a key inside the map `retrieval`",
        ),
        ("zzzzzzz: 1", "1:1: unknown key `zzzzzzz`", "see docs/config.md for all keys"),
        (
            "retrieval: {mode: dens}",
            '1:19: retrieval.mode: expected one of hybrid, dense, lexical, found the text "dens"',
            "did you mean `dense`?",
        ),
        (
            "retrieval: {top_k: '5'}",
            '1:20: retrieval.top_k: expected a whole number from 1 to 1000000, found the text "5"',
            "write it without quotes",
        ),
        (
            "embedding: {revision: 010}",
            "1:23: embedding.revision: expected text or null, found 10",
            "put it in quotes",
        ),
        (
            "retrieval: {top_k: true}",
            "1:20: retrieval.top_k: expected a whole number from 1 to 1000000, found true",
            "see retrieval.top_k in docs/config.md",
        ),
        (
            "index: {lock_timeout: .inf}",
            "1:23: index.lock_timeout: expected a finite number of at least 0, found an infinite number",
            "see index.lock_timeout in docs/config.md",
        ),
        (
            "retrieval: 5",
            "1:12: retrieval: expected a map of keys, found 5",
            "see retrieval in docs/config.md",
        ),
        (
            "embedding: {device: [a]}",
            "1:21: embedding.device: expected text, found a list",
            "see embedding.device in docs/config.md",
        ),
    ],
)
def test_a_fault_names_its_place_what_was_expected_and_what_was_found(
    refuse: Refuse, text: str, line: str, hint: str
) -> None:
    error = refuse(text)
    assert error.lines == [f"experiment.yaml:{line}"]
    assert error.hint == hint


@pytest.mark.parametrize(
    ("measure", "hint"),
    [
        ("ndcg@10", "did you mean nDCG@10?"),
        ("NDGC@7", "did you mean nDCG@7?"),
        ("P@5", "did you mean Precision@5?"),
        ("RR@3", "did you mean MRR@3?"),
        ("MRR", "did you mean MRR@10?"),
        ("Recall@0", "did you mean Recall@10?"),
        ("accuracy@5", "known measures: nDCG, Recall, Precision, Hit, MRR, MAP"),
    ],
)
def test_an_unknown_measure_is_refused_at_its_place_with_the_nearest(
    refuse: Refuse, measure: str, hint: str
) -> None:
    error = refuse(f"evaluation:\n  measures:\n    - nDCG@10\n    - {measure}")
    assert error.lines[0].startswith(
        "experiment.yaml:4:7: evaluation.measures: expected a measure and its cutoff"
    )
    assert len(error.lines) == 1
    assert error.hint == hint


def test_a_list_of_unknown_measures_is_not_called_empty(refuse: Refuse) -> None:
    assert len(refuse("evaluation: {measures: [x@1, y@2]}").lines) == 2


def test_a_measure_outside_a_list_is_shown_the_list(refuse: Refuse) -> None:
    assert refuse("evaluation: {measures: nDCG@10}").hint == "write a list: [nDCG@10]"


@pytest.mark.parametrize(
    ("text", "place"), [("name: x", "1:1"), ("name: x\ncorpus:", "2:1"), ("corpus: {}", "1:1")]
)
def test_a_missing_corpus_root_says_what_to_set(refuse: Refuse, text: str, place: str) -> None:
    error = refuse(text, root=False)
    assert error.lines == [f"experiment.yaml:{place}: corpus.root: expected a path, found nothing"]
    assert error.hint == "set corpus.root"


def test_a_long_text_is_shortened_in_the_message(refuse: Refuse) -> None:
    assert len(refuse(f"retrieval: {{top_k: {'x' * 500}}}").lines[0]) < 200
