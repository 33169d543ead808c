"""``strata report``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from strata_rag.cli.common import workspace_of, write_text
from strata_rag.cli.comparing import Alpha, Common, Method, Primary, Seed, check_alpha, check_correction


def report_command(
    runs: Annotated[
        list[str],
        typer.Argument(
            metavar="RUN...",
            help="One run or more: an id, a unique prefix, a path, latest, or latest~1 for the one before.",
            show_default=False,
        ),
    ],
    output: Annotated[Path, typer.Option("-o", "--output", metavar="FILE", help="Where to write the page.")],
    measure: Primary = None,
    correction: Method = "holm",
    alpha: Alpha = 0.05,
    seed: Seed = 0,
    common: Common = False,
    failures: Annotated[
        int, typer.Option("--failures", min=0, help="Failed questions to show with their texts, worst first.")
    ] = 50,
) -> None:
    """Write one HTML page about runs.

    Leaderboard, differences, plots, failures, config, environment; it asks nothing of the network.
    """
    from strata_rag import experiment as use_cases
    from strata_rag import report

    content = use_cases.report_content(
        workspace_of(),
        runs,
        measure=measure,
        correction=check_correction(correction),
        alpha=check_alpha(alpha),
        seed=seed,
        common=common,
        failures=failures,
    )
    write_text(output, report.render_page(content))
    print(f"report {output}")
