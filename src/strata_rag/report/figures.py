"""How numbers read: one form for each kind of figure, in every renderer."""

from __future__ import annotations

import math

from strata_rag.evaluation import Comparison, PairDifference, Summary

NONE = "-"


def value(number: float, decimals: int = 3) -> str:
    """Write a measure's value; a dash where it is undefined."""
    return NONE if math.isnan(number) else f"{number:.{decimals}f}"


def signed(number: float, decimals: int = 3) -> str:
    """Write a difference with its sign; none where it rounds to 0."""
    if math.isnan(number):
        return NONE
    written = f"{number:+.{decimals}f}"
    return written[1:] if float(written) == 0 else written


def interval(low: float, high: float, decimals: int = 3) -> str:
    """Write the two ends of an interval of values."""
    return NONE if math.isnan(low) else f"{low:.{decimals}f} to {high:.{decimals}f}"


def signed_interval(low: float, high: float, decimals: int = 3) -> str:
    """Write the two ends of an interval of differences."""
    return NONE if math.isnan(low) else f"{signed(low, decimals)} to {signed(high, decimals)}"


def p_value(p: float) -> str:
    """Write a p-value to two significant digits, at most four decimals."""
    if math.isnan(p):
        return NONE
    if p < 0.0001:
        return "<0.0001"
    return f"{p:.4f}" if p < 0.01 else f"{p:.3f}"


def outcome(pair: PairDifference) -> str:
    """Write wins, ties and losses of the second run."""
    return f"{pair.wins}/{pair.ties}/{pair.losses}"


def with_interval(summary: Summary) -> str:
    """Write a mean with its interval."""
    if math.isnan(summary.low):
        return value(summary.value)
    return f"{value(summary.value)} [{value(summary.low)}, {value(summary.high)}]"


def correction_name(comparison: Comparison) -> str:
    """Say how p-values were corrected, and for how many tests."""
    count = len(comparison.primary.pairs)
    if count == 1:
        return "one test, nothing to correct"
    name = "Holm" if comparison.correction == "holm" else "max-statistic randomisation"
    return f"{name} over {count} pairs"


def verdict(comparison: Comparison) -> str:
    """Say in one sentence which runs can't be told from the best."""
    primary, names = comparison.primary, comparison.names
    best = names[primary.best]
    others = [names[place] for place in comparison.group if place != primary.best]
    head = f"best {primary.measure}: {best}, {value(primary.summaries[primary.best].value)}"
    if not others:
        return f"{head}; every other run is told from it at {comparison.alpha:g}"
    return f"{head}; can't be told from it at {comparison.alpha:g}: {', '.join(others)}"


def methods(comparison: Comparison) -> str:
    """Say in one sentence what was computed."""
    tests = {pair.test for pair in comparison.primary.pairs}
    exact = sum(test.exact for test in tests)
    draws = max((test.draws for test in tests if not test.exact), default=0)
    how = "all sign assignments" if exact == len(tests) else f"up to {draws:,} draws"
    return (
        f"paired over {comparison.primary.n} questions; 95 % percentile bootstrap, 10,000 resamples; two-sided "
        f"randomisation test, {how}; {correction_name(comparison)}; seed {comparison.seed}"
    )


def unresolved(comparison: Comparison) -> str:
    """Name the pairs that stand so close to the level that more draws might still turn them; or nothing."""
    pairs = [
        f"{comparison.names[pair.first]} and {comparison.names[pair.second]}"
        for pair in comparison.primary.pairs
        if not pair.resolved
    ]
    return f"too close to {comparison.alpha:g} for the draws made: {'; '.join(pairs)}" if pairs else ""
