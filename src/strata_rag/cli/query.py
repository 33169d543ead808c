"""``strata query``."""

from __future__ import annotations

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


def query_command(
    config: ConfigPath,
    question: Annotated[
        str, typer.Argument(metavar="QUESTION", help="What to look for.", show_default=False)
    ],
    mode: Mode = None,
    dense_only: DenseOnly = False,
    no_rerank: NoRerank = False,
    top_k: Annotated[int | None, typer.Option("--top-k", min=1, help="Hits to show.")] = None,
    filters: Annotated[
        list[str] | None,
        typer.Option(
            "--filter", metavar="FIELD=VALUE", help="Only hits with this field, such as source=atlas."
        ),
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show each stage's score and rank, and the terms.")
    ] = False,
    overrides: Overrides = None,
    as_json: AsJson = False,
) -> None:
    """Show the chunks that answer a question best."""
    from strata_rag import experiment as use_cases
    from strata_rag import report

    experiment = load_experiment(config, overrides)
    settings = use_cases.SearchSettings.of(
        experiment.config,
        mode=check_mode(mode),
        dense_only=dense_only,
        no_rerank=no_rerank,
        where=_where(filters or []),
    )
    result = use_cases.query(experiment, question, settings, top_k=top_k or experiment.config.retrieval.top_k)
    print_warnings(result.warnings, more="all are in --json")
    print_json(report.query_document(result)) if as_json else report.print_query(result, explain=explain)


def _where(filters: list[str]) -> dict[str, str | int | bool]:
    where: dict[str, str | int | bool] = {}
    for text in filters:
        field, separator, value = text.partition("=")
        if not separator or not field:
            raise typer.BadParameter(f"--filter: expected FIELD=VALUE, found {text!r}")
        where[field] = value
    return where
