"""Measures of answers are measures like any other: read, written, ruled on."""

import pytest

from strata_rag.config import Gate
from strata_rag.config.texts import ANSWER_MEASURES
from strata_rag.errors import InputError
from strata_rag.evaluation import ANSWER_NAMES, Measure, Rule
from strata_rag.evaluation.judge import JUDGE_MEASURES


def test_schema_and_evaluation_know_the_same_measures():
    assert ANSWER_MEASURES == ANSWER_NAMES
    assert [name for name in ANSWER_NAMES if Measure(name).judged] == [*JUDGE_MEASURES, "Passed"]


@pytest.mark.parametrize("name", ANSWER_NAMES)
def test_a_measure_of_answers_is_read_back_as_it_is_written(name):
    measure = Measure.parse(name)
    assert (str(measure), measure.of_answers) == (name, True)
    assert Measure.parse(name.lower()) == Measure.parse(name.replace("-", "_").upper()) == measure


@pytest.mark.parametrize("text", ["Faithfulness@5", "faithful", "answer relevance score", "F1"])
def test_a_name_that_is_none_is_refused_with_a_suggestion(text):
    with pytest.raises(InputError, match="Faithfulness") as caught:
        Measure.parse(text)
    assert caught.value.hint.startswith("did you mean ")


def test_a_measure_of_answers_has_no_cutoff_and_one_of_rankings_needs_one():
    for name, cutoff in (("Faithfulness", 5), ("nDCG", 0)):
        with pytest.raises(ValueError, match="cutoff"):
            Measure(name, cutoff)


@pytest.mark.parametrize(
    "text",
    [
        "faithfulness>=0.8",
        "Faithfulness >= 0.8",
        "faithfulness >=.8 for kind = code",
        "answer_relevance drop<=0.02",
        "nDCG@10>=0.4",
        "nDCG@10 drop <=0.02 for tag=a b",
        "ROUGE-L >= 0",
        "token-f1 >= 1",
    ],
)
def test_a_gate_rule_needs_no_spaces_around_its_signs(text):
    Gate.model_validate({"rules": (text,)})
    assert Rule.parse(text).limit <= 1


@pytest.mark.parametrize(
    "text", ["faithfulness > 0.8", "faithfulness >= 1.5", "faithfulness", "nDCG >= 0.5", "x >= 0.5"]
)
def test_what_is_no_rule_is_refused_by_schema_and_gate_alike(text):
    with pytest.raises(ValueError, match="rules"):
        Gate.model_validate({"rules": (text,)})
    with pytest.raises(InputError):
        Rule.parse(text)
