"""What init, check and doctor found, and how it is shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

_MARKS = {"ok": "ok     ", "note": "note   ", "problem": "PROBLEM"}


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at.

    Attributes:
        area: What it belongs to, such as ``corpus``.
        status: ``ok``, ``note`` (worth knowing, nothing stops) or ``problem``.
        message: What was found.
        hint: What to do about it, or an empty string.
        exit_code: What a command that meets it would exit with.
    """

    area: str
    status: Literal["ok", "note", "problem"]
    message: str
    hint: str = ""
    exit_code: int = 0


@dataclass(frozen=True, slots=True)
class InitResult:
    """What init wrote.

    Attributes:
        files: The files written.
        config: The config among them.
        notes: What a reader should know of the choices in it.
    """

    files: tuple[Path, ...]
    config: Path
    notes: tuple[str, ...]


def exit_code(findings: Sequence[Finding]) -> int:
    """Return the highest exit code among the findings."""
    return max((finding.exit_code for finding in findings), default=0)


def print_findings(findings: Sequence[Finding]) -> None:
    """Print one line for each finding, and one for each hint."""
    width = max((len(finding.area) for finding in findings), default=0)
    for finding in findings:
        print(f"{_MARKS[finding.status]}  {finding.area:<{width}}  {finding.message}")
        if finding.hint:
            print(f"{'':9}{'':{width}}  -> {finding.hint}")


def findings_document(findings: Sequence[Finding]) -> dict[str, Any]:
    """Return the findings as a JSON document."""
    return {"findings": [asdict(finding) for finding in findings], "exit_code": exit_code(findings)}


def print_init(result: InitResult) -> None:
    """Print what was written and the commands that lead to a first comparison."""
    for path in result.files:
        print(f"wrote {path}")
    config = result.config
    print(
        f"\nnext:\n  strata check {config}\n  strata ingest {config}\n"
        f'  strata query {config} "your question"\n'
        f"  strata eval {config} --dense-only\n  strata eval {config} --no-rerank\n"
        f"  strata eval {config}"
    )


def init_document(result: InitResult) -> dict[str, Any]:
    """Return what init wrote as a JSON document."""
    return {"files": list(map(str, result.files)), "config": str(result.config), "notes": list(result.notes)}
