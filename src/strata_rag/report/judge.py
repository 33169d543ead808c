"""Calibration and bias of a judge, as text for people and as JSON values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from strata_rag.evaluation import GRADES, Agreement, BiasCheck, Calibration, RaterPair
from strata_rag.report import figures
from strata_rag.report.compare_documents import number
from strata_rag.report.tables import print_rows

_HEADINGS = ("measure", "weighted kappa", "95 % interval", "same grade", "within one", "shift", "n")
_BIAS_HEADINGS = ("check", "measure", "difference", "95 % interval", "changed", "scored", "swayed")


def print_calibration(found: Calibration) -> None:
    """Print agreement with people, what changed between judges, and confusion tables."""
    print(f"{found.labelled} of {found.labels} rows are labelled")
    for pair in found.people:
        _print_pair(f"agreement of people and {pair.second}", pair)
    for pair in found.drift:
        _print_pair(f"drift from {pair.first} to {pair.second}", pair)


def calibration_document(found: Calibration) -> dict[str, Any]:
    """Return what ``strata judge calibrate --json`` prints."""
    return {
        "labels": found.labels,
        "labelled": found.labelled,
        "people": [_pair(pair) for pair in found.people],
        "drift": [_pair(pair) for pair in found.drift],
        "notes": list(found.notes),
    }


def print_bias(checks: Sequence[BiasCheck]) -> None:
    """Print what each change did to the judge's values."""
    rows = [
        [
            check.name,
            str(check.measure),
            figures.signed(check.difference),
            figures.signed_interval(check.low, check.high),
            figures.NONE if check.n == 0 else f"{check.changed:.0%}",
            f"{check.n} of {check.asked}",
            "yes" if check.is_biased else "not shown",
        ]
        for check in checks
    ]
    print_rows(_BIAS_HEADINGS, rows, text_columns=2)
    print(
        "\nposition: passages in reverse order. verbosity: sentences around the answer that add nothing.\n"
        "self-preference: how much higher the judge values its own model's answers than a reference measure does."
    )


def bias_document(checks: Sequence[BiasCheck]) -> dict[str, Any]:
    """Return what ``strata judge bias --json`` prints."""
    figures_ = ("difference", "low", "high", "changed")
    return {
        "checks": [
            {
                **asdict(check),
                **{name: number(getattr(check, name)) for name in figures_},
                "swayed": check.is_biased,
            }
            for check in checks
        ]
    }


def _print_pair(title: str, pair: RaterPair) -> None:
    print(f"\n{title}\n")
    rows = [[str(measure), *_figures(one)] for measure, one in pair.measures.items()]
    print_rows(_HEADINGS, [*rows, ["all", *_figures(pair.overall)]])
    print(f"\n{pair.first} (rows) against {pair.second} (columns), all measures\n")
    table = zip(GRADES, pair.overall.table, strict=True)
    print_rows(["grade", *map(str, GRADES)], [[str(grade), *map(str, row)] for grade, row in table])


def _figures(one: Agreement) -> list[str]:
    return [
        figures.value(one.kappa),
        figures.interval(one.low, one.high),
        figures.value(one.exact),
        figures.value(one.within_one),
        figures.signed(one.shift, 2),
        str(one.n),
    ]


def _pair(pair: RaterPair) -> dict[str, Any]:
    return {
        "first": pair.first,
        "second": pair.second,
        "overall": _agreement(pair.overall),
        "measures": {str(measure): _agreement(one) for measure, one in pair.measures.items()},
    }


def _agreement(one: Agreement) -> dict[str, Any]:
    return {
        "kappa": number(one.kappa),
        "low": number(one.low),
        "high": number(one.high),
        "n": one.n,
        "exact": number(one.exact),
        "within_one": number(one.within_one),
        "shift": number(one.shift),
        "confusion": [list(row) for row in one.table],
    }
