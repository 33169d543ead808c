"""Means over questions, with bootstrap intervals, for a whole set or its slices."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from strata_rag.evaluation.golden import GoldenSet, Question
from strata_rag.evaluation.measures import Measure, PerQuery

RESAMPLES = 10_000
LEVEL = 0.95
NOT_STATED = "(none)"  # the slice of questions without a language or a tag
_DRAWS = 1_000_000  # drawn at a time: three arrays of 8 MB each

SliceBy = Literal["kind", "lang", "tag"]


@dataclass(frozen=True, slots=True)
class Interval:
    """An interval for a mean; both ends NaN where it is undefined."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Summary:
    """A measure over several questions.

    Attributes:
        value: The mean of the defined values; NaN if there is none.
        n: How many values are defined.
        low: Lower end of the interval; NaN for n < 2.
        high: Upper end of the interval; NaN for n < 2.
    """

    value: float
    n: int
    low: float
    high: float


def bootstrap_mean(
    values: ArrayLike, *, seed: int, resamples: int = RESAMPLES, level: float = LEVEL
) -> Interval:
    """Estimate an interval for the mean by the percentile bootstrap over questions.

    Draws n of the n defined values with replacement, `resamples` times, and takes the (1 - level) / 2 and
    (1 + level) / 2 quantiles (linear interpolation) of the means.

    Source: Efron and Tibshirani, An Introduction to the Bootstrap, 1993, section 13.3.

    Args:
        values: Shape (questions,); NaN where undefined, which leaves the sample.
        seed: Of PCG64; the same seed gives the same interval.
        resamples: At least 1.
        level: Coverage aimed at, between 0 and 1.

    Returns:
        NaN at both ends for fewer than two defined values: one question says nothing about spread.
    """
    column = np.asarray(values, dtype=np.float64)
    defined = column[~np.isnan(column)]
    low, high = _percentiles(defined[:, None], seed=seed, resamples=resamples, level=level)
    return Interval(float(low[0]), float(high[0]))


def bootstrap_columns(
    values: NDArray[np.float64], *, seed: int, resamples: int = RESAMPLES, level: float = LEVEL
) -> list[Interval]:
    """Estimate an interval for each column's mean, the rows resampled together; see `bootstrap_mean`.

    Args:
        values: Shape (questions, columns), without NaN.
        seed: Of PCG64.
        resamples: At least 1.
        level: Coverage aimed at, between 0 and 1.
    """
    lows, highs = _percentiles(values, seed=seed, resamples=resamples, level=level)
    return [Interval(float(low), float(high)) for low, high in zip(lows, highs, strict=True)]


def summarise(
    per_query: PerQuery, *, seed: int, resamples: int = RESAMPLES, level: float = LEVEL
) -> dict[Measure, Summary]:
    """Average every measure over the questions where it is defined, with its interval.

    Measures that are defined on the same questions share every resample. A share of answers (`Measure.is_share`) has
    Wilson's interval instead: it is often all 0 or all 1, where a bootstrap would claim to be certain.
    """
    alike: dict[bytes, list[int]] = defaultdict(list)
    defined = ~np.isnan(per_query.values)
    for column in range(len(per_query.measures)):
        alike[defined[:, column].tobytes()].append(column)
    found: dict[int, Summary] = {}
    for columns in alike.values():
        rows = np.flatnonzero(defined[:, columns[0]])
        values = per_query.values[rows][:, columns]
        lows, highs = _percentiles(values, seed=seed, resamples=resamples, level=level)
        for place, column in enumerate(columns):
            value = mean(values[:, place])
            found[column] = Summary(value, len(rows), float(lows[place]), float(highs[place]))
            if per_query.measures[column].is_share:
                share = wilson(round(float(values[:, place].sum())), len(rows), level=level)
                found[column] = Summary(value, len(rows), share.low, share.high)
    return {measure: found[column] for column, measure in enumerate(per_query.measures)}


def slices(
    per_query: PerQuery,
    golden: GoldenSet,
    *,
    by: SliceBy = "kind",
    seed: int = 0,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
) -> dict[str, dict[Measure, Summary]]:
    """Summarise each kind, language or tag apart, in the order of their names.

    A question with several tags is in several slices; one without stands under ``(none)``.
    """
    rows: dict[str, list[int]] = defaultdict(list)
    labels = {question.id: _labels(question, by) for question in golden.questions}
    for row, query_id in enumerate(per_query.query_ids):
        for label in labels[query_id]:
            rows[label].append(row)
    return {
        label: summarise(_rows(per_query, rows[label]), seed=seed, resamples=resamples, level=level)
        for label in sorted(rows)
    }


def wilson(successes: int, n: int, *, level: float = LEVEL) -> Interval:
    """Estimate an interval for a share by Wilson's score: it stays inside 0 to 1, and is no point at 0 or 1.

    Source: Wilson, Probable inference, the law of succession, and statistical inference, JASA 22, 1927; Brown, Cai
    and DasGupta, Interval Estimation for a Binomial Proportion, Statistical Science 16(2), 2001.

    Returns:
        NaN at both ends for n = 0.
    """
    if n == 0:
        return Interval(math.nan, math.nan)
    z = NormalDist().inv_cdf((1 + level) / 2)
    share = successes / n
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    low = 0.0 if successes == 0 else centre - half
    return Interval(low, 1.0 if successes == n else centre + half)


def mean(values: NDArray[np.float64]) -> float:
    """Average the values that are not NaN, exactly rounded in any order; NaN if there is none."""
    defined = values[~np.isnan(values)]
    return math.fsum(defined) / len(defined) if len(defined) else math.nan


def _labels(question: Question, by: SliceBy) -> Sequence[str]:
    if by == "kind":
        return (question.kind,)
    if by == "lang":
        return (question.lang or NOT_STATED,)
    return tuple(dict.fromkeys(question.tags)) or (NOT_STATED,)


def _rows(per_query: PerQuery, rows: Sequence[int]) -> PerQuery:
    ids = tuple(per_query.query_ids[row] for row in rows)
    return PerQuery(ids, per_query.measures, per_query.values[list(rows)])


def _percentiles(
    values: NDArray[np.float64], *, seed: int, resamples: int, level: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Percentile bootstrap of the column means of values without NaN, the rows resampled together."""
    if resamples < 1 or not 0 < level < 1:
        raise ValueError(f"resamples >= 1 and 0 < level < 1 were expected, found {resamples} and {level}")
    n, columns = values.shape
    if n < 2:
        undefined = np.full(columns, np.nan)
        return undefined, undefined
    rng = np.random.Generator(np.random.PCG64(seed))
    means = np.empty((resamples, columns))
    step = max(1, _DRAWS // n)
    for start in range(0, resamples, step):
        size = min(step, resamples - start)
        draws = rng.integers(0, n, size=(size, n))
        draws += np.arange(size)[:, None] * n
        counts = np.bincount(draws.ravel(), minlength=size * n).reshape(size, n)
        means[start : start + size] = counts.astype(np.float64) @ values / n
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return low, high
