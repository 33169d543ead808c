"""A comparison as a JSON value; what is undefined is null."""

from __future__ import annotations

import math
from typing import Any

from strata_rag.evaluation import Change, Comparison, MeasureComparison, StoredQuestion


def comparison_document(comparison: Comparison) -> dict[str, Any]:
    """Return what ``strata compare --json`` prints."""
    ids = [run.record.run_id for run in comparison.runs]
    return {
        "runs": [
            {"run_id": run.record.run_id, "name": name, "label": run.record.label}
            for run, name in zip(comparison.runs, comparison.names, strict=True)
        ],
        "primary": _measure(comparison.primary, ids, corrected=True),
        "best": ids[comparison.primary.best],
        "group": [ids[place] for place in comparison.group],
        "correction": comparison.correction,
        "alpha": comparison.alpha,
        "seed": comparison.seed,
        "exploratory": [_measure(measure, ids, corrected=False) for measure in comparison.exploratory],
        "changed": [ids[place] for place in comparison.changed],
        "changes": [_change(change, comparison, ids) for change in comparison.changes],
        "left_out": comparison.left_out,
        "notes": list(comparison.notes),
    }


def number(value: float) -> float | None:
    """Return a figure, or None where it is undefined."""
    return None if math.isnan(value) else value


def _measure(measure: MeasureComparison, ids: list[str], *, corrected: bool) -> dict[str, Any]:
    return {
        "measure": str(measure.measure),
        "n": measure.n,
        "means": {
            run_id: {"value": number(found.value), "low": number(found.low), "high": number(found.high)}
            for run_id, found in zip(ids, measure.summaries, strict=True)
        },
        "pairs": [
            {
                "first": ids[pair.first],
                "second": ids[pair.second],
                "difference": number(pair.difference),
                "low": number(pair.low),
                "high": number(pair.high),
                "p": number(pair.test.p),
                "p_corrected": number(pair.p) if corrected else None,
                "draws": pair.test.draws,
                "exact": pair.test.exact,
                "resolved": pair.resolved,
                "wins": pair.wins,
                "ties": pair.ties,
                "losses": pair.losses,
                "effect_size": number(pair.effect),
                "detectable_difference": number(pair.detectable),
            }
            for pair in measure.pairs
        ],
    }


def _change(change: Change, comparison: Comparison, ids: list[str]) -> dict[str, Any]:
    measure = comparison.primary.measure
    sides = zip(comparison.changed, (change.first, change.second), strict=True)
    return {
        "id": change.first.id,
        "question": change.first.text,
        "kind": change.first.kind,
        "difference": change.difference,
        "relevant": dict(change.first.relevant),
        "runs": {
            ids[place]: {"value": number(question.values[measure]), "ranking": _ranking(question)}
            for place, question in sides
        },
    }


def _ranking(question: StoredQuestion) -> list[dict[str, Any]]:
    return [
        {"rank": rank, "id": item.id, "score": item.score, "relevant": item.id in question.relevant}
        for rank, item in enumerate(question.ranking, 1)
    ]
