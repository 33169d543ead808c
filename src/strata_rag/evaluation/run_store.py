"""The runs of a workspace: list them, find one."""

from __future__ import annotations

import logging
import re
from pathlib import Path

from strata_rag.errors import InputError
from strata_rag.evaluation.run_files import StoredRun, read_run

_log = logging.getLogger(__name__)
_LATEST = re.compile(r"latest(?:~([0-9]+))?")
_NAMED = 5  # candidates that a message names


def list_runs(runs_dir: Path) -> tuple[list[StoredRun], list[tuple[Path, str]]]:
    """Read every run's record, newest first, and what is wrong with folders that hold none.

    Hidden folders (a run half written) are passed over; a missing `runs_dir` holds no runs.
    """
    runs: list[StoredRun] = []
    broken: list[tuple[Path, str]] = []
    for path in _folders(runs_dir):
        try:
            runs.append(read_run(path))
        except InputError as error:
            broken.append((path, error.message))
    runs.sort(key=lambda run: (run.record.created, run.record.run_id), reverse=True)
    return runs, broken


def find_run(runs_dir: Path, ref: str) -> StoredRun:
    """Find a run by its id, a unique prefix of it, its folder's path, ``latest``, or ``latest~2`` for two before it.

    Raises:
        InputError: None or several match, or the one that matches is damaged.
    """
    if not ref.strip():
        raise InputError("run: an id was expected, found nothing", hint=_hint(runs_dir))
    if counted := _LATEST.fullmatch(ref):
        return _latest(runs_dir, int(counted[1] or 0))
    folders = _folders(runs_dir)
    exact = [path for path in folders if path.name == ref]
    matches = exact or [path for path in folders if path.name.startswith(ref)]
    if len(matches) == 1:
        return read_run(matches[0])
    if matches:
        problem = f"run: one run was expected, found {len(matches)} that begin with {ref!r}"
        raise InputError(f"{problem}: {_names(matches)}", hint="give more of the id")
    if Path(ref).is_dir():
        return read_run(Path(ref))
    raise InputError(
        f"run: an id, a unique prefix, a path or latest was expected, found {ref!r}", hint=_hint(runs_dir)
    )


def _latest(runs_dir: Path, back: int) -> StoredRun:
    """Return the newest run, or the one `back` places before it."""
    runs, broken = list_runs(runs_dir)
    if back < len(runs):
        for _, message in broken:
            _log.warning("a damaged run is passed over: %s", message)
        return runs[back]
    expected = "a run was" if back == 0 else f"at least {back + 1} runs were"
    named = f" ({len(broken)} damaged)" if broken else ""
    raise InputError(
        f"{runs_dir}: {expected} expected, found {len(runs) or 'none'}{named}", hint="run `strata eval` first"
    )


def _folders(runs_dir: Path) -> list[Path]:
    if not runs_dir.is_dir():
        return []
    return sorted(path for path in runs_dir.iterdir() if path.is_dir() and not path.name.startswith("."))


def _hint(runs_dir: Path) -> str:
    folders = _folders(runs_dir)
    if not folders:
        return f"{runs_dir} holds no runs; run `strata eval` first"
    return f"runs there are: {_names(folders[::-1])}"


def _names(paths: list[Path]) -> str:
    more = f" and {len(paths) - _NAMED} more" if len(paths) > _NAMED else ""
    return ", ".join(path.name for path in paths[:_NAMED]) + more
