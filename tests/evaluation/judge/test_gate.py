from math import nan

from hypothesis import given
from hypothesis import strategies as st

from strata_rag.evaluation.judge import OUTCOMES, SEVERITIES, GatePolicy, Judgement, compute_gate, severity_of

POLICY = GatePolicy({"Faithfulness": 0.8, "AnswerRelevance": 0.5}, "moderate")


def scored(measure, value, severity=None, repetition=0):
    return Judgement("q", measure, "scored", repetition, value, severity=severity or severity_of(value))


def missing(measure, outcome="unparsable"):
    return Judgement("q", measure, outcome, reason="why")


def test_an_answer_passes_where_every_minimum_is_met():
    verdicts = [scored("Faithfulness", 0.8), scored("AnswerRelevance", 0.5)]
    assert compute_gate(verdicts, POLICY).passed is True


def test_an_answer_below_a_minimum_fails_with_the_reason():
    found = compute_gate([scored("Faithfulness", 0.5), scored("AnswerRelevance", 1.0)], POLICY)
    assert (found.passed, found.reasons) == (False, ("Faithfulness 0.50 is below 0.8",))


def test_a_severe_fault_fails_an_answer_whose_values_are_high():
    verdicts = [scored("Faithfulness", 0.9, "critical"), scored("AnswerRelevance", 1.0)]
    found = compute_gate(verdicts, POLICY)
    assert (found.passed, found.reasons) == (False, ("Faithfulness has a fault of severity critical",))


def test_an_answer_without_a_needed_value_is_undecided_and_never_a_pass():
    found = compute_gate([scored("Faithfulness", 1.0), missing("AnswerRelevance")], POLICY)
    assert found.passed is None
    assert found.reasons == ("AnswerRelevance has no value (unparsable: why)",)
    assert compute_gate([], POLICY).passed is None
    assert compute_gate([], GatePolicy()).passed is None


def test_a_failure_decides_even_where_another_value_is_missing():
    assert compute_gate([scored("Faithfulness", 0.1), missing("AnswerRelevance")], POLICY).passed is False


def test_repetitions_count_by_their_mean_and_their_worst_severity():
    policy = GatePolicy({"Faithfulness": 0.5}, None)
    both = [scored("Faithfulness", 0.2), scored("Faithfulness", 0.8, repetition=1)]
    assert compute_gate(both, policy).passed is True
    assert compute_gate(both, GatePolicy({"Faithfulness": 0.5}, "moderate")).passed is False


def test_measures_that_the_policy_does_not_name_decide_nothing():
    assert compute_gate(
        [scored("Faithfulness", 0.9), scored("ContextRecall", 0.0)], GatePolicy({"Faithfulness": 0.8})
    ).passed


@given(st.lists(st.sampled_from([o for o in OUTCOMES if o != "scored"]), min_size=1, max_size=3))
def test_nothing_but_a_score_ever_passes(outcomes):
    verdicts = [missing("Faithfulness", outcome) for outcome in outcomes]
    assert compute_gate(verdicts, GatePolicy({"Faithfulness": 0.0})).passed is None


@given(st.floats(0, 1), st.floats(0, 1), st.sampled_from(SEVERITIES))
def test_a_better_value_never_fails_where_a_worse_one_passes(one, other, allowed):
    low, high = sorted((one, other))
    policy = GatePolicy({"Faithfulness": 0.6}, allowed)
    if compute_gate([scored("Faithfulness", low)], policy).passed:
        assert compute_gate([scored("Faithfulness", high)], policy).passed


def test_a_judgement_without_a_score_has_no_value():
    assert Judgement("q", "Faithfulness", "refused").value != Judgement("q", "Faithfulness", "refused").value
    for outcome, value in (("scored", nan), ("refused", 1.0)):
        try:
            Judgement("q", "Faithfulness", outcome, value=value)
        except ValueError:
            continue
        raise AssertionError(outcome)
