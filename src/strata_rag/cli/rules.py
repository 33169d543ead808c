"""``strata rules``."""

from __future__ import annotations

import typer

from strata_rag.cli.common import AsJson, ConfigPath, Overrides, load_experiment, print_json, print_notes
from strata_rag.cli.progress import show_progress

rules_app = typer.Typer(help="Relevance rules: which files are left out.", no_args_is_help=True)


@rules_app.command("advise")
def rules_advise_command(config: ConfigPath, overrides: Overrides = None, as_json: AsJson = False) -> None:
    """Ask the language model for rules, and print them as a diff.

    It sees counts per folder, corpus.intent and redacted excerpts. Nothing is written: apply the diff with `patch -p0`.
    """
    from strata_rag.experiment.rules import advise_rules
    from strata_rag.report import advice_document, advice_notes

    experiment = load_experiment(config, overrides)
    with show_progress() as progress:
        advice = advise_rules(
            experiment, experiment.llm(), config_folder=config.absolute().parent, progress=progress
        )
    if as_json:
        print_json(advice_document(advice))
        return
    print(advice.diff, end="")
    print_notes(advice_notes(advice))
