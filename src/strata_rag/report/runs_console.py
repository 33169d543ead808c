"""Stored runs as text and as JSON values."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from strata_rag.evaluation import Measure, RunRecord, StoredRun, Summary
from strata_rag.report import figures
from strata_rag.report.tables import print_rows

_FAVOURITE = Measure("nDCG", 10)


def print_runs(runs: Sequence[StoredRun], broken: Sequence[tuple[Path, str]]) -> None:
    """Print a line per run, newest first."""
    if not runs:
        print("no runs")
    else:
        rows = [
            [
                run.record.run_id,
                run.record.label,
                _golden(run.record),
                *_headline(run.record),
                str(run.record.golden.questions),
            ]
            for run in runs
        ]
        print_rows(["run", "label", "golden set", "measure", "value", "questions"], rows, text_columns=4)
    for path, problem in broken:
        print(f"damaged: {path.name}: {problem}")


def print_run(run: StoredRun) -> None:
    """Print one run's record."""
    record = run.record
    print(f"run         {record.run_id}\nlabel       {record.name}: {record.label}")
    print(f"created     {record.created:%Y-%m-%d %H:%M:%S %Z}\ncollection  {record.collection}")
    print(
        f"golden set  {record.golden.path}, {record.golden.questions} questions, digest {record.golden.digest[:8]}"
    )
    print(
        f"level       {record.level}, ranked to {record.depth}; seed {record.seed}; strata {record.code_version}\n"
    )
    print_rows(["measure", "value", "95 % interval", "n"], _summaries(record.measures))
    for by, parts in record.slices.items():
        if len(parts) > 1:
            print(f"\nby {by}\n")
            first = next(iter(record.measures))
            rows = [[name, *_summary(found[first])] for name, found in parts.items() if first in found]
            print_rows([by, str(first), "95 % interval", "n"], rows)
    for stage, timing in record.timings_ms.items():
        print(f"{stage}: p50 {figures.value(timing.p50, 1)} ms, p95 {figures.value(timing.p95, 1)} ms")
    for warning in record.warnings:
        print(f"warning: {warning}")
    print(f"folder {run.path}")


def runs_document(runs: Sequence[StoredRun], broken: Sequence[tuple[Path, str]]) -> dict[str, Any]:
    """Return what ``strata runs list --json`` prints."""
    return {
        "runs": [
            {
                "run_id": run.record.run_id,
                "created": run.record.created.isoformat(),
                "name": run.record.name,
                "label": run.record.label,
                "collection": run.record.collection,
                "golden": {"path": run.record.golden.path, "digest": run.record.golden.digest},
                "queries": run.record.golden.questions,
                "measures": {
                    str(measure): None if math.isnan(found.value) else found.value
                    for measure, found in run.record.measures.items()
                },
                "path": str(run.path),
            }
            for run in runs
        ],
        "damaged": [{"path": str(path), "problem": problem} for path, problem in broken],
    }


def _headline(record: RunRecord) -> tuple[str, str]:
    measure = _FAVOURITE if _FAVOURITE in record.measures else next(iter(record.measures), None)
    if measure is None:
        return figures.NONE, figures.NONE
    return str(measure), figures.value(record.measures[measure].value)


def _golden(record: RunRecord) -> str:
    return f"{Path(record.golden.path).name} {record.golden.digest[:6]}"


def _summaries(measures: Mapping[Measure, Summary]) -> list[list[str]]:
    return [[str(measure), *_summary(found)] for measure, found in measures.items()]


def _summary(found: Summary) -> list[str]:
    return [figures.value(found.value), figures.interval(found.low, found.high), str(found.n)]
