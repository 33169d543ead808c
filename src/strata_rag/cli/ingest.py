"""``strata ingest``."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from strata_rag.cli.common import (
    AsJson,
    ConfigPath,
    Overrides,
    Told,
    error_document,
    load_experiment,
    print_json,
    print_warnings,
)
from strata_rag.cli.progress import show_progress
from strata_rag.errors import AnswerIsNo


def ingest_command(
    config: ConfigPath,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show and save the manifest; index nothing.")
    ] = False,
    recreate: Annotated[
        bool, typer.Option("--recreate", help="Build the collection anew beside the old one, and swap.")
    ] = False,
    limit: Annotated[int | None, typer.Option("--limit", min=1, help="Only the first N documents.")] = None,
    strict: Annotated[
        bool,
        typer.Option(
            "--strict", help="Exit with 1 if a file failed or a text was longer than the model reads."
        ),
    ] = False,
    overrides: Overrides = None,
    as_json: AsJson = False,
) -> None:
    """Read, cut, embed and index the documents.

    What is unchanged is kept; an ingest that was cut short is continued.
    """
    from strata_rag import experiment as use_cases
    from strata_rag import report

    limited = [*(overrides or []), *([f"corpus.limit={limit}"] if limit else [])]
    experiment = load_experiment(config, limited)
    if dry_run:
        with show_progress() as progress:
            preview = use_cases.dry_run(experiment, progress=progress)
        print_warnings(preview.warnings, more=f"all are in {preview.saved}")
        strictly = _refusal(preview.manifest.count("failed"), preview.truncated) if strict else None
        refusal = preview.refusal or strictly
        document = report.dry_run_document(preview)
        _print_json(document, refusal) if as_json else report.print_dry_run(preview)
    else:
        with show_progress() as progress:
            result = use_cases.ingest(experiment, recreate=recreate, progress=progress)
        print_warnings(result.warnings, more=f"all are in {result.manifest}")
        refusal = _refusal(result.failed, result.truncated) if strict else None
        document = report.ingest_document(result)
        _print_json(document, refusal) if as_json else report.print_ingest(result)
    if refusal is not None:
        raise Told(refusal)


def _print_json(document: dict[str, Any], refusal: AnswerIsNo | None) -> None:
    """Print the result, with the refusal's fields in the same document."""
    print_json(document | error_document(refusal) if refusal else document)


def _refusal(failed: int, truncated: int | None) -> AnswerIsNo | None:
    """Return what ``--strict`` has against a corpus, if anything."""
    if not failed and not truncated:
        return None
    return AnswerIsNo(
        f"--strict: expected every file read and every text embedded whole, found {failed} failed files "
        f"and {truncated or 0} texts longer than the model reads",
        hint="the warnings above name them; lower chunking.size, or leave --strict out",
    )
