"""``strata init``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from strata_rag.cli.common import AsJson, print_json, print_notes, workspace_of


def init_command(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="The folder of documents.", show_default=False)
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="DIR", help="Where the two files go.")
    ] = Path(),
    as_json: AsJson = False,
) -> None:
    """Write a config and a golden set to edit.

    Both are made for the folder of documents that is named, and lie beside it.
    """
    from strata_rag import report
    from strata_rag.experiment.init import init_experiment

    result = init_experiment(folder, output, workspace_of())
    print_notes(result.notes)
    print_json(report.init_document(result)) if as_json else report.print_init(result)
