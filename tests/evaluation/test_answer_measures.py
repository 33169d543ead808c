"""What answers are worth without a judge, and tables of answered questions."""

from dataclasses import replace
from math import isclose, isnan, nan, sqrt

import numpy as np
import pytest

from strata_rag.evaluation import (
    AnsweredQuestion,
    Measure,
    Question,
    answer_table,
    answer_values,
    beside,
    coverage,
    declined,
    failure_share,
    noise,
    plain_text,
    summarise,
    wilson,
)
from strata_rag.evaluation.judge import GateVerdict, Judgement
from strata_rag.generation import Answer, Citation, ContextPassage

PASSAGES = tuple(ContextPassage(n, f"d{n}#0-9", f"d{n}", 0, 9, f"text {n}") for n in (1, 2, 3))
ASKED = Question(
    "q", "?", {"d1": 1.0, "d3": 2.0, "d9": 0.0}, reference_answer="At 7 bar.", expected=("7 bar",)
)


def answer(text="At 7 bar [1][2].", cited=(1, 2), status="answered", **more):
    citations = tuple(
        Citation(n, PASSAGES[n - 1], (text.index(f"[{n}]"), text.index(f"[{n}]") + 3)) for n in cited
    )
    return Answer("?", text, status, passages=PASSAGES, citations=citations, **more)


def values(given, question=ASKED, **more):
    found = answer_values(question, given, level="document", **more)
    return {str(measure): value for measure, value in found.items() if not isnan(value)}


def test_an_answer_is_held_against_reference_facts_and_judged_documents():
    found = values(answer(), similarity=0.9)
    assert found == {
        "ExactMatch": 1.0,
        "TokenF1": 1.0,
        "ROUGE-L": 1.0,
        "EmbeddingSimilarity": 0.9,
        "Facts": 1.0,
        "CitationPrecision": 1 / 2,
        "CitationRecall": 1 / 2,
        "Answered": 1.0,
    }


def test_citation_marks_are_no_words_of_the_answer_but_other_brackets_are():
    given = answer("Use a[0] [1], then stop [9].", cited=(1,), unresolved=(9,))
    assert plain_text(given) == "Use a[0], then stop."


def test_the_best_of_several_references_counts():
    question = replace(ASKED, further_answers=("seven bar", "7 bar"))
    assert values(answer("7 bar", cited=()), question)["ExactMatch"] == 1.0


def test_citations_count_by_chunk_where_chunks_are_judged():
    question = replace(ASKED, judged={"d1#0-9": 1.0})
    found = answer_values(question, answer(), level="chunk")
    assert found[Measure("CitationPrecision")] == 1 / 2
    assert found[Measure("CitationRecall")] == 1.0


def test_an_answer_that_cites_nothing_has_no_citation_precision_and_a_recall_of_zero():
    found = values(answer("At 7 bar.", cited=()))
    assert "CitationPrecision" not in found
    assert found["CitationRecall"] == 0.0


@pytest.mark.parametrize("status", ["refused", "no_context"])
def test_a_decline_of_an_answerable_question_is_worth_nothing(status):
    found = values(answer("The passages do not answer this.", cited=(), status=status), similarity=0.8)
    assert found["Answered"] == found["TokenF1"] == found["EmbeddingSimilarity"] == found["Facts"] == 0.0
    assert "CitationRecall" not in found


def test_a_decline_in_words_counts_as_one():
    assert declined(answer("I do not know.", cited=())) is True
    assert values(answer("I do not know.", cited=()))["Answered"] == 0.0


def test_refusing_is_right_where_nothing_answers():
    question = Question("q", "?", kind="unanswerable")
    assert values(answer("no", cited=(), status="refused"), question) == {"Refused": 1.0}
    assert values(answer(), question) == {"Refused": 0.0}


@pytest.mark.parametrize("status", ["truncated", "empty", "filtered", "prompt_cut", "failed"])
def test_an_answer_that_never_came_has_no_value_at_all(status):
    assert values(answer(status=status), similarity=1.0) == {}
    assert declined(answer(status=status)) is None


def test_what_a_judge_is_told_of_an_answer():
    item = AnsweredQuestion(ASKED, answer()).item
    assert (item.answer, item.reference, item.declined, item.answerable) == (
        "At 7 bar.",
        "At 7 bar.",
        False,
        True,
    )
    lost = AnsweredQuestion(ASKED, answer(status="failed", reason="no reply")).item
    assert lost.failure == "no reply"


def judgement(value, repetition=0, outcome="scored", question="q", **more):
    return Judgement(
        question, "Faithfulness", outcome, repetition, value if outcome == "scored" else nan, **more
    )


def answered(*judgements, gate=None, question="q"):
    return AnsweredQuestion(replace(ASKED, id=question), answer(), {}, judgements, gate)


def test_a_table_has_a_row_for_every_question_and_nan_where_nothing_was_scored():
    table = answer_table(
        [
            answered(judgement(0.2), judgement(0.6, 1), gate=GateVerdict(False), question="a"),
            answered(judgement(nan, outcome="refused"), gate=GateVerdict(None), question="b"),
        ],
        ["Faithfulness"],
    )
    assert table.query_ids == ("a", "b")
    np.testing.assert_array_equal(table.column(Measure("Faithfulness")), [0.4, nan])
    np.testing.assert_array_equal(table.column(Measure("Passed")), [0.0, nan])
    both = beside(table, table)
    assert len(both.measures) == 2 * len(table.measures)


def test_measures_that_no_question_calls_for_have_no_column():
    plain = AnsweredQuestion(Question("q", "?", {"d1": 1.0}), answer())
    assert [str(measure) for measure in answer_table([plain], ()).measures] == [
        "CitationPrecision",
        "CitationRecall",
        "Answered",
    ]


def test_coverage_counts_what_was_scored_asked_and_why_not():
    found = coverage(
        [
            answered(judgement(1.0, said="none", severity="minor")),
            answered(judgement(0, outcome="timeout")),
            answered(judgement(0, outcome="not_scorable", reason="no context")),
        ],
        "Faithfulness",
    )
    assert (found.scored, found.asked, found.corrected) == (1, 2, 1)
    assert found.outcomes == {"not_scorable": 1, "scored": 1, "timeout": 1}
    assert found.not_scorable == {"no context": 1}


def test_what_has_nothing_to_judge_is_no_failure():
    assert failure_share([]) == 0.0
    some = [judgement(1.0), judgement(0, outcome="mismatch"), judgement(0, outcome="not_scorable")]
    assert failure_share(some) == 1 / 2


def test_noise_is_how_far_repetitions_move_the_mean_and_the_single_answer():
    some = [answered(judgement(0.0), judgement(1.0, 1)), answered(judgement(0.5), judgement(0.5, 1))]
    found = noise(some, "Faithfulness", repeat=2)
    assert found is not None
    assert isclose(found.of_mean, abs(0.25 - 0.75) / sqrt(2))
    assert isclose(found.of_item, sqrt((0.5 + 0.0) / 2))
    assert (found.differing, found.items) == (0.5, 2)
    assert noise(some, "Faithfulness", repeat=1) is None
    assert noise(some, "Faithfulness", repeat=3) is None


def test_wilsons_interval_is_that_of_the_literature_and_never_a_point():
    # Newcombe 1998, table I: 81 of 263
    low, high = (lambda i: (i.low, i.high))(wilson(81, 263))
    assert isclose(low, 0.2553, abs_tol=5e-5)
    assert isclose(high, 0.3662, abs_tol=5e-5)
    assert wilson(0, 10).low == 0.0 < wilson(0, 10).high
    assert wilson(10, 10).high == 1.0 > wilson(10, 10).low
    assert isnan(wilson(0, 0).low)


def test_shares_of_answers_have_wilsons_interval():
    some = [answered(gate=GateVerdict(True), question=f"q{n}") for n in range(8)]
    summary = summarise(answer_table(some, ()), seed=0)[Measure("Passed")]
    assert (summary.value, summary.n, summary.high) == (1.0, 8, 1.0)
    assert isclose(summary.low, wilson(8, 8).low)
