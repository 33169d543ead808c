"""Gate: evaluate an experiment, and hold the run against the rules of its config."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from strata_rag.config import Judge
from strata_rag.errors import InputError
from strata_rag.evaluation import (
    GateResult,
    Measure,
    Rule,
    StoredRun,
    find_run,
    hold_against,
    read_labels,
)
from strata_rag.experiment.answering import AnswerOptions
from strata_rag.experiment.build import Experiment
from strata_rag.experiment.evaluate import evaluate_experiment
from strata_rag.experiment.judge_trust import distrust
from strata_rag.experiment.settings import SearchSettings
from strata_rag.progress import Progress

_PASSED = Measure("Passed")


def run_gate(
    experiment: Experiment,
    *,
    baseline: str | None,
    created: datetime,
    token: str,
    progress: Progress,
    max_cost: float | None = None,
    max_calls: int | None = None,
    announce: Callable[[str], None] = lambda _: None,
) -> GateResult:
    """Evaluate, then decide every rule under ``gate``.

    Questions are answered and judged where a rule is about that. Where too many answers or judgements are missing, or
    the judge agrees too little with people, those rules are not measurable.

    Args:
        experiment: The components.
        baseline: A run that drops are measured against: id, unique prefix, path or ``latest``.
        created: When the run was made, with its time zone.
        token: Six hexadecimal digits that tell runs of one second apart.
        progress: Shown the phases.
        max_cost: Most US dollars for answers and judge.
        max_calls: Most calls to language models.
        announce: Told of costs before they arise.

    Raises:
        InputError: There are no rules, one is about a measure that is not evaluated or needs a baseline that
            is not given, or the baseline can't be found. Nothing is evaluated then.
        LLMError: A language model failed in a way that every later call would meet too.
    """
    rules, reference = checked_rules(experiment, baseline)
    judged = any(rule.measure.judged for rule in rules)
    answered = any(rule.measure.of_answers for rule in rules)
    result = evaluate_experiment(
        experiment,
        SearchSettings.of(experiment.config),
        created=created,
        token=token,
        progress=progress,
        answers=AnswerOptions(judged, max_cost=max_cost, max_calls=max_calls) if answered else None,
        announce=announce,
    )
    untrusted = distrust(experiment, [rule.measure for rule in rules if rule.measure.judged], result.run)
    if result.failure is not None:
        untrusted |= {rule.measure: result.failure.message for rule in rules if rule.measure.of_answers}
    gate = experiment.config.gate
    return hold_against(
        rules,
        result.run,
        reference,
        min_n=gate.min_n,
        significance=gate.significance,
        seed=experiment.config.evaluation.seed,
        untrusted=untrusted,
    )


def checked_rules(experiment: Experiment, baseline: str | None) -> tuple[list[Rule], StoredRun | None]:
    """Read the rules, the labels and the baseline before any work is done; see `run_gate`."""
    config = experiment.config
    rules = [Rule.parse(text) for text in config.gate.rules]
    if not rules:
        raise InputError(
            "gate.rules: expected at least one rule, found none",
            hint="add to the config: gate: {rules: ['nDCG@10 drop <= 0.02']}",
        )
    evaluated = [Measure.parse(text) for text in config.evaluation.measures]
    for rule in rules:
        _require_evaluated(rule.measure, evaluated)
        if rule.measure.judged:
            _require_judged(rule.measure, config.evaluation.judge)
    if baseline is None and any(rule.bound == "drop" for rule in rules):
        raise InputError(
            "--baseline: expected a run to measure drops against, found none",
            hint="name one with --baseline RUN; `strata runs list` shows them",
        )
    return rules, find_run(experiment.workspace.runs, baseline) if baseline is not None else None


def _require_evaluated(measure: Measure, evaluated: Sequence[Measure]) -> None:
    if not measure.of_answers and measure not in evaluated:
        raise InputError(
            f"gate.rules: expected one of {', '.join(map(str, evaluated))}, found {measure}",
            hint=f"add {measure} to evaluation.measures",
        )


def _require_judged(measure: Measure, judge: Judge) -> None:
    if measure != _PASSED and measure.name not in judge.measures:
        raise InputError(
            f"gate.rules: expected one of the judged measures {', '.join(judge.measures)}, found {measure}",
            hint=f"add {measure} to evaluation.judge.measures",
        )
    if judge.min_agreement is not None and judge.labels is None:
        raise InputError(
            "evaluation.judge.labels: expected people's labels, since min_agreement is set; found none",
            hint="make them with `strata judge export`, and name the file",
        )
    if judge.labels is not None:
        read_labels(judge.labels)
