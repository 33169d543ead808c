"""What a report page is made from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from strata_rag.evaluation import Comparison, Measure, RunTable, StoredAnswer, StoredQuestion, StoredRun


@dataclass(frozen=True, slots=True)
class Snippet:
    """A piece of a text, in parts.

    Attributes:
        parts: (text, whether it is a word of the question), in reading order.
        cut_before: Whether text was left out before it.
        cut_after: Whether text was left out behind it.
    """

    parts: tuple[tuple[str, bool], ...]
    cut_before: bool
    cut_after: bool


@dataclass(frozen=True, slots=True)
class Failure:
    """A question that the best run did not answer fully.

    Attributes:
        place: Of the question in the tables.
        question: As the best run answered it, with its ranking.
        ranks: Expected item -> its rank in each run, None where it did not come back.
        snippets: Item id -> what its text says to the question, where the text is at hand.
    """

    place: int
    question: StoredQuestion
    ranks: Mapping[str, tuple[int | None, ...]]
    snippets: Mapping[str, Snippet]


@dataclass(frozen=True, slots=True)
class ReportContent:
    """What a report page shows.

    Attributes:
        runs: In the order given.
        names: What tables call them.
        tables: Their values, over the same questions.
        primary: The declared measure.
        best: The run with the highest mean of it.
        comparison: None for a single run.
        failures: The worst questions of the best run, worst first.
        failed: How many questions the best run did not answer fully.
        answers: Judged answers of the best run that do not pass, worst first.
        notes: What a reader should know.
    """

    runs: tuple[StoredRun, ...]
    names: tuple[str, ...]
    tables: tuple[RunTable, ...]
    primary: Measure
    best: int
    comparison: Comparison | None
    failures: tuple[Failure, ...]
    failed: int
    notes: tuple[str, ...]
    answers: tuple[StoredAnswer, ...] = ()

    @property
    def order(self) -> list[int]:
        """The runs by falling mean of the primary measure; equal ones in the order given."""
        means = [run.record.measures[self.primary].value for run in self.runs]
        if self.comparison is not None:
            means = [summary.value for summary in self.comparison.primary.summaries]
        return sorted(
            range(len(means)), key=lambda place: (-means[place] if means[place] == means[place] else 1, place)
        )
