"""``strata collections``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from strata_rag.cli.common import AsJson, ConfigPath, Overrides, load_experiment, print_json, workspace_of
from strata_rag.cli.progress import show_progress

if TYPE_CHECKING:
    from strata_rag.index import Collections

collections_app = typer.Typer(help="List, show, copy and remove collections.", no_args_is_help=True)

_OfConfig = Annotated[
    Path | None,
    typer.Argument(metavar="[CONFIG]", help="Those of this config's engine; the workspace's without it."),
]


@collections_app.callback()
def _group() -> None:
    """List, show, copy and remove collections."""


@collections_app.command("list")
def list_command(config: _OfConfig = None, overrides: Overrides = None, as_json: AsJson = False) -> None:
    """List the collections there are."""
    from strata_rag import report
    from strata_rag.experiment.collections import list_collections

    rows = list_collections(_collections(config, overrides))
    print_json(report.collections_document(rows)) if as_json else report.print_collections(rows)


@collections_app.command("show")
def show_command(
    target: Annotated[
        str,
        typer.Argument(metavar="CONFIG|NAME", help="A config, or a collection's name.", show_default=False),
    ],
    overrides: Overrides = None,
    as_json: AsJson = False,
) -> None:
    """Show what a collection was made from and how its engine keeps it."""
    from strata_rag import report
    from strata_rag.experiment.collections import show_collection

    if Path(target).suffix in (".yaml", ".yml"):
        experiment = load_experiment(Path(target), overrides)
        details = show_collection(experiment.collections, experiment.collection)
    else:
        details = show_collection(_collections(None, None), target)
    print_json(report.collection_document(details)) if as_json else report.print_collection(details)


@collections_app.command("push")
def push_command(
    config: ConfigPath,
    recreate: Annotated[
        bool, typer.Option("--recreate", help="Replace a collection of another origin on the server.")
    ] = False,
    overrides: Overrides = None,
    as_json: AsJson = False,
) -> None:
    """Copy the config's embedded collection to the server at index.url, and check that both are equal."""
    from strata_rag import report
    from strata_rag.experiment.collections import push_collection

    experiment = load_experiment(config, overrides)
    with show_progress() as progress:
        result = push_collection(experiment, recreate=recreate, progress=progress)
    print_json(report.push_document(result)) if as_json else report.print_push(result)


@collections_app.command("prune")
def prune_command(
    configs: Annotated[
        list[Path], typer.Argument(metavar="CONFIG...", help="The configs whose collections stay.")
    ],
    server: Annotated[
        bool,
        typer.Option(
            "--server", help="On the first config's server, in place of the workspace: others may use it."
        ),
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Remove without asking.")] = False,
    overrides: Overrides = None,
    as_json: AsJson = False,
) -> None:
    """Remove the collections that none of the configs refers to."""
    from strata_rag import report
    from strata_rag.experiment.collections import prune_collections

    experiments = [load_experiment(config, overrides) for config in configs]
    first = experiments[0]
    collections = first.server_collections if server else first.embedded_collections
    keep = [experiment.collection for experiment in experiments]
    manifests = first.workspace.manifests
    result = prune_collections(collections, keep, remove=yes, manifests=manifests)
    if not yes and result.rows and sys.stdin.isatty() and not as_json:
        report.print_prune(result)
        if not typer.confirm("remove them?", err=True):
            return
        result = prune_collections(collections, keep, remove=True, manifests=manifests)
    print_json(report.prune_document(result)) if as_json else report.print_prune(result)
    if result.rows and not result.removed:
        print("note: nothing was removed; --yes removes them", file=sys.stderr)


def _collections(config: Path | None, overrides: list[str] | None) -> Collections:
    from strata_rag.experiment.collections import embedded_collections

    if config is None:
        return embedded_collections(workspace_of())
    return load_experiment(config, overrides).collections
