"""``strata config``."""

from __future__ import annotations

import os
import sys

import typer

from strata_rag.cli.common import AsJson, ConfigPath, Overrides, print_json

config_app = typer.Typer(help="Look at a config.", no_args_is_help=True)


@config_app.callback()
def _group() -> None:
    """Look at a config."""


@config_app.command("show")
def show_command(config: ConfigPath, overrides: Overrides = None, as_json: AsJson = False) -> None:
    """Print every key's effective value and where it comes from."""
    from strata_rag.config import load_config, show_json, show_lines, show_rows

    loaded = load_config(config, overrides=overrides or (), environ=os.environ)
    for note in loaded.notes:
        print(f"note: {note}", file=sys.stderr)
    if as_json:
        print_json(show_json(loaded))
    else:
        print("\n".join(show_lines(show_rows(loaded))))
