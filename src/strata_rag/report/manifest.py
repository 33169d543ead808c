"""A manifest as text: files, what was left out and why, coverage, totals."""

from __future__ import annotations

import shutil
import textwrap
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import groupby
from pathlib import Path

from strata_rag.corpus import Coverage, Manifest, ManifestRow, Share
from strata_rag.report.results import DryRun
from strata_rag.report.tables import new_table, print_rows, print_table
from strata_rag.report.visible import one_line, visible

_FILES_SHOWN = 40
_REASONS_SHOWN = 20
_FOLDERS_SHOWN = 20
_NAMED = 3


def print_dry_run(preview: DryRun) -> None:
    """Print the manifest of a dry run, with the estimated time of the ingest."""
    print_manifest(preview.manifest, preview.saved)
    print(
        f"collection {preview.collection}\n"
        f"embedding would take about {_duration(preview.seconds)}; nothing was indexed\n"
        f"manifest {preview.saved}"
    )


def print_manifest(manifest: Manifest, saved: Path) -> None:
    """Print files, what was left out by reason, coverage and totals; `saved` is where the rest stands."""
    included = [row for row in manifest.rows if row.status == "included"]
    if included:
        _print_files(included[:_FILES_SHOWN])
    if len(included) > _FILES_SHOWN:
        print(f"... and {len(included) - _FILES_SHOWN} more files, all in {saved}")
    _print_reasons(manifest.rows)
    print_coverage(manifest.coverage)
    print(f"\n{_totals(manifest)}")


def print_coverage(coverage: Coverage, *, documents: bool = True) -> None:
    """Print how many files were read by type and folder, and what stands out; `documents`: of documents too."""
    _print_shares("type", coverage.types)
    _print_shares("folder", coverage.folders)
    if lines := _coverage_lines(coverage, documents=documents):
        print("\n" + "\n".join(map(wrapped, lines)))


def _coverage_lines(coverage: Coverage, *, documents: bool) -> list[str]:
    """Return one line for each thing that stands out."""
    lines = []
    if coverage.without_adapter:
        lines.append(f"read by the default adapter: {named(coverage.without_adapter)}")
    if coverage.without_documents:
        lines.append(f"folders without documents: {named(coverage.without_documents)}")
    if documents and coverage.empty_documents:
        lines.append(f"documents without text: {named(coverage.empty_documents)}")
    for what, found in (("longer", coverage.long), ("shorter", coverage.short)):
        if documents and found:
            items = [f"{one.doc_id} ({one.characters:,} characters)" for one in found]
            lines.append(f"far {what} than the others: {named(items)}")
    if coverage.empty_pages:
        items = [f"{one.path} {page_ranges(one.empty)}" for one in coverage.empty_pages]
        count = sum(len(one.empty) for one in coverage.empty_pages)
        lines.append(f"pages without text, {count} of {coverage.pages}: {named(items)}")
    return lines


def named(items: Sequence[str]) -> str:
    """Return the first items, and how many more there are."""
    more = f" and {len(items) - _NAMED} more" if len(items) > _NAMED else ""
    return one_line(", ".join(items[:_NAMED])) + more


def page_ranges(pages: Iterable[int]) -> str:
    """Return page numbers as ``p. 1-3, 7``."""
    runs = []
    for _, group in groupby(enumerate(sorted(pages)), key=lambda pair: pair[1] - pair[0]):
        run = [page for _, page in group]
        runs.append(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}")
    return f"p. {', '.join(runs)}"


def known(count: int | None) -> str:
    """Return a count with its thousands apart, or what stands for one that could not be told."""
    return "unknown" if count is None else f"{count:,}"


def _print_files(rows: Sequence[ManifestRow]) -> None:
    """Print a row for each file; columns that would say nothing are left out."""
    columns = {
        "file": [one_line(row.path) + (f"\n  {visible(row.reason)}" if row.reason else "") for row in rows],
        "read as": [visible(_read_as(row)) for row in rows],
        "docs": ["" if row.documents == 1 else str(row.documents) for row in rows],
        "chunks": [known(row.chunks) for row in rows],
        "chars": [f"{row.characters:,}" for row in rows],
        "tokens": ["" if row.tokens is None else f"{row.tokens:,}" for row in rows],
        "longest": ["" if row.max_tokens is None else f"{row.max_tokens:,}" for row in rows],
        "taken out": [str(row.redactions + row.secrets or "") for row in rows],
    }
    shown = {heading: cells for heading, cells in columns.items() if any(cells)}
    text_columns = 2 if "read as" in shown else 1
    print_rows(list(shown), list(zip(*shown.values(), strict=True)), text_columns=text_columns)


def _read_as(row: ManifestRow) -> str:
    """Return format, encoding unless it is the usual one, and pages."""
    encoding = "" if row.encoding == "utf-8" else row.encoding
    pages = "" if row.pages is None else f"{row.pages} p."
    return " ".join(part for part in (row.format, encoding, pages) if part)


def _print_reasons(rows: Iterable[ManifestRow]) -> None:
    """Print what was left out, the reasons that most files have first, failures above rules."""
    reasons: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for row in rows:
        if row.status != "included":
            reasons[row.status, row.reason].append(row.path)
    if not reasons:
        return
    ordered = sorted(reasons.items(), key=lambda one: (one[0][0] != "failed", -len(one[1]), one[0]))
    table = new_table()
    table.add_column("files", justify="right")
    for heading in ("left out", "which"):
        table.add_column(heading, overflow="fold")
    for (status, reason), paths in ordered[:_REASONS_SHOWN]:
        table.add_row(str(len(paths)), visible(f"{status}: {reason}"), named(paths))
    print()
    print_table(table)
    if len(ordered) > _REASONS_SHOWN:
        print(f"... and {len(ordered) - _REASONS_SHOWN} more reasons")


def _print_shares(kind: str, shares: Sequence[Share]) -> None:
    if not shares:
        return
    rows = [
        (visible(one.name) or "(none)" if kind == "type" else visible(one.name) or "(root)", *_counts(one))
        for one in shares[:_FOLDERS_SHOWN]
    ]
    print()
    print_rows((kind, "files", "read", "excluded", "failed", "documents"), rows)
    if len(shares) > _FOLDERS_SHOWN:
        print(f"... and {len(shares) - _FOLDERS_SHOWN} more")


def _counts(one: Share) -> tuple[str, ...]:
    read = f"{one.included} ({one.read:.0%})"
    return (str(one.files), read, str(one.excluded or ""), str(one.failed or ""), str(one.documents))


def _totals(manifest: Manifest) -> str:
    totals = manifest.totals()
    tokens = "" if totals["tokens"] is None else f", {totals['tokens']:,} tokens"
    longest = "" if totals["max_tokens"] is None else f", longest chunk {totals['max_tokens']} tokens"
    return (
        f"{totals['files']} files: {totals['included']} included, {totals['excluded']} excluded, "
        f"{totals['failed']} failed\n"
        f"{totals['documents']} documents, {known(totals['chunks'])} chunks, "
        f"{known(totals['characters'])} characters{tokens}{longest}\n"
        f"{totals['redactions']} redactions and {totals['secrets']} secrets taken out"
    )


def wrapped(line: str) -> str:
    """Return a line broken to the terminal's width, what follows the first one indented."""
    width = max(min(shutil.get_terminal_size((100, 24)).columns, 120), 40)
    return textwrap.fill(line, width, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)


def _duration(seconds: float | None) -> str:
    if seconds is None:
        return "an unknown time"
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"
