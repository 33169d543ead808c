"""Hold a run against rules: minimums, and drops against a baseline."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from strata_rag.errors import InputError
from strata_rag.evaluation.intervals import SliceBy, mean
from strata_rag.evaluation.measures import Measure
from strata_rag.evaluation.run_files import StoredQuestion, StoredRun
from strata_rag.evaluation.run_table import RunTable
from strata_rag.evaluation.significance import holm, pairwise_holm

Status = Literal["pass", "regression", "not measurable"]

_RULE = re.compile(
    r"\s*(?P<measure>[^\s@<>=]+(?:@\d+)?)(?:\s*>=\s*(?P<minimum>[^\s<>=]+)|\s+drop\s*<=\s*(?P<drop>[^\s<>=]+))"
    r"(?:\s+for\s+(?P<by>kind|lang|tag)\s*=\s*(?P<value>.*\S))?\s*",
    re.ASCII,
)
_SLACK = 1e-9  # a figure this close to its limit is at it


@dataclass(frozen=True, slots=True)
class Rule:
    """One condition on one measure.

    Attributes:
        measure: What is held against the limit.
        bound: ``minimum``: the mean is at least the limit. ``drop``: the mean fell by at most the limit.
        limit: From 0 to 1.
        by: What slice it is about (``kind``, ``lang`` or ``tag``), or None for all questions.
        value: Which slice.
    """

    measure: Measure
    bound: Literal["minimum", "drop"]
    limit: float
    by: SliceBy | None = None
    value: str = ""

    def __str__(self) -> str:
        sign = ">=" if self.bound == "minimum" else "drop <="
        about = f" for {self.by} = {self.value}" if self.by else ""
        return f"{self.measure} {sign} {self.limit:g}{about}"

    @classmethod
    def parse(cls, text: str) -> Rule:
        """Read ``nDCG@10 >= 0.4`` or ``nDCG@10 drop <= 0.02``, with ``for kind = code`` behind it for a slice.

        Raises:
            InputError: It is no rule.
        """
        written = _RULE.fullmatch(text)
        limit = _limit(written["minimum"] or written["drop"]) if written else None
        if not written or limit is None:
            raise InputError(
                f"gate.rules: expected a rule with a limit from 0 to 1, found {text!r}",
                hint="write `nDCG@10 >= 0.40`, `Faithfulness >= 0.8` or `nDCG@10 drop <= 0.02`, and `for kind = code` "
                "for a slice",
            )
        return cls(
            measure=Measure.parse(written["measure"]),
            bound="minimum" if written["minimum"] else "drop",
            limit=limit,
            by=_slicing(written["by"]),
            value=written["value"] or "",
        )


@dataclass(frozen=True, slots=True)
class RuleResult:
    """What became of one rule.

    Attributes:
        rule: The rule.
        status: ``pass``, ``regression`` or ``not measurable``.
        value: Mean of the run; NaN where there is none.
        baseline: Mean of the baseline over the same questions; NaN for a minimum.
        n: Questions that decided it.
        p: Of the drop, corrected for all drop rules; NaN where no test was asked for.
        reason: One sentence.
    """

    rule: Rule
    status: Status
    value: float
    baseline: float
    n: int
    p: float
    reason: str


@dataclass(frozen=True, slots=True)
class GateResult:
    """A run held against its rules."""

    run: StoredRun
    baseline: StoredRun | None
    results: tuple[RuleResult, ...]
    min_n: int
    significance: float | None

    @property
    def status(self) -> Status:
        """A regression if any rule shows one, else not measurable if any rule is, else a pass."""
        found = {result.status for result in self.results}
        order: tuple[Status, ...] = ("regression", "not measurable")
        return next((status for status in order if status in found), "pass")

    def count(self, status: Status) -> int:
        """Return how many rules ended so."""
        return sum(result.status == status for result in self.results)


def hold_against(
    rules: Sequence[Rule],
    run: StoredRun,
    baseline: StoredRun | None,
    *,
    min_n: int,
    significance: float | None,
    seed: int,
    untrusted: Mapping[Measure, str] | None = None,
) -> GateResult:
    """Decide every rule.

    A drop is the paired mean of (baseline - run). With `significance` a drop over its limit is a regression
    only where the randomisation test of the difference, Holm-corrected over all drop rules, is below it.

    Args:
        rules: At least one.
        run: The run to judge.
        baseline: What drops are measured against; None leaves them not measurable.
        min_n: Fewer questions with a value than this leave a rule not measurable.
        significance: Level of the test, or None to go by the drop alone.
        seed: Of the test.
        untrusted: Measure -> why no rule on it can be decided, such as a judge that does not agree with people.
    """
    table = RunTable.read(run)
    other = RunTable.read(baseline) if baseline is not None else None
    reasons = untrusted or {}
    decided = [
        (_undecided(rule, reasons[rule.measure]), None)
        if rule.measure in reasons
        else _decide(rule, table, other, min_n)
        for rule in rules
    ]
    results = [result for result, _ in decided]
    if significance is not None:
        results = _with_tests(decided, level=significance, seed=seed)
    return GateResult(run, baseline, tuple(results), min_n, significance)


def _decide(
    rule: Rule, table: RunTable, baseline: RunTable | None, min_n: int
) -> tuple[RuleResult, NDArray[np.float64] | None]:
    """Return the result without a test, and the differences that a test may look at."""
    blank = _undecided(rule, "")
    if rule.measure not in table.values.measures:
        return replace(blank, reason=f"the run has no {rule.measure}"), None
    rows = [place for place, question in enumerate(table.questions) if _in_slice(question, rule)]
    values = table.column(rule.measure)[rows]
    if rule.bound == "minimum":
        defined = values[~np.isnan(values)]
        found = replace(blank, value=mean(defined), n=len(defined))
        return _minimum(found, min_n), None
    reason = _not_comparable(rule, table, baseline)
    if reason or baseline is None:
        return replace(blank, value=mean(values), reason=reason), None
    before = baseline.column(rule.measure)[rows]
    both = ~np.isnan(values) & ~np.isnan(before)
    found = replace(blank, value=mean(values[both]), baseline=mean(before[both]), n=int(both.sum()))
    return _drop(found, min_n), before[both] - values[both]


def _undecided(rule: Rule, reason: str) -> RuleResult:
    return RuleResult(rule, "not measurable", math.nan, math.nan, 0, math.nan, reason)


def _minimum(found: RuleResult, min_n: int) -> RuleResult:
    if found.n < min_n:
        return replace(found, reason=_too_few(found.n, min_n))
    if found.value >= found.rule.limit - _SLACK:
        return replace(found, status="pass", reason=f"{found.value:.4f} over {found.n} questions")
    reason = f"expected at least {found.rule.limit:g}, found {found.value:.4f} over {found.n} questions"
    return replace(found, status="regression", reason=reason)


def _drop(found: RuleResult, min_n: int) -> RuleResult:
    if found.n < min_n:
        return replace(found, reason=_too_few(found.n, min_n))
    change = f"{found.baseline:.4f} -> {found.value:.4f} over {found.n} questions"
    drop = found.baseline - found.value
    if drop <= found.rule.limit + _SLACK:
        return replace(found, status="pass", reason=change)
    reason = f"expected a drop of at most {found.rule.limit:g}, found {drop:.4f} ({change})"
    return replace(found, status="regression", reason=reason)


def _with_tests(
    decided: Sequence[tuple[RuleResult, NDArray[np.float64] | None]], *, level: float, seed: int
) -> list[RuleResult]:
    p_values = [
        pairwise_holm(drops[:, None], seed=seed, alpha=level)[0].test.p
        if drops is not None and result.status != "not measurable"
        else math.nan
        for result, drops in decided
    ]
    results = []
    for (result, _), p in zip(decided, holm(p_values), strict=True):
        tested = replace(result, p=p)
        if result.status == "regression" and p >= level:
            note = f"a drop over its limit that may be chance (p {p:.3f}, level {level:g}): {result.reason}"
            tested = replace(tested, status="pass", reason=note)
        results.append(tested)
    return results


def _not_comparable(rule: Rule, table: RunTable, baseline: RunTable | None) -> str:
    if baseline is None:
        return "no baseline to measure a drop against"
    mine, theirs = table.run.record, baseline.run.record
    if (mine.golden.digest, mine.level) != (theirs.golden.digest, theirs.level):
        return f"the baseline {theirs.run_id} was judged by another golden set"
    if rule.measure not in baseline.values.measures:
        return f"the baseline {theirs.run_id} has no {rule.measure}"
    if baseline.values.query_ids != table.values.query_ids:
        return f"the baseline {theirs.run_id} holds other questions"
    return ""


def _in_slice(question: StoredQuestion, rule: Rule) -> bool:
    if rule.by is None:
        return True
    if rule.by == "tag":
        return rule.value in question.tags
    return rule.value == (question.kind if rule.by == "kind" else question.lang)


def _too_few(n: int, min_n: int) -> str:
    return f"expected at least {min_n} questions with a value, found {n}"


def _limit(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if 0 <= number <= 1 else None


def _slicing(text: str | None) -> SliceBy | None:
    return next((by for by in _SLICINGS if by == text), None)


_SLICINGS: tuple[SliceBy, ...] = ("kind", "lang", "tag")
