"""``strata runs``."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Annotated

import typer

from strata_rag.cli.common import AsJson, print_json, workspace_of

runs_app = typer.Typer(help="Look at evaluation runs, and tidy them.", no_args_is_help=True)


@runs_app.callback()
def _group() -> None:
    """Look at evaluation runs, and tidy them."""


@runs_app.command("list")
def list_command(as_json: AsJson = False) -> None:
    """List the runs, newest first, and name damaged ones."""
    from strata_rag import report
    from strata_rag.evaluation import list_runs

    runs, broken = list_runs(workspace_of().runs)
    print_json(report.runs_document(runs, broken)) if as_json else report.print_runs(runs, broken)


@runs_app.command("show")
def show_command(
    run: Annotated[
        str,
        typer.Argument(metavar="RUN", help="An id, a unique prefix, a path or latest.", show_default=False),
    ],
    as_json: AsJson = False,
) -> None:
    """Show one run: measures with intervals, slices, times, warnings; with --json its whole record."""
    from strata_rag import report
    from strata_rag.evaluation import find_run

    found = find_run(workspace_of().runs, run)
    if as_json:
        print_json({**json.loads((found.path / "run.json").read_bytes()), "path": str(found.path)})
    else:
        report.print_run(found)


@runs_app.command("prune")
def prune_command(
    keep: Annotated[
        int,
        typer.Option(
            "--keep", min=1, help="Newest runs that stay, for each experiment, label and golden set."
        ),
    ] = 3,
    older_than: Annotated[
        int | None,
        typer.Option("--older-than", min=0, metavar="DAYS", help="Only runs of at least this age."),
    ] = None,
    damaged: Annotated[bool, typer.Option("--damaged", help="Remove damaged runs as well.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Remove; without it the plan is printed.")] = False,
    as_json: AsJson = False,
) -> None:
    """Remove old runs; without --yes, say which they would be."""
    from strata_rag import experiment as use_cases

    plan = use_cases.prune_runs(
        workspace_of().runs,
        keep=keep,
        older_than_days=older_than,
        damaged=damaged,
        now=datetime.now(UTC),
        carry_out=yes,
    )
    gone = [run.path for run in plan.removed] + [*plan.damaged, *plan.partial]
    if as_json:
        print_json({"removed": [str(path) for path in gone], "kept": plan.kept, "done": plan.done})
        return
    for path in gone:
        print(f"{'removed' if plan.done else 'would remove'} {path.name}")
    print(f"{len(gone)} {'removed' if plan.done else 'to remove'}, {plan.kept} runs kept")
    if gone and not plan.done:
        print("add --yes to remove them")
