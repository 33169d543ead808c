"""``strata pii-compare``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from strata_rag.cli.common import AsJson, Overrides, load_experiment, print_json, workspace_of
from strata_rag.cli.progress import show_progress
from strata_rag.errors import WriteFailed


def pii_compare_command(
    target: Annotated[
        Path,
        typer.Argument(
            metavar="CONFIG|PATH",
            help="An experiment's YAML file, a folder of documents or one text file.",
            show_default=False,
        ),
    ],
    labels: Annotated[
        Path | None,
        typer.Option("--labels", metavar="FILE", help="JSON lines of text and spans to measure against."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FILE", help="Write a self-contained HTML report."),
    ] = None,
    overrides: Overrides = None,
    as_json: AsJson = False,
) -> None:
    """Compare the detectors of personal data over the same documents, under the same policy; never shows a value."""
    from strata_rag import experiment as use_cases
    from strata_rag import report

    is_config = target.suffix.lower() in (".yaml", ".yml")
    if overrides and not is_config:
        raise typer.BadParameter("--set: expected a config to override, found a folder or text file")
    experiment = load_experiment(target, overrides) if is_config else None
    with show_progress() as progress:
        if experiment is not None:
            result = use_cases.compare_experiment(experiment, labels=labels, progress=progress)
        else:
            result = use_cases.compare_path(target, workspace_of(), labels=labels, progress=progress)
    for line in result.missing.values():
        print(f"note: {line}", file=sys.stderr)
    if output is not None:
        _write(output, report.pii_page(result))
    print_json(report.pii_document(result)) if as_json else report.print_pii(result)


def _write(path: Path, text: str) -> None:
    partial = path.with_name(path.name + ".partial")
    try:
        partial.write_text(text, encoding="utf-8")
        partial.replace(path)
    except OSError as error:
        raise WriteFailed(
            f"{path}: expected to write the report, found: {error.strerror}", hint="name another file with -o"
        ) from error
