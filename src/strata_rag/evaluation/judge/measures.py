"""From verdicts to values: the arithmetic of the judged measures, apart from any judge."""

from __future__ import annotations

from collections.abc import Sequence

from strata_rag.evaluation.judge.parse import ParsedReply
from strata_rag.evaluation.judge.verdicts import (
    JudgeMeasure,
    Severity,
    Verdict,
    severity_of,
    worse,
)


def supported_share(verdicts: Sequence[Verdict]) -> float:
    """Return the share of statements that hold: faithfulness of an answer, context recall of a reference answer.

    |supported statements| / |statements|, both counted here.

    Source: Es, James, Espinosa-Anke and Schockaert, RAGAs: Automated Evaluation of Retrieval Augmented Generation,
    EACL 2024, section 3.

    Args:
        verdicts: At least one.
    """
    return sum(verdict.holds for verdict in verdicts) / len(verdicts)


def ranked_precision(verdicts: Sequence[Verdict]) -> float:
    """Return the average precision of the passages in their order: relevant ones near the top count more.

    (sum over r of rel_r * Precision@r) / (number of relevant passages), 0 if none is relevant.

    Source: Buckley and Voorhees, Retrieval system evaluation, 2005, over the passages given instead of all there are.
    """
    found, total = 0, 0.0
    for rank, verdict in enumerate(verdicts, 1):
        if verdict.holds:
            found += 1
            total += found / rank
    return total / found if found else 0.0


def normalised(raw: int) -> float:
    """Return a score from 1 to 5 as a value from 0 to 1: (raw - 1) / 4."""
    return (raw - 1) / 4


def value_of(measure: JudgeMeasure, reply: ParsedReply) -> float:
    """Return the value, from 0 to 1, that a reply amounts to.

    Raises:
        ValueError: An answer's relevance has no score.
    """
    if measure == "AnswerRelevance":
        if reply.raw is None:
            raise ValueError("raw: a score from 1 to 5 was expected, found none")
        return normalised(reply.raw)
    return (
        ranked_precision(reply.verdicts) if measure == "ContextPrecision" else supported_share(reply.verdicts)
    )


def settled_severity(value: float, reply: ParsedReply) -> tuple[Severity, Severity | None]:
    """Return the severity that counts, and what the judge said if that was milder than its own score or the value.

    A judge that gives no severity gets the one implied.
    """
    implied = severity_of(value)
    if reply.raw is not None:
        implied = worse(implied, severity_of(normalised(reply.raw)))
    if reply.severity is None:
        return implied, None
    settled = worse(reply.severity, implied)
    return settled, (reply.severity if settled != reply.severity else None)
