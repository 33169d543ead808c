"""``strata check`` and ``strata doctor``."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from strata_rag.cli.common import AsJson, ConfigPath, Overrides, load_experiment, print_json, workspace_of

if TYPE_CHECKING:
    from strata_rag.report import Finding


def check_command(config: ConfigPath, overrides: Overrides = None, as_json: AsJson = False) -> None:
    """Look at what an experiment needs.

    Config, corpus, golden set, models, keys, engine: before any work. Exits with the gravest finding's code.
    """
    from strata_rag.errors import ConfigError
    from strata_rag.experiment.check import check_experiment
    from strata_rag.report import Finding

    try:
        experiment = load_experiment(config, overrides)
    except ConfigError as error:
        faults = [
            Finding("config", "problem", str(fault), fault.hint or error.hint, error.exit_code)
            for fault in error.faults
        ]
        _show(faults, as_json=as_json)
    else:
        findings = [Finding("config", "ok", f"{config}: every key is known"), *check_experiment(experiment)]
        _show(findings, as_json=as_json)


def doctor_command(
    server: Annotated[
        str, typer.Option("--server", metavar="URL", help="The Qdrant server to ask.")
    ] = "http://localhost:6333",
    config: Annotated[
        Path | None,
        typer.Argument(
            metavar="[CONFIG]", help="With --llm: whose language model is asked.", show_default=False
        ),
    ] = None,
    llm: Annotated[
        bool, typer.Option("--llm", help="Make one real call to CONFIG's language model; says what it cost.")
    ] = False,
    overrides: Overrides = None,
    as_json: AsJson = False,
) -> None:
    """Show what is installed and what resolves.

    Packages, models, keys, and which engine answers; with --llm, one real call to a language model.
    """
    from strata_rag.experiment.doctor import doctor, doctor_llm

    if llm and config is None:
        raise typer.BadParameter("--llm: expected the config whose language model is asked, found none")
    found = doctor(workspace_of(), os.environ, server=server)
    if config is not None:
        experiment = load_experiment(config, overrides)
        found += doctor_llm(experiment) if llm else []
    _show(found, as_json=as_json)


def _show(findings: Sequence[Finding], *, as_json: bool) -> None:
    from strata_rag import report

    print_json(report.findings_document(findings)) if as_json else report.print_findings(findings)
    if code := report.exit_code(findings):
        raise typer.Exit(code)
