"""A comparison of detectors as text and as JSON values; no value of a finding is ever in it."""

from __future__ import annotations

import math
from typing import Any

from strata_rag.privacy import EntityFigures, PiiComparison, Score
from strata_rag.report.tables import new_table, print_table


def pii_document(result: PiiComparison) -> dict[str, Any]:
    """Return what ``strata pii-compare --json`` prints."""
    equal, alike = result.equal_decisions
    return {
        "policy": result.policy,
        "documents": result.documents,
        "megabytes": result.megabytes,
        "detectors": {
            name: {entity: _figures(one) for entity, one in figures.items()}
            for name, figures in result.detectors.items()
        },
        "agreement": {
            entity: {"equal": one.equal, "partial": one.partial, "only": dict(one.only)}
            for entity, one in result.agreement.items()
        },
        "equal_findings": {"count": equal, "decided_alike": alike},
        "findings": [
            {
                "document": one.document,
                "offset": one.offset,
                "length": one.length,
                "entity": one.entity,
                "relation": one.relation,
                "decisions": dict(one.decisions),
            }
            for one in result.findings
        ],
        "secrets": result.secrets,
        "megabytes_per_second": dict(result.megabytes_per_second),
        "labelled_texts": result.labelled,
        "missing": dict(result.missing),
    }


def _figures(one: EntityFigures) -> dict[str, Any]:
    return {
        "found": one.found,
        "kept": one.kept,
        "redacted": one.redacted,
        "exact": _score(one.exact),
        "overlap": _score(one.overlap),
    }


def _score(score: Score | None) -> dict[str, float | None] | None:
    if score is None:
        return None
    return {
        name: None if math.isnan(value) else value
        for name, value in (
            ("precision", score.precision),
            ("recall", score.recall),
            ("f1", score.f1),
            ("low", score.low),
            ("high", score.high),
        )
    }


def print_pii(result: PiiComparison) -> None:
    """Print figures by detector and kind, then where the detectors agree."""
    print(f"{result.documents} documents, {result.megabytes:.2f} MB, policy {result.policy}\n")
    table = new_table()
    for heading in ("detector", "kind", "found", "kept", "redacted", "exact F1", "overlap F1"):
        table.add_column(heading, justify="left" if heading in ("detector", "kind") else "right")
    for name, figures in result.detectors.items():
        for entity, one in figures.items():
            counts = (str(one.found), str(one.kept), str(one.redacted))
            table.add_row(name, entity, *counts, shown_score(one.exact), shown_score(one.overlap))
    print_table(table)
    if result.agreement:
        print()
        print_table(_agreement(result))
        equal, alike = result.equal_decisions
        print(f"\n{equal} findings are equal; the policy decided {alike} of them alike")
    speeds = (f"{name} {speed:.2f} MB/s" for name, speed in result.megabytes_per_second.items())
    print(f"\n{', '.join(speeds)}; {result.secrets} secrets, whatever the detector")


def _agreement(result: PiiComparison) -> Any:
    names = list(result.detectors)
    table = new_table()
    table.add_column("kind")
    for heading in ("equal", "partly overlapping", *(f"only {name}" for name in names)):
        table.add_column(heading, justify="right")
    for entity, one in result.agreement.items():
        only = (str(one.only.get(name, 0)) for name in names)
        table.add_row(entity, str(one.equal), str(one.partial), *only)
    return table


def shown_score(score: Score | None) -> str:
    """Return F1 with its interval."""
    if score is None or math.isnan(score.f1):
        return "-"
    interval = "" if math.isnan(score.low) else f" ({score.low:.2f}-{score.high:.2f})"
    return f"{score.f1:.3f}{interval}"
