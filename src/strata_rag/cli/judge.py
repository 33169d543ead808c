"""``strata judge``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from strata_rag.cli.common import (
    AsJson,
    ConfigPath,
    Overrides,
    load_experiment,
    print_json,
    print_notes,
    workspace_of,
    write_text,
)
from strata_rag.cli.paying import MaxCalls, MaxCost, announce_cost
from strata_rag.cli.progress import show_progress

judge_app = typer.Typer(help="Hold the judge against people, and see what sways it.", no_args_is_help=True)

Seed = Annotated[int, typer.Option("--seed", min=0, help="Of the random draws.")]
Run = Annotated[
    str,
    typer.Argument(
        metavar="RUN", help="A judged run: an id, a unique prefix, a path or latest.", show_default=False
    ),
]


@judge_app.callback()
def _group() -> None:
    """Hold the judge against people, and see what sways it."""


@judge_app.command("export")
def export_command(
    run: Run,
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="FILE", help="Where the sample goes: .csv or .jsonl.")
    ],
    size: Annotated[int, typer.Option("--size", min=1, help="Rows at most.")] = 60,
    seed: Seed = 0,
    with_grades: Annotated[
        bool, typer.Option("--with-grades", help="Show the judge's grades, which sway whoever labels.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Write judged answers for people to label, spread evenly over measures, the judge's grades and kinds."""
    from strata_rag import experiment as use_cases

    ending = output.suffix.lower()
    if ending not in (".csv", ".jsonl"):
        raise typer.BadParameter(
            f"--output: expected a file that ends with .csv or .jsonl, found {str(output)!r}"
        )
    text, rows = use_cases.export_sample(
        workspace_of().runs,
        run,
        size=size,
        seed=seed,
        as_json_lines=ending == ".jsonl",
        with_grades=with_grades,
    )
    write_text(output, text)
    if as_json:
        print_json({"rows": rows, "file": str(output), "seed": seed})
    else:
        print(f"{rows} rows in {output}: fill in the column label with grades from 1 to 5, then")
        print(f"  strata judge calibrate {output}")


@judge_app.command("calibrate")
def calibrate_command(
    labels: Annotated[
        Path, typer.Argument(metavar="LABELS", help="The labelled sample.", show_default=False)
    ],
    runs: Annotated[
        list[str] | None,
        typer.Option(
            "--run", metavar="RUN", help="A run whose judge graded the same answers; may be repeated."
        ),
    ] = None,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """Say how far the judge agrees with people, and how far its versions agree with each other."""
    from strata_rag import experiment as use_cases
    from strata_rag import report

    found = use_cases.calibrate_judge(workspace_of().runs, labels, refs=runs or (), seed=seed)
    print_notes(found.notes)
    print_json(report.calibration_document(found)) if as_json else report.print_calibration(found)


@judge_app.command("bias")
def bias_command(
    config: ConfigPath,
    run: Run,
    checks: Annotated[
        list[str] | None,
        typer.Option("--check", metavar="position|verbosity", help="Only this check; may be repeated."),
    ] = None,
    other: Annotated[
        str | None,
        typer.Option(
            "--other", metavar="RUN", help="The same questions answered by another model: self-preference."
        ),
    ] = None,
    sample: Annotated[int, typer.Option("--sample", min=1, help="Answers to ask about.")] = 50,
    max_cost: MaxCost = None,
    max_calls: MaxCalls = None,
    overrides: Overrides = None,
    as_json: AsJson = False,
) -> None:
    """Ask the judge again, with passages in reverse order and with padded answers, and show what that changes."""
    from strata_rag import experiment as use_cases
    from strata_rag import report

    known = use_cases.BIAS_CHECKS
    chosen = tuple(dict.fromkeys(checks or known))
    if unknown := [check for check in chosen if check not in known]:
        raise typer.BadParameter(f"--check: expected {' or '.join(known)}, found {unknown[0]!r}")
    experiment = load_experiment(config, overrides)
    with show_progress() as progress:
        found = use_cases.check_bias(
            experiment,
            run,
            checks=chosen,
            other=other,
            sample=sample,
            max_cost=max_cost,
            max_calls=max_calls,
            announce=announce_cost,
            progress=progress,
        )
    print_json(report.bias_document(found)) if as_json else report.print_bias(found)
