"""What changed between two manifests, as text and as JSON values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from strata_rag.corpus import Change, FileChange, Manifest, ManifestDiff, ManifestRow, Share, ShareChange
from strata_rag.report.manifest import known, wrapped
from strata_rag.report.tables import print_rows
from strata_rag.report.visible import visible

_SHOWN = 40


@dataclass(frozen=True, slots=True)
class ManifestComparison:
    """Two manifests and what differs.

    Attributes:
        before: The first one.
        before_path: Its file.
        after: The second one.
        after_path: Its file.
        diff: What differs.
    """

    before: Manifest
    before_path: Path
    after: Manifest
    after_path: Path
    diff: ManifestDiff


def manifest_diff_document(found: ManifestComparison) -> dict[str, Any]:
    """Return what ``strata manifest diff --json`` prints."""
    diff = found.diff
    return {
        "before": {"path": str(found.before_path), "totals": found.before.totals()},
        "after": {"path": str(found.after_path), "totals": found.after.totals()},
        "equal": diff.is_empty,
        "added": [row.as_json() for row in diff.added],
        "removed": [row.as_json() for row in diff.removed],
        "moved": [{"before": one.before.path, "after": one.after.path} for one in diff.moved],
        "changed": [_file(one) for one in diff.changed],
        "totals": _values(diff.totals),
        "coverage": {
            "shares": [_share(one) for one in diff.shares],
            "findings": [
                {"name": one.name, "gained": list(one.gained), "lost": list(one.lost)}
                for one in diff.findings
            ],
        },
    }


def _file(one: FileChange) -> dict[str, Any]:
    return {
        "path": one.after.path,
        "status": _pair(one.before.status, one.after.status),
        "reason": _pair(one.before.reason, one.after.reason),
        "decided_otherwise": one.decided_otherwise,
        "text_differs": one.text_differs,
        "counts": _values(one.counts),
        "read_as": _values(one.read_as),
        "warnings": {"gained": list(one.warnings_gained), "lost": list(one.warnings_lost)},
    }


def _values(changes: Sequence[Change]) -> dict[str, dict[str, int | str | None]]:
    return {one.name: _pair(one.before, one.after) for one in changes}


def _pair(before: int | str | None, after: int | str | None) -> dict[str, int | str | None]:
    return {"before": before, "after": after}


def _share(one: ShareChange) -> dict[str, Any]:
    return {
        "kind": one.kind,
        "name": one.name,
        "before": one.before.as_json() if one.before else None,
        "after": one.after.as_json() if one.after else None,
    }


def print_manifest_diff(found: ManifestComparison) -> None:
    """Print what differs, the most telling first: totals, files that are decided otherwise, then counts."""
    diff = found.diff
    print(f"before  {found.before_path}\nafter   {found.after_path}")
    if diff.is_empty:
        print("\nno difference")
        return
    _print_totals(diff)
    _print_files("added", [(row.path, _status(row)) for row in diff.added])
    _print_files("removed", [(row.path, _status(row)) for row in diff.removed])
    _print_files("moved", [(one.before.path, f"-> {one.after.path}") for one in diff.moved])
    decided = [one for one in diff.changed if one.decided_otherwise]
    _print_files(
        "decided otherwise",
        [(one.after.path, f"{_status(one.before)} -> {_status(one.after)}") for one in decided],
    )
    rest = [(one.after.path, said) for one in diff.changed if (said := _said(one))]
    _print_files("changed", rest)
    _print_coverage(diff)


def _print_totals(diff: ManifestDiff) -> None:
    if diff.totals:
        print()
        rows = [(one.name, _number(one.before), _number(one.after), _growth(one)) for one in diff.totals]
        print_rows(("totals", "before", "after", "change"), rows)


def _print_files(what: str, files: Sequence[tuple[str, str]]) -> None:
    if not files:
        return
    print(f"\n{len(files)} {what}")
    for path, said in files[:_SHOWN]:
        print(wrapped(visible(f"  {path}: {said}" if said else f"  {path}")))
    if len(files) > _SHOWN:
        print(f"  ... and {len(files) - _SHOWN} more; --json names all")


def _status(row: ManifestRow) -> str:
    if row.status != "included":
        return f"{row.status}: {row.reason}"
    rule = f" ({row.reason})" if row.reason else ""
    return f"included{rule}, {known(row.chunks)} chunks"


def _said(one: FileChange) -> str:
    """Return what differs beside the verdict, in a few words."""
    parts = [f"{c.name} {_number(c.before)} -> {_number(c.after)}" for c in one.counts]
    parts += [f"{c.name} {c.before or 'none'} -> {c.after or 'none'}" for c in one.read_as]
    if one.text_differs and not parts:
        parts.append("text differs, counts are the same")
    parts += [f"new warning: {warning}" for warning in one.warnings_gained]
    parts += [f"no longer: {warning}" for warning in one.warnings_lost]
    return ", ".join(parts)


def _print_coverage(diff: ManifestDiff) -> None:
    if diff.shares:
        print("\nfiles read")
        for one in diff.shares[:_SHOWN]:
            name = visible(one.name) or ("(root)" if one.kind == "folder" else "(no suffix)")
            print(f"  {one.kind} {name}: {_read(one.before)} -> {_read(one.after)}")
        if len(diff.shares) > _SHOWN:
            print(f"  ... and {len(diff.shares) - _SHOWN} more; --json names all")
    for found in diff.findings:
        _print_files(f"more {found.name}" if found.gained else "", [(item, "") for item in found.gained])
        _print_files(f"no longer {found.name}" if found.lost else "", [(item, "") for item in found.lost])


def _read(share: Share | None) -> str:
    return f"{share.included} of {share.files}" if share else "none"


def _number(value: int | str | None) -> str:
    return value if isinstance(value, str) else known(value)


def _growth(one: Change) -> str:
    if isinstance(one.before, int) and isinstance(one.after, int):
        return f"{one.after - one.before:+,}"
    return ""
