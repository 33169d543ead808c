"""Compare: runs of a workspace against each other."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from strata_rag.errors import InputError
from strata_rag.evaluation import (
    Change,
    Comparison,
    Correction,
    Measure,
    RunTable,
    StoredRun,
    align,
    changed_most,
    compare_measure,
    explore_measures,
    find_run,
    run_names,
    shared_measures,
)
from strata_rag.experiment.judge_noise import noise_notes

_FAVOURITE = Measure("nDCG", 10)


def compare(
    runs_dir: Path,
    refs: Sequence[str],
    *,
    measure: str | None = None,
    correction: Correction = "holm",
    alpha: float = 0.05,
    seed: int = 0,
    common: bool = False,
    changes: int = 5,
) -> Comparison:
    """Compare runs under one primary measure.

    Args:
        runs_dir: Where the workspace keeps its runs.
        refs: At least two run ids, unique prefixes, paths or ``latest``.
        measure: The primary measure; None means nDCG@10, or the first measure that all runs have.
        correction: ``holm`` or ``max``.
        alpha: Family-wise level of the decisions.
        seed: Of all draws.
        common: Whether runs over different golden sets are cut to what they share.
        changes: How many of the questions that changed most are kept.

    Raises:
        InputError: A run can't be found, stands twice, or the runs can't be compared.
        NotMeasurable: Fewer than two questions have a value.
    """
    return compare_runs(
        [find_run(runs_dir, ref) for ref in refs],
        measure=measure,
        correction=correction,
        alpha=alpha,
        seed=seed,
        common=common,
        changes=changes,
    )


def compare_runs(
    runs: Sequence[StoredRun],
    *,
    measure: str | None = None,
    correction: Correction = "holm",
    alpha: float = 0.05,
    seed: int = 0,
    common: bool = False,
    changes: int = 5,
) -> Comparison:
    """Compare runs that were found; see `compare`."""
    _require_different(runs)
    tables, left_out = align([RunTable.read(run) for run in runs], common=common)
    measures = shared_measures(tables)
    declared = primary_measure(measures, measure)
    primary = compare_measure(tables, declared, correction=correction, alpha=alpha, seed=seed)
    others = [other for other in measures if other != declared]
    exploratory = explore_measures(tables, others, best=primary.best, alpha=alpha, seed=seed)
    changed = _changed(primary.best, [summary.value for summary in primary.summaries])
    columns = [table.column(declared) for table in tables]
    rows = changed_most(columns, changed, changes)
    sides = [tables[place].with_rankings(rows) for place in changed]
    return Comparison(
        runs=tuple(runs),
        names=run_names(runs),
        primary=primary,
        exploratory=exploratory,
        correction=correction,
        alpha=alpha,
        seed=seed,
        changed=changed,
        changes=tuple(
            Change(row, one, other, float(columns[changed[1]][row] - columns[changed[0]][row]))
            for row, one, other in zip(rows, *sides, strict=True)
        ),
        left_out=left_out,
        notes=(*_notes(runs, left_out), *noise_notes(runs, [primary, *exploratory])),
    )


def _require_different(runs: Sequence[StoredRun]) -> None:
    if len(runs) < 2:
        raise InputError(
            f"RUN: expected two runs or more, found {len(runs)}",
            hint="`strata runs list` shows the runs there are",
        )
    seen: set[str] = set()
    for run in runs:
        if run.record.run_id in seen:
            raise InputError(
                f"RUN: expected different runs, found {run.record.run_id} twice",
                hint="name each run once; `latest` is the newest of them",
            )
        seen.add(run.record.run_id)


def primary_measure(measures: Sequence[Measure], wanted: str | None) -> Measure:
    """Return the declared measure, or the one that stands in where none is.

    Raises:
        InputError: It is not among those that every run has.
    """
    if not measures:
        raise InputError(
            "--measure: expected a measure that every run has, found none",
            hint="evaluate the experiments with the same evaluation.measures",
        )
    if wanted is None:
        return _FAVOURITE if _FAVOURITE in measures else measures[0]
    parsed = Measure.parse(wanted)
    if parsed not in measures:
        raise InputError(
            f"--measure: expected one that every run has ({', '.join(map(str, measures))}), found {parsed}",
            hint="add it to evaluation.measures and evaluate again",
        )
    return parsed


def _changed(best: int, means: Sequence[float]) -> tuple[int, int]:
    """Of two runs both; of more the runner-up and the best."""
    if len(means) == 2:
        return 0, 1
    others = [place for place in range(len(means)) if place != best]
    return max(others, key=lambda place: (means[place], -place)), best


def _notes(runs: Sequence[StoredRun], left_out: int) -> list[str]:
    notes = []
    if left_out:
        notes.append(f"{left_out} questions are not in every run with the same judgements, and are left out")
    if len({run.record.corpus_digest for run in runs}) > 1:
        notes.append("the runs searched different documents: a difference may come from the corpus")
    if len({run.record.code_version for run in runs}) > 1:
        notes.append("the runs were made by different versions of strata")
    return notes
