"""``strata compare``."""

from __future__ import annotations

from typing import Annotated

import typer

from strata_rag.cli.common import AsJson, print_json, workspace_of
from strata_rag.cli.comparing import Alpha, Common, Method, Primary, Seed, check_alpha, check_correction

Runs = Annotated[
    list[str],
    typer.Argument(
        metavar="RUN RUN...",
        help="Two runs or more: an id, a unique prefix, a path, latest, or latest~1 for the one before.",
        show_default=False,
    ),
]
Changes = Annotated[int, typer.Option("--changes", min=0, help="Questions to show that changed most.")]


def compare_command(
    runs: Runs,
    measure: Primary = None,
    correction: Method = "holm",
    alpha: Alpha = 0.05,
    seed: Seed = 0,
    common: Common = False,
    changes: Changes = 5,
    as_json: AsJson = False,
    as_markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown.")] = False,
) -> None:
    """Compare runs question by question.

    Paired differences with intervals, corrected p-values, and the questions that changed most.
    """
    from strata_rag import experiment as use_cases
    from strata_rag import report

    if as_json and as_markdown:
        raise typer.BadParameter("--json and --markdown: expected one of them, found both")
    result = use_cases.compare(
        workspace_of().runs,
        runs,
        measure=measure,
        correction=check_correction(correction),
        alpha=check_alpha(alpha),
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
