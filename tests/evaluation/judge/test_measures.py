from itertools import product
from math import isclose

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strata_rag.evaluation import Measure, Question, evaluate_ranking
from strata_rag.evaluation.judge import (
    SEVERITIES,
    ParsedReply,
    Verdict,
    grade_of,
    normalised,
    ranked_precision,
    settled_severity,
    severity_of,
    supported_share,
    value_of,
)


def verdicts(*holds):
    return tuple(Verdict(number, f"s{number}", bool(one)) for number, one in enumerate(holds, 1))


def test_faithfulness_and_context_recall_are_the_share_of_statements_that_hold():
    assert supported_share(verdicts(1, 0, 0, 0, 0)) == 1 / 5
    assert supported_share(verdicts(1, 1)) == 1.0


def test_context_precision_counts_relevant_passages_near_the_top_more():
    assert ranked_precision(verdicts(1, 0, 1)) == (1 / 1 + 2 / 3) / 2
    assert ranked_precision(verdicts(0, 1)) == 1 / 2
    assert ranked_precision(verdicts(0, 0)) == 0.0


@given(st.lists(st.booleans(), min_size=1, max_size=12))
def test_context_precision_is_average_precision_where_nothing_relevant_is_missing(holds):
    names = [f"d{place}" for place in range(len(holds))]
    relevant = {name: 1.0 for name, one in zip(names, holds, strict=True) if one}
    question = Question("q", "?", relevant)
    expected = evaluate_ranking([Measure("MAP", len(holds))], names, question)[0] if relevant else 0.0
    assert isclose(ranked_precision(verdicts(*holds)), expected, abs_tol=1e-12)


def test_a_score_from_one_to_five_becomes_a_value_from_zero_to_one():
    assert [normalised(raw) for raw in (1, 2, 3, 4, 5)] == [0, 0.25, 0.5, 0.75, 1]
    assert [grade_of(normalised(raw)) for raw in (1, 2, 3, 4, 5)] == [1, 2, 3, 4, 5]
    assert value_of("AnswerRelevance", ParsedReply((), 4, None, "")) == 0.75


@pytest.mark.parametrize(("raw", "said"), [*product(range(1, 6), SEVERITIES)])
def test_a_severity_is_never_milder_than_the_score_implies(raw, said):
    settled, corrected = settled_severity(normalised(raw), ParsedReply((), raw, said, ""))
    implied = SEVERITIES[5 - raw]
    assert SEVERITIES.index(settled) == max(SEVERITIES.index(implied), SEVERITIES.index(said))
    assert corrected == (said if settled != said else None)


def test_a_severity_is_held_against_the_verdicts_too():
    reply = ParsedReply(verdicts(1, 0, 0, 0, 0), 5, "none", "")
    assert settled_severity(0.2, reply) == ("critical", "none")


def test_one_unsupported_statement_of_many_is_at_least_a_minor_fault():
    assert severity_of(19 / 20) == "minor"
    assert severity_of(1.0) == "none"


@given(st.floats(0, 1), st.floats(0, 1))
def test_a_higher_value_never_implies_a_worse_severity(one, other):
    low, high = sorted((one, other))
    assert SEVERITIES.index(severity_of(high)) <= SEVERITIES.index(severity_of(low))
