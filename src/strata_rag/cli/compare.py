"""``strata compare``."""

from __future__ import annotations

from typing import Annotated

import typer

from strata_rag.cli.common import AsJson, open_workspace, print_json


def compare_command(
    runs: Annotated[
        list[str],
        typer.Argument(
            metavar="RUN RUN...",
            help="Two runs or more: an id, a unique prefix, a path or latest.",
            show_default=False,
        ),
    ],
    measure: Annotated[
        str | None,
        typer.Option(
            "--measure", help="The primary measure; by default nDCG@10, or the first that all runs have."
        ),
    ] = None,
    correction: Annotated[
        str,
        typer.Option("--correction", metavar="holm|max", help="How p-values of several pairs are corrected."),
    ] = "holm",
    alpha: Annotated[float, typer.Option("--alpha", help="Level of the decisions over all pairs.")] = 0.05,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Of all random draws.")] = 0,
    common: Annotated[
        bool,
        typer.Option("--common", help="Compare the questions that runs over different golden sets share."),
    ] = False,
    changes: Annotated[
        int, typer.Option("--changes", min=0, help="Questions to show that changed most.")
    ] = 5,
    as_json: AsJson = False,
    as_markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown.")] = False,
) -> None:
    """Compare runs question by question: differences, intervals, corrected p-values."""
    from strata_rag import experiment as use_cases
    from strata_rag import report
    from strata_rag.evaluation import CORRECTIONS

    if as_json and as_markdown:
        raise typer.BadParameter("--json and --markdown: expected one of them, found both")
    if not 0 < alpha < 1:
        raise typer.BadParameter(f"--alpha: expected a number between 0 and 1, found {alpha:g}")
    chosen = next((name for name in CORRECTIONS if name == correction), None)
    if chosen is None:
        raise typer.BadParameter(f"--correction: expected holm or max, found {correction!r}")
    result = use_cases.compare(
        open_workspace().runs,
        runs,
        measure=measure,
        correction=chosen,
        alpha=alpha,
        seed=seed,
        common=common,
        changes=changes,
    )
    if as_json:
        print_json(report.comparison_document(result))
    elif as_markdown:
        print(report.comparison_markdown(result), end="")
    else:
        report.print_comparison(result)
