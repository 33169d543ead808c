"""A question with what was answered, what it is worth, and what a judge said; and tables of many."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from strata_rag.evaluation.answer_measures import UNANSWERABLE, declined, plain_text
from strata_rag.evaluation.golden import Question
from strata_rag.evaluation.judge import GateVerdict, JudgeItem, JudgeMeasure, Judgement
from strata_rag.evaluation.measures import ANSWER_NAMES, Measure, PerQuery
from strata_rag.generation import Answer

PASSED = Measure("Passed")
_WITH_REFERENCE = ("ExactMatch", "TokenF1", "ROUGE-L", "EmbeddingSimilarity")


@dataclass(frozen=True, slots=True)
class AnsweredQuestion:
    """One question, answered.

    Attributes:
        question: With its judgements.
        answer: What came of it.
        values: Of the measures that need no judge; NaN where one does not apply.
        judgements: What the judge said; empty where none was asked.
        gate: Whether the answer passes; None where no judge was asked.
    """

    question: Question
    answer: Answer
    values: Mapping[Measure, float] = field(default_factory=dict)
    judgements: tuple[Judgement, ...] = ()
    gate: GateVerdict | None = None

    @property
    def item(self) -> JudgeItem:
        """What a judge is told of it."""
        refusal = declined(self.answer)
        references = self.question.references
        return JudgeItem(
            question_id=self.question.id,
            question=self.question.text,
            answer=plain_text(self.answer),
            passages=self.answer.passages,
            declined=bool(refusal),
            reference=references[0] if references else None,
            answerable=self.question.kind != UNANSWERABLE,
            failure="" if refusal is not None else self.answer.reason or self.answer.status,
        )


@dataclass(frozen=True, slots=True)
class Coverage:
    """How many answers a judged measure could be told of.

    Attributes:
        scored: Questions with a value.
        asked: Questions that the judge was asked about, or that have a value without.
        outcomes: Outcome -> judgements, repetitions counted apart.
        not_scorable: Reason -> questions with nothing to judge.
        corrected: Severities that were milder than their score, and were corrected.
        flagged: Verdicts with a flag, such as a quote that is not in its passage.
    """

    scored: int
    asked: int
    outcomes: Mapping[str, int]
    not_scorable: Mapping[str, int]
    corrected: int
    flagged: int


@dataclass(frozen=True, slots=True)
class Noise:
    """How far a judge's repetitions lie apart.

    Attributes:
        repetitions: How many there were, at least 2.
        of_mean: Standard deviation (n - 1) of the run's mean over them, on the answers that all of them scored.
        of_item: Root mean square, over those answers, of the standard deviation within one.
        differing: Share of those answers whose repetitions are not all alike.
        items: How many those answers are.
    """

    repetitions: int
    of_mean: float
    of_item: float
    differing: float
    items: int


def answer_table(answered: Sequence[AnsweredQuestion], judged: Sequence[JudgeMeasure]) -> PerQuery:
    """Lay out the values of every measure of answers that some question calls for, a row for each question."""
    names = [name for name in ANSWER_NAMES if _applies(name, answered, judged)]
    measures = tuple(map(Measure, names))
    rows = [[_value(one, measure) for measure in measures] for one in answered]
    values = np.array(rows, dtype=np.float64).reshape(len(answered), len(measures))
    return PerQuery(tuple(one.question.id for one in answered), measures, values)


def beside(one: PerQuery, other: PerQuery) -> PerQuery:
    """Put two tables of the same questions side by side."""
    if one.query_ids != other.query_ids:
        raise ValueError("query_ids: the same questions in the same order were expected")
    values = np.hstack([one.values, other.values])
    return PerQuery(one.query_ids, (*one.measures, *other.measures), values)


def judged_value(judgements: Iterable[Judgement], measure: JudgeMeasure) -> float:
    """Return the mean of a measure's scored repetitions; NaN where none was scored."""
    values = [one.value for one in judgements if one.measure == measure and one.outcome == "scored"]
    return math.fsum(values) / len(values) if values else math.nan


def coverage(answered: Sequence[AnsweredQuestion], measure: JudgeMeasure) -> Coverage:
    """Count what became of one measure's judgements."""
    mine = [[one for one in a.judgements if one.measure == measure] for a in answered]
    flat = [one for some in mine for one in some]
    reasons = Counter(some[0].reason for some in mine if some and some[0].outcome == "not_scorable")
    return Coverage(
        scored=sum(any(one.outcome == "scored" for one in some) for some in mine),
        asked=sum(any(one.outcome != "not_scorable" for one in some) for some in mine),
        outcomes=dict(sorted(Counter(one.outcome for one in flat).items())),
        not_scorable=dict(sorted(reasons.items())),
        corrected=sum(one.said is not None for one in flat),
        flagged=sum(bool(verdict.flags) for one in flat for verdict in one.verdicts),
    )


def failure_share(judgements: Iterable[Judgement]) -> float:
    """Return the share of judgements that were asked for and have no value; 0 where none was asked for."""
    asked = [one for one in judgements if one.outcome != "not_scorable"]
    return sum(one.outcome != "scored" for one in asked) / len(asked) if asked else 0.0


def noise(answered: Sequence[AnsweredQuestion], measure: JudgeMeasure, *, repeat: int) -> Noise | None:
    """Return how far the repetitions of a measure lie apart; None without two of them on some answer."""
    rows = []
    for one in answered:
        values = [j.value for j in one.judgements if j.measure == measure and j.outcome == "scored"]
        if len(values) == repeat:
            rows.append(values)
    if repeat < 2 or not rows:
        return None
    table = np.array(rows)
    return Noise(
        repetitions=repeat,
        of_mean=float(table.mean(axis=0).std(ddof=1)),
        of_item=float(np.sqrt(table.var(axis=1, ddof=1).mean())),
        differing=float((np.ptp(table, axis=1) > 0).mean()),
        items=len(rows),
    )


def _applies(name: str, answered: Sequence[AnsweredQuestion], judged: Sequence[JudgeMeasure]) -> bool:
    measure = Measure(name)
    if measure == PASSED:
        return any(one.gate is not None for one in answered)
    if measure.judged:
        return name in judged
    if name in _WITH_REFERENCE:
        return any(one.question.references for one in answered)
    if name == "Facts":
        return any(one.question.expected for one in answered)
    if name == "Refused":
        return any(one.question.kind == UNANSWERABLE for one in answered)
    if name == "Answered":
        return any(one.question.kind != UNANSWERABLE for one in answered)
    return any(one.question.relevant for one in answered)


def _value(one: AnsweredQuestion, measure: Measure) -> float:
    if measure == PASSED:
        return math.nan if one.gate is None or one.gate.passed is None else float(one.gate.passed)
    judged = next((j.measure for j in one.judgements if j.measure == measure.name), None)
    if judged is not None:
        return judged_value(one.judgements, judged)
    return one.values.get(measure, math.nan)
