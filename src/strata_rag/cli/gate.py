"""``strata gate``."""

from __future__ import annotations

import secrets
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from strata_rag.cli.common import (
    AsJson,
    ConfigPath,
    Overrides,
    load_experiment,
    print_json,
    print_warnings,
    write_text,
)
from strata_rag.cli.progress import show_progress
from strata_rag.errors import AnswerIsNo, NotMeasurable

_EXIT_CODES = {"pass": 0, "regression": 1, "not measurable": 4}


def gate_command(
    config: ConfigPath,
    baseline: Annotated[
        str | None,
        typer.Option(
            "--baseline", metavar="RUN", help="What drops are measured against: id, prefix, path or latest."
        ),
    ] = None,
    junit: Annotated[
        Path | None, typer.Option("--junit", metavar="FILE", help="Write JUnit XML as well.")
    ] = None,
    markdown: Annotated[
        Path | None, typer.Option("--markdown", metavar="FILE", help="Write Markdown as well.")
    ] = None,
    overrides: Overrides = None,
    as_json: AsJson = False,
) -> None:
    """Evaluate, and fail if a rule of the config's gate section does: exit 0 pass, 1 regression, 4 not measurable."""
    from strata_rag import experiment as use_cases
    from strata_rag import report

    result = use_cases.run_gate(
        load_experiment(config, overrides),
        baseline=baseline,
        created=datetime.now(UTC),
        token=secrets.token_hex(3),
        progress=show_progress(),
    )
    print_warnings(result.run.record.warnings, more="")
    if junit is not None:
        write_text(junit, report.gate_junit(result))
    if markdown is not None:
        write_text(markdown, report.gate_markdown(result))
    if as_json:
        # The document is the whole answer: no second one for the error.
        print_json(report.gate_document(result))
        raise typer.Exit(_EXIT_CODES[result.status])
    report.print_gate(result)
    worst = next((rule for rule in result.results if rule.status == result.status), None)
    if result.status == "regression" and worst is not None:
        raise AnswerIsNo(
            f"{worst.rule}: {worst.reason}", hint="`strata compare` shows the questions that changed"
        )
    if result.status == "not measurable" and worst is not None:
        raise NotMeasurable(
            f"{worst.rule}: {worst.reason}", hint="add questions, lower gate.min_n, or make a new baseline"
        )
