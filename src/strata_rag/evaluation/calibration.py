"""How far a judge agrees with people, and with another judge: measure by measure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from strata_rag.evaluation.agreement import Agreement, agreement
from strata_rag.evaluation.judge import JUDGE_MEASURES, JudgeMeasure
from strata_rag.evaluation.labels import Label

Grades = Mapping[tuple[str, str, JudgeMeasure], int]
"""(run, question id, measure) -> grade from 1 to 5."""


@dataclass(frozen=True, slots=True)
class RaterPair:
    """Two raters, compared.

    Attributes:
        first: ``people``, or a judge.
        second: A judge.
        overall: Over all measures together.
        measures: Measure -> agreement, where both graded something.
    """

    first: str
    second: str
    overall: Agreement
    measures: Mapping[JudgeMeasure, Agreement]


@dataclass(frozen=True, slots=True)
class Calibration:
    """What labels say of one judge or more.

    Attributes:
        labels: How many rows there were.
        labelled: How many of them a person graded.
        people: Each judge against the people.
        drift: Each judge but the first against the first: what changed between versions.
        notes: What was left out.
    """

    labels: int
    labelled: int
    people: tuple[RaterPair, ...]
    drift: tuple[RaterPair, ...]
    notes: tuple[str, ...] = ()


def calibrate(labels: Sequence[Label], judges: Mapping[str, Grades], *, seed: int) -> Calibration:
    """Hold judges against people's labels, and against each other.

    Args:
        labels: From `read_labels`.
        judges: Name -> grades, the version that others are compared with first.
        seed: Of the bootstrap.
    """
    people: Grades = {_key(label): label.grade for label in labels if label.grade is not None}
    names = list(judges)
    return Calibration(
        labels=len(labels),
        labelled=len(people),
        people=tuple(_pair("people", people, name, judges[name], seed) for name in names),
        drift=tuple(_pair(names[0], judges[names[0]], name, judges[name], seed) for name in names[1:]),
    )


def grades_in_file(labels: Sequence[Label]) -> dict[str, Grades]:
    """Return the grades of every judge that stands in the file, by its column."""
    columns = dict.fromkeys(column for label in labels for column in label.judges)
    return {
        column: {_key(label): label.judges[column] for label in labels if column in label.judges}
        for column in columns
    }


def _key(label: Label) -> tuple[str, str, JudgeMeasure]:
    return label.run, label.question_id, label.measure


def _pair(first: str, one: Grades, second: str, other: Grades, seed: int) -> RaterPair:
    both = [key for key in one if key in other]
    found = {}
    for measure in JUDGE_MEASURES:
        mine = [key for key in both if key[2] == measure]
        if mine:
            found[measure] = agreement([one[key] for key in mine], [other[key] for key in mine], seed=seed)
    overall = agreement([one[key] for key in both], [other[key] for key in both], seed=seed)
    return RaterPair(first, second, overall, found)
