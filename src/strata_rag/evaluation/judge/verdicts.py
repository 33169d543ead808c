"""What a judge said of one answer under one measure, and what became of the call."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

from strata_rag.generation import ContextPassage, is_blank

JudgeMeasure = Literal["Faithfulness", "AnswerRelevance", "ContextPrecision", "ContextRecall"]
JUDGE_MEASURES: tuple[JudgeMeasure, ...] = get_args(JudgeMeasure)

Outcome = Literal[
    "scored",
    "refused",
    "unparsable",
    "truncated",
    "timeout",
    "mismatch",
    "prompt_cut",
    "failed",
    "not_scorable",
]
"""``mismatch``: the verdicts are not those of the numbered things that were asked about. ``not_scorable``: there was
nothing to judge, and no call was made. ``failed``: no reply came. All but ``scored`` are NaN."""
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)

Severity = Literal["none", "minor", "moderate", "major", "critical"]
SEVERITIES: tuple[Severity, ...] = get_args(Severity)
"""Mildest first."""


@dataclass(frozen=True, slots=True)
class JudgeItem:
    """What is judged: one question with what was answered, and from what.

    Attributes:
        question_id: Of the golden set.
        question: As asked.
        answer: The answer's text, without citation marks.
        passages: What the answer may rest on, in their order; blank ones count as absent.
        declined: Whether the answer says that it has none.
        reference: The answer that a person would accept, or None.
        answerable: Whether the passages could hold an answer at all.
        failure: Why there is no answer to judge, or an empty string.
    """

    question_id: str
    question: str
    answer: str
    passages: tuple[ContextPassage, ...] = ()
    declined: bool = False
    reference: str | None = None
    answerable: bool = True
    failure: str = ""

    @property
    def context(self) -> tuple[ContextPassage, ...]:
        """The passages that hold any text that can be seen."""
        return tuple(passage for passage in self.passages if not is_blank(passage.text))


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the judge decided of one numbered statement or passage.

    Attributes:
        id: From 1, as it was numbered for the judge.
        text: What it is about.
        holds: Supported by a passage, or relevant to the question.
        passages: Numbers of the passages named as support, all of them existing.
        quote: The words quoted as support, or an empty string.
        flags: What a check of the verdict found, such as ``quote not found``.
    """

    id: int
    text: str
    holds: bool
    passages: tuple[int, ...] = ()
    quote: str = ""
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Judgement:
    """One answer under one judged measure, judged once.

    Attributes:
        question_id: Of the golden set.
        measure: The judged measure.
        repetition: From 0.
        outcome: ``scored``, or why there is no value.
        value: From 0 to 1; NaN unless scored.
        raw: The judge's own 1 to 5, or None where it gave none.
        severity: Of the worst fault, at least as bad as the score implies; None unless scored.
        said: The severity that the judge gave where it was milder than its score and was corrected; else None.
        verdicts: Of the numbered statements or passages, in their order.
        reason: The judge's reason, or why there is no value.
        attempts: Calls made for it.
    """

    question_id: str
    measure: JudgeMeasure
    outcome: Outcome
    repetition: int = 0
    value: float = math.nan
    raw: int | None = None
    severity: Severity | None = None
    said: Severity | None = None
    verdicts: tuple[Verdict, ...] = ()
    reason: str = ""
    attempts: int = 0

    def __post_init__(self) -> None:
        if (self.outcome == "scored") == math.isnan(self.value):
            raise ValueError(f"value: a number exactly where scored was expected, found {self.value}")


def severity_of(value: float) -> Severity:
    """Return the mildest severity that a value from 0 to 1 allows.

    1 none, 0.75 minor, 0.5 moderate, 0.25 major, 0 critical; a value between two steps counts as the lower one.
    """
    steps = math.floor(4 * value + 1e-9)
    return SEVERITIES[4 - min(max(steps, 0), 4)]


def worse(one: Severity, other: Severity) -> Severity:
    """Return the worse of two severities."""
    return max(one, other, key=SEVERITIES.index)


def grade_of(value: float) -> int:
    """Return the 1 to 5 that stands for a value from 0 to 1, halves up: what people's labels are held against."""
    return 1 + math.floor(4 * value + 0.5)
