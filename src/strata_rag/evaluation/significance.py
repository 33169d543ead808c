"""Paired tests between systems: randomisation, correction for many comparisons, power.

Every p-value is two-sided. A Monte-Carlo p is (b + 1) / (B + 1), where b of B random draws are at least as
extreme as what was observed: it is never 0, and the test keeps its level (Phipson and Smyth 2010).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

_Floats = NDArray[np.float64]

ALPHA = 0.05
POWER = 0.8
EXACT_UP_TO = 16  # non-zero differences whose 2^n signs are enumerated
DRAWS = 10_000  # to begin with
MOST_DRAWS = 160_000
MOST_SHUFFLES = 40_000  # of `pairwise_max`, whose draws cost twenty times as much
_CELLS = 1_000_000  # (draw, question) cells held at a time: 8 MB
_SURE = 2.576  # standard errors that a Monte-Carlo p must stand away from its threshold: 99 %
_SLACK = 1e-10  # sums this close, relative to the sum of sizes, are the same sum in another order


@dataclass(frozen=True, slots=True)
class Randomised:
    """The outcome of one randomisation test.

    Attributes:
        p: Two-sided; NaN without a question.
        draws: How many assignments were looked at.
        exact: Whether these are all there are.
    """

    p: float
    draws: int
    exact: bool


@dataclass(frozen=True, slots=True)
class Corrected:
    """One of several tests, held against the number of them.

    Attributes:
        test: The test by itself.
        p: Corrected for all tests of the family.
        resolved: Whether more draws could not be expected to change the decision.
    """

    test: Randomised
    p: float
    resolved: bool


def sign_flip_test(differences: ArrayLike, *, seed: int, draws: int = DRAWS) -> Randomised:
    """Test whether paired differences are symmetric about 0, by flipping their signs.

    The statistic is the mean. With at most `EXACT_UP_TO` non-zero differences all signs are enumerated.

    Source: Fisher, The Design of Experiments, 1935, section 21; for retrieval: Smucker, Allan and
    Carterette, CIKM 2007.

    Args:
        differences: Shape (questions,), without NaN.
        seed: Of PCG64.
        draws: At least 1; unused where the enumeration is complete.
    """
    column = np.asarray(differences, dtype=np.float64)
    return sign_flip_tests(column[:, None], seed=seed, draws=draws)[0]


def sign_flip_tests(differences: _Floats, *, seed: int, draws: int = DRAWS) -> list[Randomised]:
    """Test every column as `sign_flip_test` does; all of them share their draws.

    Args:
        differences: Shape (questions, tests), without NaN.
        seed: Of PCG64.
        draws: At least 1.
    """
    tests = [_enumerated(column) for column in differences.T]
    columns = [place for place, test in enumerate(tests) if not test.exact]
    if columns:
        extreme = _sign_flips(differences[:, columns], _generator(seed), draws)
        for place, count in zip(columns, extreme.tolist(), strict=True):
            tests[place] = Randomised((count + 1) / (draws + 1), draws, exact=False)
    return tests


def holm(p_values: Sequence[float]) -> list[float]:
    """Correct p-values for their number: the j-th smallest of m times m - j + 1, kept rising, at most 1.

    NaN stays NaN and does not count. Source: Holm, Scandinavian Journal of Statistics 6(2), 1979.
    """
    corrected = [math.nan] * len(p_values)
    highest = 0.0
    for place, factor in _holm_factors(p_values):
        highest = max(highest, min(1.0, factor * p_values[place]))
        corrected[place] = highest
    return corrected


def pairwise_holm(differences: _Floats, *, seed: int, alpha: float = ALPHA) -> list[Corrected]:
    """Test every column by sign flips and correct by Holm; draw more where a decision is still open.

    All columns share their draws. A column is drawn again, twice as often, until its p times its Holm factor
    stands 2.576 standard errors away from `alpha` (99 %), or `MOST_DRAWS` are reached.

    Args:
        differences: Shape (questions, tests), without NaN.
        seed: Of PCG64.
        alpha: The family-wise level of the decisions.
    """
    count = differences.shape[1]
    tests = [_enumerated(column) for column in differences.T]
    rng = _generator(seed)
    extreme = np.zeros(count, dtype=np.int64)

    def draw_more(columns: list[int], size: int) -> None:
        extreme[columns] += _sign_flips(differences[:, columns], rng, size)
        for column in columns:
            total = tests[column].draws + size
            tests[column] = Randomised((int(extreme[column]) + 1) / (total + 1), total, exact=False)

    first = [column for column in range(count) if not tests[column].exact]
    _until_resolved(
        draw_more,
        tests,
        first,
        factors=lambda: dict(_holm_factors([test.p for test in tests])),
        alpha=alpha,
        most=MOST_DRAWS,
    )
    factors = dict(_holm_factors([test.p for test in tests]))
    corrected = holm([test.p for test in tests])
    return [
        Corrected(test, corrected[column], _is_resolved(test, factors.get(column, 1), alpha))
        for column, test in enumerate(tests)
    ]


def pairwise_max(
    values: _Floats, pairs: Sequence[tuple[int, int]], *, seed: int, alpha: float = ALPHA
) -> list[Corrected]:
    """Test pairs of systems against the largest difference that shuffled systems show.

    Each draw shuffles the systems within every question and keeps the range of the means; a pair's corrected p
    is the share of ranges at least as large as its own difference ("randomised Tukey HSD").

    Source: Carterette, ACM TOIS 30(1), 2012, section 4.2; Sakai, SIGIR Forum 48(1), 2014.

    Args:
        values: Shape (questions, systems), without NaN.
        pairs: The columns that are compared.
        seed: Of PCG64.
        alpha: The family-wise level of the decisions.
    """
    differences = np.stack([values[:, b] - values[:, a] for a, b in pairs], axis=1)
    alone = pairwise_holm(differences, seed=seed, alpha=alpha)
    if values.shape[1] == 2:
        return alone
    sums = np.abs(differences.sum(axis=0))
    slack = _SLACK * max(1.0, float(np.abs(values).sum()))
    rng = _generator(seed)
    extreme = np.zeros(len(pairs), dtype=np.int64)
    tests = [Randomised(math.nan, 0, exact=False)] * len(pairs)

    def draw_more(columns: list[int], size: int) -> None:
        ranges = _shuffled_ranges(values, rng, size)
        for column in columns:
            extreme[column] += np.count_nonzero(ranges >= sums[column] - slack)
            total = tests[column].draws + size
            tests[column] = Randomised((int(extreme[column]) + 1) / (total + 1), total, exact=False)

    everything = list(range(len(pairs)))
    _until_resolved(draw_more, tests, everything, factors=dict, alpha=alpha, most=MOST_SHUFFLES)
    return [
        Corrected(by_itself.test, test.p, _is_resolved(test, 1, alpha))
        for by_itself, test in zip(alone, tests, strict=True)
    ]


def effect_size(differences: ArrayLike) -> float:
    """Mean difference over the standard deviation of the differences (Cohen's d_z); NaN if they do not vary.

    Source: Cohen, Statistical Power Analysis, 1988, section 2.3.5; Lakens, Frontiers in Psychology 4, 2013.
    """
    column = np.asarray(differences, dtype=np.float64)
    spread = float(column.std(ddof=1)) if len(column) > 1 else math.nan
    return float(column.mean()) / spread if spread > 0 else math.nan


def detectable_difference(differences: ArrayLike, *, alpha: float = ALPHA, power: float = POWER) -> float:
    """Return the smallest true mean difference that so many questions would show with `power`.

    (z(1 - alpha / 2) + z(power)) s / sqrt(n), s the standard deviation of the differences (n - 1).

    Source: Sakai, Laboratory Experiments in Information Retrieval, 2018, section 6.2, in its normal
    approximation; n below about 20 needs somewhat more. NaN for n < 2.
    """
    column = np.asarray(differences, dtype=np.float64)
    if len(column) < 2:
        return math.nan
    normal = NormalDist()
    quantiles = normal.inv_cdf(1 - alpha / 2) + normal.inv_cdf(power)
    return quantiles * float(column.std(ddof=1)) / math.sqrt(len(column))


def _enumerated(column: _Floats) -> Randomised:
    """Look at every assignment of signs to the non-zero differences, if they are few; the rest change nothing."""
    sizes = np.abs(column[column != 0])
    if len(sizes) > EXACT_UP_TO:
        return Randomised(math.nan, 0, exact=False)
    if not len(column):
        return Randomised(math.nan, 0, exact=True)
    codes = np.arange(2 ** len(sizes), dtype=np.uint32)
    sums = np.zeros(len(codes))
    for bit, size in enumerate(sizes):
        sums += np.where(codes >> np.uint32(bit) & np.uint32(1), size, -size)
    extreme = np.abs(sums) >= abs(float(column.sum())) - _SLACK * float(sizes.sum())
    return Randomised(float(extreme.mean()), len(codes), exact=True)


def _sign_flips(differences: _Floats, rng: np.random.Generator, draws: int) -> NDArray[np.int64]:
    """Count, per column, the draws of random signs whose sum is at least as large as the one observed."""
    n, columns = differences.shape
    observed = differences.sum(axis=0)
    threshold = np.abs(observed) - _SLACK * np.abs(differences).sum(axis=0)
    width = -(-n // 8)
    extreme = np.zeros(columns, dtype=np.int64)
    step = max(1, _CELLS // n)
    for start in range(0, draws, step):
        size = min(step, draws - start)
        raw = np.frombuffer(rng.bytes(size * width), dtype=np.uint8).reshape(size, width)
        kept = np.unpackbits(raw, axis=1, count=n).astype(np.float64)
        sums = 2.0 * (kept @ differences) - observed
        extreme += np.count_nonzero(np.abs(sums) >= threshold, axis=0)
    return extreme


def _shuffled_ranges(values: _Floats, rng: np.random.Generator, draws: int) -> _Floats:
    """Shuffle the systems within each question and return the range of their sums, draw by draw."""
    n, systems = values.shape
    ranges = np.empty(draws)
    step = max(1, _CELLS // (n * systems))
    for start in range(0, draws, step):
        size = min(step, draws - start)
        shuffled = rng.permuted(np.broadcast_to(values, (size, n, systems)), axis=2)
        ranges[start : start + size] = np.ptp(shuffled.sum(axis=1), axis=1)
    return ranges


def _until_resolved(
    draw_more: Callable[[list[int], int], None],
    tests: list[Randomised],
    columns: list[int],
    *,
    factors: Callable[[], dict[int, int]],
    alpha: float,
    most: int,
) -> None:
    # Even one test less extreme than all draws must be able to pass the strictest step.
    size = max(DRAWS, math.ceil(10 * len(tests) / alpha))
    while columns:
        draw_more(columns, size)
        now = factors()
        columns = [
            column
            for column in columns
            if not _is_resolved(tests[column], now.get(column, 1), alpha) and tests[column].draws < most
        ]
        size = max((tests[column].draws for column in columns), default=0)


def _is_resolved(test: Randomised, factor: int, alpha: float) -> bool:
    if test.exact or math.isnan(test.p):
        return True
    error = math.sqrt(test.p * (1 - test.p) / test.draws)
    return abs(test.p - alpha / factor) > _SURE * error


def _holm_factors(p_values: Sequence[float]) -> list[tuple[int, int]]:
    """Return (place, factor) by rising p: m for the smallest of m, then m - 1, down to 1."""
    defined = [place for place, p in enumerate(p_values) if not math.isnan(p)]
    ordered = sorted(defined, key=lambda place: (p_values[place], place))
    return [(place, len(ordered) - rank) for rank, place in enumerate(ordered)]


def _generator(seed: int) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(seed))
