"""``strata check`` and ``strata doctor``."""

from __future__ import annotations

import os
from collections.abc import Sequence
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
    as_json: AsJson = False,
) -> None:
    """Show what is installed and what resolves.

    Packages, models, keys, and which engine answers.
    """
    from strata_rag.experiment.doctor import doctor

    _show(doctor(workspace_of(), os.environ, server=server), as_json=as_json)


def _show(findings: Sequence[Finding], *, as_json: bool) -> None:
    from strata_rag import report

    print_json(report.findings_document(findings)) if as_json else report.print_findings(findings)
    if code := report.exit_code(findings):
        raise typer.Exit(code)
