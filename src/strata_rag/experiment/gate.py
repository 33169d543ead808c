"""Gate: evaluate an experiment, and hold the run against the rules of its config."""

from __future__ import annotations

from datetime import datetime

from strata_rag.errors import InputError
from strata_rag.evaluation import GateResult, Measure, Rule, StoredRun, find_run, hold_against
from strata_rag.experiment.build import Experiment, SearchSettings
from strata_rag.experiment.evaluate import evaluate_experiment
from strata_rag.progress import Progress


def run_gate(
    experiment: Experiment,
    *,
    baseline: str | None,
    created: datetime,
    token: str,
    progress: Progress,
) -> GateResult:
    """Evaluate, then decide every rule under ``gate``.

    Args:
        experiment: The components.
        baseline: A run that drops are measured against: id, unique prefix, path or ``latest``.
        created: When the run was made, with its time zone.
        token: Six hexadecimal digits that tell runs of one second apart.
        progress: Shown the phases.

    Raises:
        InputError: There are no rules, one is about a measure that is not evaluated or needs a baseline that
            is not given, or the baseline can't be found. Nothing is evaluated then.
    """
    rules, reference = checked_rules(experiment, baseline)
    settings = SearchSettings.of(experiment.config)
    result = evaluate_experiment(experiment, settings, created=created, token=token, progress=progress)
    gate = experiment.config.gate
    return hold_against(
        rules,
        result.run,
        reference,
        min_n=gate.min_n,
        significance=gate.significance,
        seed=experiment.config.evaluation.seed,
    )


def checked_rules(experiment: Experiment, baseline: str | None) -> tuple[list[Rule], StoredRun | None]:
    """Read the rules and find the baseline before any work is done; see `run_gate`."""
    config = experiment.config
    rules = [Rule.parse(text) for text in config.gate.rules]
    if not rules:
        raise InputError(
            "gate.rules: expected at least one rule, found none",
            hint="add to the config: gate: {rules: ['nDCG@10 drop <= 0.02']}",
        )
    evaluated = [Measure.parse(text) for text in config.evaluation.measures]
    for rule in rules:
        if rule.measure not in evaluated:
            raise InputError(
                f"gate.rules: expected one of {', '.join(map(str, evaluated))}, found {rule.measure}",
                hint=f"add {rule.measure} to evaluation.measures",
            )
    if baseline is None and any(rule.bound == "drop" for rule in rules):
        raise InputError(
            "--baseline: expected a run to measure drops against, found none",
            hint="name one with --baseline RUN; `strata runs list` shows them",
        )
    return rules, find_run(experiment.workspace.runs, baseline) if baseline is not None else None
