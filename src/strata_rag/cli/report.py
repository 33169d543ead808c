"""``strata report``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from strata_rag.cli.common import open_workspace, write_text


def report_command(
    runs: Annotated[
        list[str],
        typer.Argument(
            metavar="RUN...",
            help="One run or more: an id, a unique prefix, a path or latest.",
            show_default=False,
        ),
    ],
    output: Annotated[Path, typer.Option("-o", "--output", metavar="FILE", help="Where to write the page.")],
    measure: Annotated[
        str | None,
        typer.Option(
            "--measure", help="The primary measure; by default nDCG@10, or the first that all runs have."
        ),
    ] = None,
    common: Annotated[
        bool,
        typer.Option("--common", help="Compare the questions that runs over different golden sets share."),
    ] = False,
    failures: Annotated[
        int, typer.Option("--failures", min=0, help="Failed questions to show with their texts, worst first.")
    ] = 50,
    alpha: Annotated[float, typer.Option("--alpha", help="Level of the decisions over all pairs.")] = 0.05,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Of all random draws.")] = 0,
) -> None:
    """Write one HTML page about runs: leaderboard, differences, plots, failures, config, environment."""
    from strata_rag import experiment as use_cases
    from strata_rag import report

    if not 0 < alpha < 1:
        raise typer.BadParameter(f"--alpha: expected a number between 0 and 1, found {alpha:g}")
    content = use_cases.report_content(
        open_workspace(), runs, measure=measure, common=common, failures=failures, alpha=alpha, seed=seed
    )
    write_text(output, report.render_page(content))
    print(f"report {output}")
