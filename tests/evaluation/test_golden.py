from dataclasses import replace
from math import inf, nan

import pytest

from strata_rag.evaluation import GoldenSet, Question

A = Question("a", "what is a?", {"d1": 2.0, "d2": 0.0, "d3": -1.0}, tags=("x",))
B = Question("b", "what is b?", {"d2": 1.0}, level="chunk")
SET = GoldenSet((A, B), origin="golden.yaml")


def test_a_grade_above_zero_is_relevant_and_every_grade_is_a_judgement():
    assert A.relevant == {"d1": 2.0}
    assert SET.judgements == 4


def test_the_digest_ignores_order_origin_and_place():
    again = GoldenSet((B, replace(A, where="elsewhere:1:1")), origin="copy.yaml")
    assert again.digest == SET.digest


def test_the_digest_changes_with_every_part_of_a_question():
    changes = [
        {"id": "c"},
        {"text": "another"},
        {"judged": {"d1": 1.0}},
        {"kind": "code"},
        {"level": "project"},
        {"tags": ("y",)},
        {"lang": "de"},
        {"reference_answer": "a"},
        {"expected": ("a",)},
    ]
    digests = {GoldenSet((replace(A, **change), B)).digest for change in changes}
    assert len(digests | {SET.digest}) == len(changes) + 1


def test_a_level_said_by_question_or_by_set_is_the_same():
    by_set = GoldenSet((replace(A, level=None),), level="chunk")
    by_question = GoldenSet((replace(A, level="chunk"),), level="document")
    assert by_set.digest == by_question.digest


def test_levels_and_units_name_what_is_judged():
    assert SET.levels == ("chunk", "document")
    assert SET.unit == "documents"


def test_a_subset_keeps_the_order_of_the_set():
    assert [question.id for question in SET.only(["b", "a"]).questions] == ["a", "b"]
    assert SET.only([]).questions == ()


@pytest.mark.parametrize("grade", [nan, inf, -inf, 1001.0])
def test_a_grade_without_a_finite_gain_is_refused(grade):
    with pytest.raises(ValueError, match="grade of 'd'"):
        Question("q", "?", {"d": grade})
