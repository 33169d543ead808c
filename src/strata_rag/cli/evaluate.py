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
    Told,
    check_mode,
    error_document,
    load_experiment,
    print_json,
    print_warnings,
)
from strata_rag.cli.paying import MaxCalls, MaxCost, announce_cost
from strata_rag.cli.progress import show_progress


def evaluate_command(
    config: ConfigPath,
    mode: Mode = None,
    dense_only: DenseOnly = False,
    no_rerank: NoRerank = False,
    kind: Annotated[str | None, typer.Option("--kind", help="Only questions of this kind.")] = None,
    limit: Annotated[int | None, typer.Option("--limit", min=1, help="Only the first N questions.")] = None,
    answers: Annotated[
        bool, typer.Option("--answers", help="Answer the questions as well, and value the answers.")
    ] = False,
    judge: Annotated[
        bool, typer.Option("--judge", help="Answer them, and have a language model judge the answers.")
    ] = False,
    repeat: Annotated[
        int | None,
        typer.Option(
            "--repeat", min=1, metavar="N", help="Judge each answer N times, to see the judge's own noise."
        ),
    ] = None,
    stop_if: Annotated[
        list[str] | None,
        typer.Option(
            "--stop-if",
            metavar="CONDITION",
            help="Skip what is still to be paid for where this is so, such as 'Hit@5 < 0.5'; may be repeated.",
        ),
    ] = None,
    max_cost: MaxCost = None,
    max_calls: MaxCalls = None,
    overrides: Overrides = None,
    as_json: AsJson = False,
) -> None:
    """Measure the rankings on the golden set, and the answers if asked to.

    Prints the run's row above the latest ones, and keeps its record. What answers and judge may cost is said
    before they are asked.
    """
    from strata_rag import experiment as use_cases
    from strata_rag import report
    from strata_rag.evaluation import StopRule
    from strata_rag.llm import Budget

    if (repeat or 1) > 1 and not judge:
        raise typer.BadParameter("--repeat: expected --judge beside it, found none")
    wanted = answers or judge
    if not wanted and stop_if:
        raise typer.BadParameter("--stop-if: expected --answers or --judge beside it")
    rules = tuple(StopRule.parse(text) for text in stop_if or ())
    experiment = load_experiment(config, overrides)
    experiment.budget = Budget(max_cost=max_cost, max_calls=max_calls)
    settings = use_cases.SearchSettings.of(
        experiment.config, mode=check_mode(mode), dense_only=dense_only, no_rerank=no_rerank
    )
    asks = wanted or (settings.rerank and experiment.config.retrieval.rerank.scorer == "llm")
    if not asks and (max_cost is not None or max_calls is not None):
        raise typer.BadParameter(
            "--max-cost and --max-calls: expected --answers, --judge or retrieval.rerank.scorer llm beside them"
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
            answers=use_cases.AnswerOptions(judge, repeat, rules, max_cost, max_calls) if wanted else None,
            announce=announce_cost,
        )
    print_warnings(
        [*result.run.record.warnings, *result.damaged], more=f"look into {experiment.workspace.runs}"
    )
    if as_json:
        document = report.evaluation_document(result)
        print_json(document | error_document(result.failure) if result.failure else document)
    else:
        report.print_evaluation(result)
    if result.failure is not None:
        raise Told(result.failure)
