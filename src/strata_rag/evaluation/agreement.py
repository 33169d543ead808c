"""How far two raters agree on ordered grades: weighted kappa with its interval, and the confusion table."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

GRADES = (1, 2, 3, 4, 5)
_RESAMPLES = 10_000


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far two raters agree.

    Attributes:
        kappa: Quadratically weighted; NaN where both gave every item the same one grade.
        low: Lower end of its 95 % bootstrap interval; NaN for fewer than two items.
        high: Upper end.
        n: Items that both graded.
        exact: Share of items with the same grade.
        within_one: Share of items whose grades are at most one apart.
        shift: Mean of the second rater's grade minus the first's.
        table: ``table[i][j]``: items that the first graded ``i + 1`` and the second ``j + 1``.
    """

    kappa: float
    low: float
    high: float
    n: int
    exact: float
    within_one: float
    shift: float
    table: tuple[tuple[int, ...], ...]


def agreement(first: Sequence[int], second: Sequence[int], *, seed: int) -> Agreement:
    """Hold two raters' grades against each other.

    The interval is the percentile bootstrap over items; resamples where kappa is undefined are left out.

    Args:
        first: Grades from 1 to 5.
        second: As many.
        seed: Of the bootstrap.
    """
    table = confusion(first, second)
    n = int(table.sum())
    low, high = _interval(np.asarray(first), np.asarray(second), seed=seed)
    apart = np.abs(np.subtract.outer(GRADES, GRADES))
    return Agreement(
        kappa=weighted_kappa(table),
        low=low,
        high=high,
        n=n,
        exact=float(np.trace(table)) / n if n else math.nan,
        within_one=float(table[apart <= 1].sum()) / n if n else math.nan,
        shift=float(np.mean(np.subtract(second, first))) if n else math.nan,
        table=tuple(tuple(int(count) for count in row) for row in table),
    )


def confusion(first: ArrayLike, second: ArrayLike) -> NDArray[np.int64]:
    """Return the counts of grade pairs, shape (5, 5): rows are the first rater's grades."""
    table = np.zeros((len(GRADES), len(GRADES)), dtype=np.int64)
    np.add.at(table, (np.asarray(first, dtype=np.intp) - 1, np.asarray(second, dtype=np.intp) - 1), 1)
    return table


def weighted_kappa(table: NDArray[np.int64]) -> float:
    """Return Cohen's kappa with quadratic weights; NaN where no disagreement is expected by chance.

    1 - (sum of w_ij * O_ij) / (sum of w_ij * E_ij), w_ij = (i - j)^2, O the observed shares, E the product of their
    margins.

    Source: Cohen, Weighted kappa, Psychological Bulletin 70(4), 1968.

    Args:
        table: Shape (5, 5).
    """
    return float(_kappas(table[None])[0])


def _kappas(tables: NDArray[np.int64]) -> NDArray[np.float64]:
    weights = np.square(np.subtract.outer(GRADES, GRADES)).astype(np.float64)
    counts = tables.astype(np.float64)
    totals = counts.sum(axis=(1, 2))
    expected = counts.sum(axis=2)[:, :, None] * counts.sum(axis=1)[:, None, :]
    observed = (counts * weights).sum(axis=(1, 2)) * totals
    by_chance = (expected * weights).sum(axis=(1, 2))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(by_chance > 0, 1.0 - observed / by_chance, np.nan)


def _interval(first: NDArray[np.int64], second: NDArray[np.int64], *, seed: int) -> tuple[float, float]:
    n = len(first)
    if n < 2:
        return math.nan, math.nan
    cells = (first - 1) * len(GRADES) + (second - 1)
    rng = np.random.Generator(np.random.PCG64(seed))
    shares = np.bincount(cells, minlength=len(GRADES) ** 2) / n
    tables = rng.multinomial(n, shares, size=_RESAMPLES).reshape(-1, len(GRADES), len(GRADES))
    kappas = _kappas(tables)
    kappas = kappas[~np.isnan(kappas)]
    if not len(kappas):
        return math.nan, math.nan
    low, high = np.quantile(kappas, [0.025, 0.975])
    return float(low), float(high)
