"""Runs as tables of values, brought to the same questions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from strata_rag.errors import InputError
from strata_rag.evaluation.measures import Measure, PerQuery
from strata_rag.evaluation.run_files import StoredQuestion, StoredRun, read_questions, values_of
from strata_rag.evaluation.runs import RunRecord


@dataclass(frozen=True, slots=True, eq=False)
class RunTable:
    """A run's questions, without their rankings, and the values of its measures.

    Attributes:
        run: The run.
        questions: In the order of its golden set.
        values: A row per question.
        rows: The place of each question in the run's file, counted from 0.
    """

    run: StoredRun
    questions: tuple[StoredQuestion, ...]
    values: PerQuery
    rows: tuple[int, ...]

    @classmethod
    def read(cls, run: StoredRun) -> RunTable:
        """Read a run's table.

        Raises:
            InputError: The run is damaged.
        """
        questions = read_questions(run, rankings=False)
        return cls(run, tuple(questions), values_of(run, questions), tuple(range(len(questions))))

    def column(self, measure: Measure) -> NDArray[np.float64]:
        """One measure's values, a place per question."""
        return self.values.column(measure)

    def take(self, places: Sequence[int]) -> RunTable:
        """Keep the questions at these places, in this order."""
        questions = tuple(self.questions[place] for place in places)
        ids = tuple(question.id for question in questions)
        values = PerQuery(ids, self.values.measures, self.values.values[list(places)])
        return replace(
            self, questions=questions, values=values, rows=tuple(self.rows[place] for place in places)
        )

    def with_rankings(self, places: Sequence[int]) -> list[StoredQuestion]:
        """Read the questions at these places with their rankings, in this order."""
        rows = [self.rows[place] for place in places]
        found = read_questions(self.run, rows=frozenset(rows))
        by_row = dict(zip(sorted(set(rows)), found, strict=True))
        return [by_row[row] for row in rows]


def align(tables: Sequence[RunTable], *, common: bool = False) -> tuple[list[RunTable], int]:
    """Bring runs to the same questions, in the first run's order.

    Args:
        tables: At least one.
        common: Whether runs over different golden sets are cut to the questions that all share with the same
            text, the same relevant items and the same level.

    Returns:
        The tables, and how many questions were left out.

    Raises:
        InputError: The golden sets differ and `common` is not set, or nothing is shared.
    """
    golden = {(table.run.record.golden.digest, table.run.record.level) for table in tables}
    if len(golden) > 1 and not common:
        raise InputError(_differing(tables), hint="add --common to compare the questions that all runs share")
    places = [{question.id: place for place, question in enumerate(t.questions)} for t in tables]
    shared = [
        question.id
        for question in tables[0].questions
        if all(question.id in there for there in places) and _same(question.id, tables, places)
    ]
    everything = {question.id for table in tables for question in table.questions}
    if not shared:
        raise InputError(
            "--common: expected questions with the same judgements in every run, found none",
            hint="evaluate the experiments over one golden set",
        )
    aligned = [
        table.take([there[query_id] for query_id in shared])
        for table, there in zip(tables, places, strict=True)
    ]
    return aligned, len(everything) - len(shared)


def shared_measures(tables: Sequence[RunTable]) -> tuple[Measure, ...]:
    """Return the measures that every run has, in the first run's order."""
    others = [set(table.values.measures) for table in tables[1:]]
    return tuple(m for m in tables[0].values.measures if all(m in other for other in others))


def _same(query_id: str, tables: Sequence[RunTable], places: Sequence[dict[str, int]]) -> bool:
    first = tables[0].questions[places[0][query_id]]
    same_set = len({table.run.record.golden.digest for table in tables}) == 1
    for table, there in zip(tables[1:], places[1:], strict=True):
        other = table.questions[there[query_id]]
        if other.text != first.text or table.run.record.level != tables[0].run.record.level:
            return False
        # Under one golden set the judged items may still be spelled apart: chunks of another cut.
        if not same_set and other.relevant != first.relevant:
            return False
    return True


def _differing(tables: Sequence[RunTable]) -> str:
    first = tables[0].run.record
    other = next(
        table.run.record
        for table in tables
        if (table.run.record.golden.digest, table.run.record.level) != (first.golden.digest, first.level)
    )
    return f"{other.run_id}: expected the golden set of {first.run_id} ({_golden(first)}), found {_golden(other)}"


def _golden(record: RunRecord) -> str:
    golden, level = record.golden, record.level
    return f"{golden.path}, {golden.questions} questions, {level} level, digest {golden.digest[:8]}"
