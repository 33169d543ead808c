"""``strata plugins`` and ``strata roster``."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from strata_rag.cli.common import AsJson, ConfigPath, Overrides, load_experiment, print_json
from strata_rag.cli.progress import show_progress

roster_app = typer.Typer(help="Rosters: what is known of documents beside their text.", no_args_is_help=True)


def plugins_command(
    config: Annotated[
        Path | None,
        typer.Argument(
            metavar="[CONFIG]",
            help="The experiment's YAML file; without it, the installed plugins and those of STRATA_PLUGINS_DIR.",
            show_default=False,
        ),
    ] = None,
    overrides: Overrides = None,
    as_json: AsJson = False,
) -> None:
    """List the plugins.

    Name, version, origin and hash of each, and what it registers.
    """
    from strata_rag.experiment import plugins as use_cases
    from strata_rag.report import plugins_document, print_plugins

    if config is not None:
        found = use_cases.list_plugins(load_experiment(config, overrides))
    else:
        folder = os.environ.get("STRATA_PLUGINS_DIR") or os.environ.get("RAGEVAL_PLUGINS_DIR")
        found = use_cases.list_plugins_in(Path(folder) if folder else None)
    print_json(plugins_document(found)) if as_json else print_plugins(found)


@roster_app.command("check")
def roster_check_command(config: ConfigPath, overrides: Overrides = None, as_json: AsJson = False) -> None:
    """Compare documents with their rosters.

    Match, mismatch, and what is missing on either side; exits with 1 unless both sides agree.
    """
    from strata_rag.experiment import plugins as use_cases
    from strata_rag.report import print_roster, roster_document

    experiment = load_experiment(config, overrides)
    with show_progress() as progress:
        checks = use_cases.check_rosters(experiment, progress=progress)
    print_json(roster_document(checks)) if as_json else print_roster(checks)
    if not all(check.in_order for check in checks):
        raise typer.Exit(1)
