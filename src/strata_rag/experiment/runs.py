"""The runs of a workspace: which there are, and which may go."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from strata_rag.errors import WriteFailed
from strata_rag.evaluation import StoredRun, list_runs

_PARTIAL_AGE = timedelta(hours=1)  # a younger one may still be under way


@dataclass(frozen=True, slots=True)
class Pruning:
    """What a pruning removes and keeps.

    Attributes:
        removed: Runs, newest first.
        damaged: Folders without a whole run.
        partial: What killed writes left behind.
        kept: How many runs stay.
        done: Whether it was carried out; else it is a plan.
    """

    removed: tuple[StoredRun, ...]
    damaged: tuple[Path, ...]
    partial: tuple[Path, ...]
    kept: int
    done: bool


def prune_runs(
    runs_dir: Path,
    *,
    keep: int,
    older_than_days: int | None = None,
    damaged: bool = False,
    now: datetime,
    carry_out: bool,
) -> Pruning:
    """Remove all but the newest runs of each experiment, label and golden set.

    Args:
        runs_dir: Where the workspace keeps its runs.
        keep: Newest runs that stay, for each experiment, label and golden set; at least 1.
        older_than_days: Only runs of at least this age, or None for any.
        damaged: Whether folders without a whole run go as well.
        now: With its time zone.
        carry_out: Whether to remove anything; else the plan is returned.

    Raises:
        WriteFailed: The disk refused.
    """
    runs, broken = list_runs(runs_dir)
    seen: Counter[tuple[str, str, str]] = Counter()
    removed: list[StoredRun] = []
    for run in runs:
        record = run.record
        group = (record.name, record.label, record.golden.digest)
        seen[group] += 1
        young = older_than_days is not None and now - record.created < timedelta(days=older_than_days)
        if seen[group] > keep and not young:
            removed.append(run)
    plan = Pruning(
        removed=tuple(removed),
        damaged=tuple(path for path, _ in broken) if damaged else (),
        partial=tuple(_stale_partials(runs_dir, now)),
        kept=len(runs) - len(removed),
        done=carry_out,
    )
    if carry_out:
        _remove([*(run.path for run in plan.removed), *plan.damaged, *plan.partial])
    return plan


def _stale_partials(runs_dir: Path, now: datetime) -> list[Path]:
    if not runs_dir.is_dir():
        return []
    oldest = (now - _PARTIAL_AGE).timestamp()
    return sorted(path for path in runs_dir.glob(".*.partial") if path.stat().st_mtime < oldest)


def _remove(paths: Sequence[Path]) -> None:
    for path in paths:
        try:
            shutil.rmtree(path)
        except OSError as error:
            raise WriteFailed(
                f"{path}: expected to remove the run, found: {error.strerror or error}",
                hint="check permissions, then run the same command again",
            ) from error
