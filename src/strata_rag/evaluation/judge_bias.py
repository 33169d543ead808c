"""Whether a judge is swayed by what should not count: the order of passages, length, its own words."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from strata_rag.evaluation.intervals import bootstrap_mean, mean
from strata_rag.evaluation.judge import JudgeItem, JudgeMeasure, Judgement, Task

_BEFORE = "This is a reply to the question that was asked, and it is given here as fully as it can be."
_AFTER = (
    "In other words, that is what there is to say about it, and with that the question has been dealt with."
)


@dataclass(frozen=True, slots=True)
class BiasCheck:
    """What changing one thing did to the judge's values.

    Attributes:
        name: ``position``, ``verbosity`` or ``self-preference``.
        measure: The judged measure.
        n: Answers that were scored both ways.
        difference: Mean value after the change minus before; NaN for n = 0.
        low: Lower end of its 95 % bootstrap interval; NaN for n < 2.
        high: Upper end.
        changed: Share of answers whose value changed; for context precision whose verdicts did.
        asked: Answers that were asked about.
    """

    name: str
    measure: JudgeMeasure
    n: int
    difference: float
    low: float
    high: float
    changed: float
    asked: int

    @property
    def is_biased(self) -> bool:
        """Whether the interval of the difference leaves out 0."""
        return self.low > 0 or self.high < 0


def position_tasks(items: Sequence[JudgeItem]) -> list[tuple[Task, Task]]:
    """Return each answer with two passages or more as it is, and with its passages in reverse order."""
    measures: tuple[JudgeMeasure, ...] = ("Faithfulness", "ContextPrecision")
    return [
        (Task(item, measure, 0), Task(replace(item, passages=item.passages[::-1]), measure, 0))
        for item in items
        if len(item.context) > 1
        for measure in measures
    ]


def verbosity_tasks(items: Sequence[JudgeItem]) -> list[tuple[Task, Task]]:
    """Return each answer as it is, and with sentences around it that add nothing."""
    return [
        (Task(item, "AnswerRelevance", 0), Task(padded(item), "AnswerRelevance", 0))
        for item in items
        if item.answer.strip() and not item.declined
    ]


def padded(item: JudgeItem) -> JudgeItem:
    """Return the answer with sentences around it that say nothing more."""
    return replace(item, answer=f"{_BEFORE} {item.answer} {_AFTER}")


def compare_pairs(name: str, pairs: Sequence[tuple[Judgement, Judgement]], *, seed: int) -> list[BiasCheck]:
    """Compare judgements before and after a change, measure by measure.

    Args:
        name: Of the check.
        pairs: Before and after, about the same answer.
        seed: Of the bootstrap.
    """
    checks = []
    for measure in dict.fromkeys(before.measure for before, _ in pairs):
        mine = [pair for pair in pairs if pair[0].measure == measure]
        scored = [pair for pair in mine if all(one.outcome == "scored" for one in pair)]
        changed = [_changed(before, after) for before, after in scored]
        values = [after.value - before.value for before, after in scored]
        checks.append(_check(name, measure, values, changed, len(mine), seed))
    return checks


def self_preference(
    own: Mapping[str, Mapping[JudgeMeasure, float]],
    other: Mapping[str, Mapping[JudgeMeasure, float]],
    reference: Mapping[str, float],
    *,
    seed: int,
) -> list[BiasCheck]:
    """Hold how much higher a judge values its own model's answers against how much better they are by a reference.

    The difference is (own - other, as judged) - (own - other, by the reference measure), question by question.

    Args:
        own: Question id -> the judge's values of answers by its own model.
        other: The same for answers by another model.
        reference: Question id -> own minus other under a measure that needs no judge.
        seed: Of the bootstrap.
    """
    checks = []
    measures: tuple[JudgeMeasure, ...] = ("Faithfulness", "AnswerRelevance")
    for measure in measures:
        asked = [question for question in own if question in other]
        values = [
            own[question][measure] - other[question][measure] - reference.get(question, math.nan)
            for question in asked
        ]
        values = [value for value in values if not math.isnan(value)]
        checks.append(
            _check("self-preference", measure, values, [abs(v) > 1e-9 for v in values], len(asked), seed)
        )
    return checks


def _check(
    name: str,
    measure: JudgeMeasure,
    values: Sequence[float],
    changed: Sequence[bool],
    asked: int,
    seed: int,
) -> BiasCheck:
    column = np.asarray(values, dtype=np.float64)
    interval = bootstrap_mean(column, seed=seed)
    share = sum(changed) / len(changed) if changed else math.nan
    return BiasCheck(name, measure, len(values), mean(column), interval.low, interval.high, share, asked)


def _changed(before: Judgement, after: Judgement) -> bool:
    if before.measure == "ContextPrecision":
        one, other = ({v.text: v.holds for v in judgement.verdicts} for judgement in (before, after))
        return one != other
    return abs(after.value - before.value) > 1e-9
