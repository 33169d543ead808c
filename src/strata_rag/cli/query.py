"""``strata query``."""

from __future__ import annotations

import sys
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
from strata_rag.cli.paying import MaxCalls, MaxCost

_FILTER_HELP = (
    "Only chunks whose field meets this: source=atlas, source=atlas,beta, source!=atlas, year>=2020, "
    "date=2024-01-01..2024-06-30; may be repeated, all must hold."
)


def query_command(
    config: ConfigPath,
    question: Annotated[
        str, typer.Argument(metavar="QUESTION", help="What to look for.", show_default=False)
    ],
    mode: Mode = None,
    dense_only: DenseOnly = False,
    no_rerank: NoRerank = False,
    top_k: Annotated[int | None, typer.Option("--top-k", min=1, help="Hits to show.")] = None,
    max_per_document: Annotated[
        int | None,
        typer.Option("--max-per-document", min=1, help="Most hits of one document.", show_default=False),
    ] = None,
    filters: Annotated[
        list[str] | None,
        typer.Option("--filter", metavar="FIELD=VALUE", help=_FILTER_HELP),
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show each stage's score and rank, and the terms.")
    ] = False,
    answer: Annotated[
        bool,
        typer.Option("--answer", help="Answer from the hits, with citations, by what `generation` names."),
    ] = False,
    max_cost: MaxCost = None,
    max_calls: MaxCalls = None,
    overrides: Overrides = None,
    as_json: AsJson = False,
) -> None:
    """Show the chunks that answer a question, or with --answer an answer made from them."""
    from strata_rag import experiment as use_cases
    from strata_rag import report
    from strata_rag.index import parse_filters
    from strata_rag.llm import Budget

    experiment = load_experiment(config, overrides)
    experiment.budget = Budget(max_cost=max_cost, max_calls=max_calls)
    settings = use_cases.SearchSettings.of(
        experiment.config,
        mode=check_mode(mode),
        dense_only=dense_only,
        no_rerank=no_rerank,
        where=parse_filters(filters or []),
    )
    printer = report.StreamPrinter() if answer and not as_json and sys.stdout.isatty() else None
    try:
        result = use_cases.query(
            experiment,
            question,
            settings,
            top_k=top_k or experiment.config.retrieval.top_k,
            max_per_document=max_per_document,
            answers=answer,
            on_text=printer,
        )
    except BaseException:
        if printer is not None:
            printer.end()
        raise
    print_warnings(result.warnings, more="all are in --json")
    if as_json:
        print_json(report.query_document(result))
        return
    if result.answer is not None:
        report.print_answer(result.answer, streamed=printer.text if printer else "")
    if result.answer is None or explain:
        report.print_query(result, explain=explain)
