from __future__ import annotations

import logging
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strata_rag.errors import InputError, ModelUnavailable
from strata_rag.retrieval import FunctionScorer, ModelInfo, RerankingRetriever
from strata_rag.retrieval.cross_encoder import relevance_column

from .fakes import FixedRetriever, docs, hit

SCORES = {"d0": 0.1, "same": 0.9, "d2": 0.5, "d3": 0.95}
CASE_49 = [
    hit("d0", text="d0"),
    hit("d1", text="same"),
    hit("d2", text="d2"),
    hit("d3", text="d3"),
    hit("d4", text="same"),
]
BY_TEXT = FunctionScorer(lambda query, text: SCORES[text])


class ShortScorer:
    """Answers with two rows whatever it is asked."""

    def score(self, query, texts):
        return [1.0, 2.0]

    def describe(self):
        return ModelInfo("fake", "short", "short")


def reranker(hits=CASE_49, scorer=BY_TEXT, **options) -> RerankingRetriever:
    return RerankingRetriever(FixedRetriever(hits), scorer, **{"candidate_k": 5, **options})


@pytest.mark.parametrize("k", [3, 5, 99])
def test_case_49_each_score_stays_with_its_text_and_ties_keep_the_first_order(k: int) -> None:
    expected = [("d3", 0.95), ("d1", 0.9), ("d4", 0.9), ("d2", 0.5), ("d0", 0.1)]
    found = reranker().retrieve("?", k)
    assert [(one.doc_id, one.scores["rerank"]) for one in found] == expected[:k]
    assert [one.ranks["rerank"] for one in found] == list(range(1, len(found) + 1))
    assert [one.ranks["dense"] for one in found] == [4, 2, 5, 3, 1][:k]


def test_case_49_another_number_of_scores_is_an_error() -> None:
    with pytest.raises(ModelUnavailable, match="reranker: expected 5 scores, found 2"):
        reranker(scorer=ShortScorer()).retrieve("?", 3)


def test_only_the_candidates_are_scored_and_the_rest_follows_unchanged() -> None:
    found = reranker(candidate_k=3).retrieve("?", 5)
    assert docs(found) == ["d1", "d2", "d0", "d3", "d4"]
    assert ["rerank" in one.scores for one in found] == [True, True, True, False, False]


@pytest.mark.parametrize(("k", "asked"), [(2, 3), (4, 4)])
def test_the_first_stage_is_asked_for_the_larger_of_candidates_and_wanted(k: int, asked: int) -> None:
    first = FixedRetriever(CASE_49)
    RerankingRetriever(first, BY_TEXT, candidate_k=3).retrieve("?", k)
    assert first.asked == [asked]


def test_case_52_a_candidate_without_a_score_goes_last_with_a_warning(caplog) -> None:
    scorer = FunctionScorer(lambda query, text: math.nan if text == "same" else SCORES[text])
    with caplog.at_level(logging.WARNING):
        found = reranker(scorer=scorer).retrieve("?", 5)
    assert docs(found) == ["d3", "d2", "d0", "d1", "d4"]
    assert "rerank" not in found[3].scores
    assert "no score for 2 of 5 candidates, the first is d1#0-9" in caplog.text


def test_rrf_fuses_the_order_of_the_scorer_with_that_of_the_first_stage() -> None:
    found = reranker(combine="rrf", rrf_k=1).retrieve("?", 5)
    # first stage d0..d4, scorer d3 d1 d4 d2 d0: d0 1/2+1/6, d1 1/3+1/3, d2 1/4+1/5, d3 1/5+1/2, d4 1/6+1/4
    assert docs(found) == ["d3", "d0", "d1", "d2", "d4"]
    assert [one.ranks["rerank"] for one in found] == [1, 5, 2, 4, 3]


@pytest.mark.parametrize("combine", ["replace", "rrf"])
@pytest.mark.parametrize(("floor", "left"), [(0.5, 4), (0.9, 3), (0.95, 1), (2.0, 0), (-1.0, 5)])
def test_a_floor_leaves_out_and_never_reorders(combine: str, floor: float, left: int) -> None:
    everything = reranker(combine=combine).retrieve("?", 5)
    found = reranker(combine=combine, floor=floor).retrieve("?", 5)
    assert found == [one for one in everything if one.scores["rerank"] >= floor]
    assert len(found) == left


def test_what_was_not_scored_does_not_pass_a_floor() -> None:
    assert docs(reranker(candidate_k=2, floor=-9.0).retrieve("?", 5)) == ["d1", "d0"]


def test_no_candidates_give_nothing() -> None:
    assert reranker([]).retrieve("?", 5) == []


@given(st.lists(st.floats(-5, 5), min_size=1, max_size=8), st.sampled_from(["replace", "rrf"]))
def test_reranking_loses_and_invents_nothing(scores: list[float], combine: str) -> None:
    hits = [hit(f"d{at}", text=str(at)) for at in range(len(scores))]
    scorer = FunctionScorer(lambda query, text: scores[int(text)])
    found = reranker(hits, scorer, candidate_k=6, combine=combine).retrieve("?", 8)
    assert sorted(docs(found)) == sorted(docs(hits))
    for one in found:
        assert one.scores.get("rerank", scores[int(one.text)]) == scores[int(one.text)]


@pytest.mark.parametrize(
    ("outputs", "label", "expected"),
    [
        ([[-1.0, 2.0], [3.0, -2.0]], 1, [2.0, -2.0]),
        ([[-1.0, 2.0], [3.0, -2.0]], 0, [-1.0, 3.0]),
        ([[0.5], [0.25]], None, [0.5, 0.25]),
        ([[0.5]], 3, [0.5]),
        ([0.5, 0.25], None, [0.5, 0.25]),
        (0.5, None, [0.5]),
        ([[1.0, 2.0]], 1, [2.0]),
    ],
)
def test_case_52_the_column_that_means_relevant_is_taken(outputs, label, expected: list[float]) -> None:
    assert relevance_column(outputs, label, model="m") == expected


@pytest.mark.parametrize("label", [None, 2, -1])
def test_case_52_several_labels_without_a_choice_are_an_error(label: int | None) -> None:
    with pytest.raises(InputError, match=f"m: .* the model has 2 labels and label is {label}$") as caught:
        relevance_column([[-1.0, 2.0], [3.0, -2.0]], label, model="m")
    assert "from 0 to 1" in caught.value.hint
