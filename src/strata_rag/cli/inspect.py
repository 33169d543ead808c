"""``strata inspect``."""

from __future__ import annotations

from typing import Annotated

import typer

from strata_rag.cli.common import AsJson, ConfigPath, Overrides, load_experiment, print_json
from strata_rag.cli.progress import show_progress


def inspect_command(
    config: ConfigPath,
    chunks: Annotated[bool, typer.Option("--chunks", help="Show the chunks an ingest would index.")] = False,
    document: Annotated[
        str | None,
        typer.Option("--document", metavar="ID", help="Only this document's.", show_default=False),
    ] = None,
    overrides: Overrides = None,
    as_json: AsJson = False,
) -> None:
    """Look at the chunks an ingest would index.

    Boundaries, sizes, heading paths, and what is wrong with a chunk.
    """
    from strata_rag import experiment as use_cases
    from strata_rag import report

    if not chunks:
        raise typer.BadParameter("expected what to inspect: --chunks")
    experiment = load_experiment(config, overrides)
    with show_progress() as progress:
        found = use_cases.inspect_chunks(experiment, document=document, progress=progress)
    print_json(report.inspection_document(found)) if as_json else report.print_inspection(found)
