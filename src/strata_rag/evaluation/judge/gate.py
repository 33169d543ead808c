"""Pass or fail of one answer, from its verdicts and a policy alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from strata_rag.evaluation.judge.verdicts import SEVERITIES, JudgeMeasure, Judgement, Severity


@dataclass(frozen=True, slots=True)
class GatePolicy:
    """What an answer must reach.

    Attributes:
        minimums: Measure -> least value, from 0 to 1; a measure that is not named decides nothing.
        worst_severity: The worst severity that still passes, under the measures named; None lets all pass.
    """

    minimums: Mapping[JudgeMeasure, float] = field(default_factory=dict)
    worst_severity: Severity | None = None


@dataclass(frozen=True, slots=True)
class GateVerdict:
    """What became of one answer.

    Attributes:
        passed: None where a measure that the policy names has no value and no other one fails.
        reasons: Why it failed or could not be decided; empty for a pass.
    """

    passed: bool | None
    reasons: tuple[str, ...] = ()


def compute_gate(verdicts: Sequence[Judgement], policy: GatePolicy) -> GateVerdict:
    """Decide one answer.

    It fails if a value is below its minimum or a severity is worse than allowed, in any repetition's mean. It is not
    decided if a measure that the policy names was not scored; that is never a pass.

    Args:
        verdicts: The judgements of one answer, at most one for each measure, or several repetitions, whose values are
            averaged and whose worst severity counts.
        policy: The thresholds.
    """
    failed: list[str] = []
    missing: list[str] = []
    for measure, minimum in policy.minimums.items():
        mine = [verdict for verdict in verdicts if verdict.measure == measure]
        scored = [verdict for verdict in mine if verdict.outcome == "scored"]
        if not scored:
            why = f"{mine[0].outcome}: {mine[0].reason}" if mine else "not judged"
            missing.append(f"{measure} has no value ({why})")
            continue
        value = sum(verdict.value for verdict in scored) / len(scored)
        if value < minimum - 1e-9:
            failed.append(f"{measure} {value:.2f} is below {minimum:g}")
        worst = max((v.severity for v in scored if v.severity), key=SEVERITIES.index, default=None)
        if worst is not None and _is_worse(worst, policy.worst_severity):
            failed.append(f"{measure} has a fault of severity {worst}")
    if failed:
        return GateVerdict(False, tuple(failed))
    return GateVerdict(None, tuple(missing)) if missing or not policy.minimums else GateVerdict(True)


def _is_worse(severity: Severity, allowed: Severity | None) -> bool:
    return allowed is not None and SEVERITIES.index(severity) > SEVERITIES.index(allowed)
