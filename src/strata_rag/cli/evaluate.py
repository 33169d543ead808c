"""``strata eval``."""

from __future__ import annotations

import secrets
from datetime import UTC, datetime
from typing import Annotated

import typer

from strata_rag.cli.common import (
    AsJson,
    ConfigPath,
    DenseOnly,
    Mode,
    NoRerank,
    Overrides,
    check_mode,
    load_experiment,
    print_json,
    print_warnings,
)
from strata_rag.cli.progress import show_progress


def evaluate_command(
    config: ConfigPath,
    mode: Mode = None,
    dense_only: DenseOnly = False,
    no_rerank: NoRerank = False,
    kind: Annotated[str | None, typer.Option("--kind", help="Only questions of this kind.")] = None,
    limit: Annotated[int | None, typer.Option("--limit", min=1, help="Only the first N questions.")] = None,
    overrides: Overrides = None,
    as_json: AsJson = False,
) -> None:
    """Measure the rankings on the golden set.

    Prints the run's row above the latest ones, and keeps its record.
    """
    from strata_rag import experiment as use_cases
    from strata_rag import report

    experiment = load_experiment(config, overrides)
    settings = use_cases.SearchSettings.of(
        experiment.config, mode=check_mode(mode), dense_only=dense_only, no_rerank=no_rerank
    )
    with show_progress() as progress:
        result = use_cases.evaluate_experiment(
            experiment,
            settings,
            kind=kind,
            limit=limit,
            created=datetime.now(UTC),
            token=secrets.token_hex(3),
            progress=progress,
        )
    print_warnings(
        [*result.run.record.warnings, *result.damaged], more=f"look into {experiment.workspace.runs}"
    )
    print_json(report.evaluation_document(result)) if as_json else report.print_evaluation(result)
