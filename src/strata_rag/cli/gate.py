"""``strata gate``."""

from __future__ import annotations

import secrets
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

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
    write_text,
)
from strata_rag.cli.paying import MaxCalls, MaxCost, announce_cost
from strata_rag.cli.progress import show_progress
from strata_rag.errors import AnswerIsNo, NotMeasurable, StrataError

if TYPE_CHECKING:
    from strata_rag.evaluation import GateResult


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
    max_cost: MaxCost = None,
    max_calls: MaxCalls = None,
    overrides: Overrides = None,
    as_json: AsJson = False,
) -> None:
    """Evaluate, and fail if a gate rule is broken.

    The rules stand in the config's gate section. Questions are answered and judged where a rule is about that.
    Exit 0: pass, 1: regression, 4: not measurable.
    """
    from strata_rag import experiment as use_cases
    from strata_rag import report

    experiment = load_experiment(config, overrides)
    with show_progress() as progress:
        result = use_cases.run_gate(
            experiment,
            baseline=baseline,
            created=datetime.now(UTC),
            token=secrets.token_hex(3),
            progress=progress,
            max_cost=max_cost,
            max_calls=max_calls,
            announce=announce_cost,
        )
    print_warnings(result.run.record.warnings, more="")
    if junit is not None:
        write_text(junit, report.gate_junit(result))
    if markdown is not None:
        write_text(markdown, report.gate_markdown(result))
    refusal = _refusal(result)
    if as_json:
        document = report.gate_document(result)
        print_json(document | error_document(refusal) if refusal else document)
    else:
        report.print_gate(result)
    if refusal is not None:
        raise Told(refusal)


def _refusal(result: GateResult) -> StrataError | None:
    worst = next((rule for rule in result.results if rule.status == result.status), None)
    if worst is None or result.status == "pass":
        return None
    problem = f"{worst.rule}: {worst.reason}"
    if result.status == "regression":
        return AnswerIsNo(problem, hint="`strata compare` shows the questions that changed")
    return NotMeasurable(problem, hint="add questions, lower gate.min_n, or make a new baseline")
