"""``strata inspect``."""

from __future__ import annotations

from typing import Annotated

import typer

from strata_rag.cli.common import (
    AsJson,
    ConfigPath,
    Overrides,
    load_experiment,
    print_json,
    print_warnings,
)
from strata_rag.cli.progress import show_progress


def inspect_command(
    config: ConfigPath,
    chunks: Annotated[
        bool, typer.Option("--chunks", help="Show the chunks an ingest would index; needs none.")
    ] = False,
    documents: Annotated[bool, typer.Option("--documents", help="Show every document in a row.")] = False,
    document: Annotated[
        str | None,
        typer.Option("--document", metavar="ID", help="Only this document.", show_default=False),
    ] = None,
    overrides: Overrides = None,
    as_json: AsJson = False,
) -> None:
    """Look at what an ingest has indexed: documents, coverage, and signs that a document is of little use.

    Near-duplicates, boilerplate, empty documents, other languages, failed extraction. With --chunks:
    boundaries, sizes and heading paths of the chunks, and what is wrong with one. Nothing is left out for a flag.
    """
    from strata_rag import experiment as use_cases
    from strata_rag import report

    if chunks and documents:
        raise typer.BadParameter("--chunks and --documents: expected one of them")
    experiment = load_experiment(config, overrides)
    if chunks:
        with show_progress() as progress:
            of_chunks = use_cases.inspect_chunks(experiment, document=document, progress=progress)
        print_json(report.inspection_document(of_chunks)) if as_json else report.print_inspection(of_chunks)
        return
    with show_progress() as progress:
        found = use_cases.inspect_documents(experiment, document=document, progress=progress)
    print_warnings(found.warnings, more="--json names all")
    if as_json:
        print_json(report.document_inspection_document(found))
    else:
        report.print_document_inspection(found, each=documents or document is not None)
