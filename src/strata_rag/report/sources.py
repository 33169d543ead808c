"""Plugins, rosters and proposals for rules, as text and as JSON values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from strata_rag.corpus import FamilyCheck
from strata_rag.corpus.rule_proposals import Dropped, Proposal
from strata_rag.report.tables import print_rows
from strata_rag.report.visible import visible

_SHOWN = 20


@dataclass(frozen=True, slots=True)
class PluginRow:
    """One plugin and what it registered.

    Attributes:
        name: Its name.
        version: Its version, or an empty text.
        origin: Its file, folder or entry point.
        digest: SHA-256 over its files.
        folders: The source folders that it reads.
        families: Family and stem of its roster.
        in_use: Whether it concerns the corpus; None where no config was given.
    """

    name: str
    version: str
    origin: str
    digest: str
    folders: tuple[str, ...]
    families: tuple[tuple[str, str], ...]
    in_use: bool | None


@dataclass(frozen=True, slots=True)
class PluginList:
    """The plugins that an engine loads.

    Attributes:
        plugins_dir: Where they are looked for, or None.
        rows: In the order of loading.
    """

    plugins_dir: Path | None
    rows: tuple[PluginRow, ...]


def plugins_document(found: PluginList) -> dict[str, Any]:
    """Return what ``strata plugins --json`` prints."""
    return {
        "plugins_dir": str(found.plugins_dir) if found.plugins_dir else None,
        "plugins": [
            {
                "name": row.name,
                "version": row.version or None,
                "origin": row.origin,
                "hash": row.digest,
                "folders": list(row.folders),
                "families": dict(row.families),
                "in_use": row.in_use,
            }
            for row in found.rows
        ],
    }


def print_plugins(found: PluginList) -> None:
    """Print a row per plugin."""
    if not found.rows:
        where = f"in {found.plugins_dir} or " if found.plugins_dir else ""
        print(f"no plugin {where}among the installed packages")
        return
    rows = []
    for row in found.rows:
        brings = [f"adapter {folder}" for folder in row.folders]
        brings += [f"family {family} ({stem}.tsv)" for family, stem in row.families]
        unused = " (not in this corpus)" if row.in_use is False else ""
        rows.append(
            (
                row.name,
                row.version or "-",
                ", ".join(brings) + unused or "nothing",
                row.digest[:12],
                visible(row.origin),
            )
        )
    print_rows(("plugin", "version", "brings", "hash", "origin"), rows, text_columns=5)


def roster_document(checks: Sequence[FamilyCheck]) -> dict[str, Any]:
    """Return what ``strata roster check --json`` prints."""
    return {
        "in_order": all(check.in_order for check in checks),
        "families": {
            check.family.name: {
                "roster": str(check.roster.path),
                "match": check.matched,
                "mismatch": [
                    {
                        "doc_id": one.doc_id,
                        "line": one.line,
                        "field": one.field,
                        "document": one.document,
                        "roster": one.roster,
                    }
                    for one in check.mismatches
                ],
                "missing_row": [{"doc_id": doc_id, "key": key} for doc_id, key in check.missing_row.items()],
                "missing_document": [
                    {"key": key, "line": line} for key, line in check.missing_document.items()
                ],
                "problems": [{"line": one.line, "problem": one.text} for one in check.roster.problems],
            }
            for check in checks
        },
    }


def print_roster(checks: Sequence[FamilyCheck]) -> None:
    """Print each family's figures, and below them what does not fit."""
    for check in checks:
        print(
            f"family {check.family.name}, {check.roster.path}\n"
            f"  {check.matched} match, {len({one.doc_id for one in check.mismatches})} mismatch; "
            f"without a row: {len(check.missing_row)}, without a document: {len(check.missing_document)}, "
            f"in question: {len(check.roster.problems)}"
        )
        lines = list(_roster_lines(check))
        for line in lines[:_SHOWN]:
            print(f"  {visible(line)}")
        if len(lines) > _SHOWN:
            print(f"  ... and {len(lines) - _SHOWN} more; --json lists all")


def _roster_lines(check: FamilyCheck) -> Iterator[str]:
    name = check.roster.path.name
    for one in check.mismatches:
        yield f"mismatch: {one.doc_id}: {one.field}: {one.document!r}, {name}:{one.line} says {one.roster!r}"
    for doc_id, key in check.missing_row.items():
        yield f"no row: {doc_id} (key {key!r})"
    for key, line in check.missing_document.items():
        yield f"no document: {name}:{line}: key {key!r}"
    for problem in check.roster.problems:
        yield f"in question: {name}:{problem.line}: {problem.text}"


@dataclass(frozen=True, slots=True)
class RuleAdvice:
    """Rules that a model proposes.

    Attributes:
        diff: A unified diff to the rules file; empty where nothing stands.
        path: The rules file.
        in_config: Whether the config names it.
        proposals: What stands.
        dropped: What does not, with the reason.
        cost: What the reply cost in US dollars, or None where it is unknown.
    """

    diff: str
    path: Path
    in_config: bool
    proposals: tuple[Proposal, ...]
    dropped: tuple[Dropped, ...]
    cost: float | None


def advice_document(advice: RuleAdvice) -> dict[str, Any]:
    """Return what ``strata rules advise --json`` prints."""
    return {
        "diff": advice.diff,
        "rules": str(advice.path),
        "proposals": [
            {
                "action": one.rule.action,
                "name": one.rule.name,
                "why": one.rule.why,
                "files": one.files,
                "read": one.read,
            }
            for one in advice.proposals
        ],
        "dropped": [{"proposal": one.proposal, "reason": one.reason} for one in advice.dropped],
        "cost": advice.cost,
    }


def advice_notes(advice: RuleAdvice) -> list[str]:
    """Return what a person should know before applying the diff."""
    notes = [
        f"{one.rule.label}: {one.rule.action}, {one.files} files, {one.read} of them in the corpus now"
        for one in advice.proposals
    ]
    notes += [f"left out: {visible(one.reason)}: {visible(one.proposal)}" for one in advice.dropped]
    if not advice.proposals:
        notes.append("nothing to add")
    elif not advice.in_config:
        notes.append(f"the config names no rules yet: set corpus.rules to {advice.path.name}")
    return notes
