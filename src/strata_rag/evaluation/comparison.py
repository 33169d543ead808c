"""Compare runs question by question: paired differences, their uncertainty, what changed most."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from strata_rag.errors import NotMeasurable
from strata_rag.evaluation.intervals import Summary, bootstrap_columns, mean
from strata_rag.evaluation.measures import Measure
from strata_rag.evaluation.run_files import StoredQuestion, StoredRun
from strata_rag.evaluation.run_table import RunTable
from strata_rag.evaluation.significance import (
    Corrected,
    Randomised,
    detectable_difference,
    effect_size,
    pairwise_holm,
    pairwise_max,
)

Correction = Literal["holm", "max"]
CORRECTIONS: tuple[Correction, ...] = ("holm", "max")
SAME = 1e-12  # values closer than this tie


@dataclass(frozen=True, slots=True)
class PairDifference:
    """Two runs under one measure; every figure is of the second minus the first.

    Attributes:
        first: Position of a run in the comparison.
        second: Position of another.
        difference: Mean paired difference.
        low: Lower end of its bootstrap interval.
        high: Upper end.
        test: The randomisation test of the pair by itself.
        p: Corrected for all pairs; equal to ``test.p`` where the measure is exploratory.
        resolved: Whether more draws could not be expected to change the decision.
        wins: Questions on which the second run is better.
        ties: Questions without a difference.
        losses: Questions on which it is worse.
        effect: Cohen's d_z; NaN where the differences do not vary.
        detectable: Smallest true difference shown with 80 % power at the level of the strictest step.
    """

    first: int
    second: int
    difference: float
    low: float
    high: float
    test: Randomised
    p: float
    resolved: bool
    wins: int
    ties: int
    losses: int
    effect: float
    detectable: float


@dataclass(frozen=True, slots=True)
class MeasureComparison:
    """All runs under one measure, over the questions where it is defined for all of them."""

    measure: Measure
    n: int
    summaries: tuple[Summary, ...]
    pairs: tuple[PairDifference, ...]

    @property
    def best(self) -> int:
        """The run with the highest mean; of equal ones the first."""
        values = [summary.value for summary in self.summaries]
        return values.index(max(values))

    def pair(self, one: int, other: int) -> PairDifference:
        """Return the pair of two runs, whichever comes first."""
        return next(pair for pair in self.pairs if {pair.first, pair.second} == {one, other})


@dataclass(frozen=True, slots=True)
class Change:
    """One question and what two runs made of it.

    Attributes:
        row: Its place in the comparison.
        first: As the first run answered it.
        second: As the second run answered it.
        difference: Second minus first, under the primary measure.
    """

    row: int
    first: StoredQuestion
    second: StoredQuestion
    difference: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """What several runs over the same questions amount to.

    Attributes:
        runs: In the order given.
        names: What tables call them; all different.
        primary: The declared measure, tested and corrected.
        exploratory: Every other measure that all runs have, against the best run; not corrected.
        correction: ``holm`` or ``max``.
        alpha: Family-wise level of the decisions.
        seed: Of all draws.
        changed: The two runs whose questions are set side by side.
        changes: The questions that changed most between them, largest difference first.
        left_out: Questions that not all runs share with the same judgements.
        notes: What a reader should know.
    """

    runs: tuple[StoredRun, ...]
    names: tuple[str, ...]
    primary: MeasureComparison
    exploratory: tuple[MeasureComparison, ...]
    correction: Correction
    alpha: float
    seed: int
    changed: tuple[int, int]
    changes: tuple[Change, ...]
    left_out: int
    notes: tuple[str, ...]

    @property
    def group(self) -> tuple[int, ...]:
        """The runs that can't be told from the best one, itself included."""
        best = self.primary.best
        return tuple(
            place
            for place in range(len(self.runs))
            if place == best or not self.primary.pair(best, place).p < self.alpha
        )


def compare_measure(
    tables: Sequence[RunTable], measure: Measure, *, correction: Correction, alpha: float, seed: int
) -> MeasureComparison:
    """Compare all pairs of runs under one measure, corrected for their number.

    Args:
        tables: At least two, with the same questions in the same order.
        measure: One that every run has.
        correction: ``holm``, or ``max`` for the max-statistic randomisation.
        alpha: Family-wise level.
        seed: Of the draws.

    Raises:
        NotMeasurable: The measure is defined on fewer than two questions.
    """
    values = _defined(tables, measure)
    pairs = list(combinations(range(len(tables)), 2))
    differences = np.stack([values[:, b] - values[:, a] for a, b in pairs], axis=1)
    corrected = (
        pairwise_max(values, pairs, seed=seed, alpha=alpha)
        if correction == "max"
        else pairwise_holm(differences, seed=seed, alpha=alpha)
    )
    level = alpha / len(pairs)
    return _comparison(measure, values, pairs, corrected, seed=seed, level=level)


def explore_measure(
    tables: Sequence[RunTable], measure: Measure, *, best: int, alpha: float, seed: int
) -> MeasureComparison:
    """Hold every run against one of them under a further measure; nothing is corrected."""
    values = _defined(tables, measure)
    pairs = [(min(best, other), max(best, other)) for other in range(len(tables)) if other != best]
    differences = np.stack([values[:, b] - values[:, a] for a, b in pairs], axis=1)
    tests = pairwise_holm(differences, seed=seed, alpha=alpha)
    alone = [Corrected(test.test, test.test.p, test.resolved) for test in tests]
    return _comparison(measure, values, pairs, alone, seed=seed, level=alpha)


def changed_most(values: Sequence[NDArray[np.float64]], changed: tuple[int, int], count: int) -> list[int]:
    """Return the rows with the largest differences between two runs; equal ones in their order."""
    differences = np.abs(values[changed[1]] - values[changed[0]])
    differences[np.isnan(differences)] = 0.0
    order = np.argsort(-differences, kind="stable")
    return [int(row) for row in order[:count] if differences[row] > SAME]


def run_names(runs: Sequence[StoredRun]) -> tuple[str, ...]:
    """Name runs by label, by experiment and label, or by both and the end of the id: the shortest that differ."""
    records = [run.record for run in runs]
    choices: Sequence[list[str]] = (
        [record.label for record in records],
        [f"{record.name}: {record.label}" for record in records],
        [f"{record.name}: {record.label} ({record.run_id[-6:]})" for record in records],
        [record.run_id for record in records],
    )
    return tuple(next((names for names in choices if len(set(names)) == len(names)), choices[-1]))


def _defined(tables: Sequence[RunTable], measure: Measure) -> NDArray[np.float64]:
    values = np.stack([table.column(measure) for table in tables], axis=1)
    values = values[~np.isnan(values).any(axis=1)]
    if len(values) < 2:
        problem = f"{measure}: at least 2 questions with a value were expected, found {len(values)}"
        raise NotMeasurable(problem, hint="label more questions, or declare another --measure")
    return values


def _comparison(
    measure: Measure,
    values: NDArray[np.float64],
    pairs: Sequence[tuple[int, int]],
    tests: Sequence[Corrected],
    *,
    seed: int,
    level: float,
) -> MeasureComparison:
    differences = np.stack([values[:, b] - values[:, a] for a, b in pairs], axis=1)
    means = bootstrap_columns(values, seed=seed)
    intervals = bootstrap_columns(differences, seed=seed)
    found = []
    for (first, second), column, test, interval in zip(pairs, differences.T, tests, intervals, strict=True):
        wins, losses = int((column > SAME).sum()), int((column < -SAME).sum())
        found.append(
            PairDifference(
                first=first,
                second=second,
                difference=mean(column),
                low=interval.low,
                high=interval.high,
                test=test.test,
                p=test.p,
                resolved=test.resolved,
                wins=wins,
                ties=len(column) - wins - losses,
                losses=losses,
                effect=effect_size(column),
                detectable=detectable_difference(column, alpha=level),
            )
        )
    summaries = tuple(
        Summary(mean(values[:, place]), len(values), interval.low, interval.high)
        for place, interval in enumerate(means)
    )
    return MeasureComparison(measure, len(values), summaries, tuple(found))
