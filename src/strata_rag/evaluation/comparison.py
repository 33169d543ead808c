"""Compare runs question by question: paired differences, their uncertainty, what changed most."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from strata_rag.errors import NotMeasurable
from strata_rag.evaluation.intervals import Interval, Summary, bootstrap_columns, mean
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
    sign_flip_tests,
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
    differences = _differences(values, pairs)
    corrected = (
        pairwise_max(values, pairs, seed=seed, alpha=alpha)
        if correction == "max"
        else pairwise_holm(differences, seed=seed, alpha=alpha)
    )
    intervals = bootstrap_columns(np.hstack([values, differences]), seed=seed)
    return _comparison(measure, values, pairs, corrected, intervals, level=alpha / len(pairs))


def explore_measures(
    tables: Sequence[RunTable], measures: Sequence[Measure], *, best: int, alpha: float, seed: int
) -> tuple[MeasureComparison, ...]:
    """Hold every run against one of them under further measures; nothing is corrected.

    Measures that are defined on the same questions share their draws; one that is defined on fewer than two
    is left out.
    """
    pairs = [(min(best, other), max(best, other)) for other in range(len(tables)) if other != best]
    alike: dict[bytes, list[Measure]] = defaultdict(list)
    for measure in measures:
        alike[_is_defined(tables, measure).tobytes()].append(measure)
    found: dict[Measure, MeasureComparison] = {}
    for group in alike.values():
        if _is_defined(tables, group[0]).sum() < 2:
            continue
        values = [_defined(tables, measure) for measure in group]
        differences = [_differences(one, pairs) for one in values]
        tests = sign_flip_tests(np.hstack(differences), seed=seed)
        blocks = [block for both in zip(values, differences, strict=True) for block in both]
        intervals = bootstrap_columns(np.hstack(blocks), seed=seed)
        width = len(tables) + len(pairs)
        for place, (measure, one) in enumerate(zip(group, values, strict=True)):
            alone = tests[place * len(pairs) : (place + 1) * len(pairs)]
            corrected = [Corrected(test, test.p, resolved=True) for test in alone]
            own = intervals[place * width : (place + 1) * width]
            found[measure] = _comparison(measure, one, pairs, corrected, own, level=alpha)
    return tuple(found[measure] for measure in measures if measure in found)


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


def _is_defined(tables: Sequence[RunTable], measure: Measure) -> NDArray[np.bool_]:
    sums: NDArray[np.float64] = np.stack([table.column(measure) for table in tables]).sum(axis=0)
    return ~np.isnan(sums)


def _defined(tables: Sequence[RunTable], measure: Measure) -> NDArray[np.float64]:
    values = np.stack([table.column(measure) for table in tables], axis=1)
    values = values[_is_defined(tables, measure)]
    if len(values) < 2:
        problem = f"{measure}: at least 2 questions with a value were expected, found {len(values)}"
        raise NotMeasurable(problem, hint="label more questions, or declare another --measure")
    return values


def _differences(values: NDArray[np.float64], pairs: Sequence[tuple[int, int]]) -> NDArray[np.float64]:
    return np.stack([values[:, b] - values[:, a] for a, b in pairs], axis=1)


def _comparison(
    measure: Measure,
    values: NDArray[np.float64],
    pairs: Sequence[tuple[int, int]],
    tests: Sequence[Corrected],
    intervals: Sequence[Interval],
    *,
    level: float,
) -> MeasureComparison:
    """Lay out one measure; `intervals` are of the runs' means, then of the pairs' differences."""
    runs = values.shape[1]
    columns = _differences(values, pairs).T
    summaries = tuple(
        Summary(mean(values[:, place]), len(values), interval.low, interval.high)
        for place, interval in enumerate(intervals[:runs])
    )
    found = tuple(
        _pair(pair, column, test, interval, level)
        for pair, column, test, interval in zip(pairs, columns, tests, intervals[runs:], strict=True)
    )
    return MeasureComparison(measure, len(values), summaries, found)


def _pair(
    pair: tuple[int, int], column: NDArray[np.float64], test: Corrected, interval: Interval, level: float
) -> PairDifference:
    wins, losses = int((column > SAME).sum()), int((column < -SAME).sum())
    return PairDifference(
        first=pair[0],
        second=pair[1],
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
