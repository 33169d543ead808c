"""What answers and their judge amount to: as a table for people, and as a JSON value."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from strata_rag.evaluation import (
    AnswersRecord,
    CallEstimate,
    CallUse,
    Coverage,
    Measure,
    Noise,
    RunRecord,
    Summary,
    answers_to_json,
)
from strata_rag.report import figures
from strata_rag.report.tables import print_rows
from strata_rag.report.visible import visible

_ANSWERED = Measure("Answered")


def print_answers(run: RunRecord) -> None:
    """Print what answered and judged, each measure of answers with its coverage, and what it cost."""
    record = run.answers
    if record is None:
        return
    print()
    if record.generator:
        print(f"answers by {visible(model_name(record.generator))}: {_counted(record.statuses)}")
    if record.judge is not None:
        same = ", the same model" if record.same_model else ""
        print(f"judged by {visible(model_name(record.judge))}{same}")
    if record.skipped:
        print(record.skipped)
    rows = [
        [str(measure), figures.value(found.value), figures.interval(found.low, found.high), said]
        for measure, found, said in answer_rows(run)
    ]
    if rows:
        print()
        print_rows(["answers", "mean", "95 % interval", "scored"], rows, text_columns=1)
        print()
    for line in answer_notes(run):
        print(line)


def answer_rows(run: RunRecord) -> list[tuple[Measure, Summary, str]]:
    """Return each measure of answers with its mean and how many answers that rests on."""
    return [
        (measure, found, covered(run, measure, found))
        for measure, found in run.measures.items()
        if measure.of_answers
    ]


def covered(run: RunRecord, measure: Measure, found: Summary) -> str:
    """Say how many answers a mean rests on, and what became of the others."""
    record = run.answers
    coverage = record.coverage.get(measure) if record else None
    if coverage is not None:
        return _covered(coverage)
    if record is not None and measure == Measure("Passed") and record.undecided:
        return f"{found.n} of {found.n + record.undecided} decided"
    return f"{found.n} of {run.golden.questions} questions"


def answer_notes(run: RunRecord) -> list[str]:
    """Return one line each on false refusals, the judge's own noise, its corrections, and costs."""
    record = run.answers
    if record is None:
        return []
    lines = []
    if (answered := run.measures.get(_ANSWERED)) and answered.n:
        refused = round((1 - answered.value) * answered.n)
        lines.append(
            f"false refusals: {refused} of {answered.n} answerable questions ({1 - answered.value:.3f})"
        )
    lines += [f"judge's own noise, {measure}: {_noise(found)}" for measure, found in record.noise.items()]
    corrected = sum(found.corrected for found in record.coverage.values())
    flagged = sum(found.flagged for found in record.coverage.values())
    if corrected:
        lines.append(f"{corrected} severities were milder than their score, and were corrected")
    if flagged:
        lines.append(
            f"{flagged} verdicts rest on a quote or passage that is not there; answers.jsonl marks them"
        )
    lines += _costs(record)
    return lines


def answers_document(run: RunRecord) -> dict[str, Any] | None:
    """Return what ``--json`` says of a run's answers; None where it has none."""
    if run.answers is None:
        return None
    answered = run.measures.get(_ANSWERED)
    false_refusal = None
    if answered is not None:
        false_refusal = {
            "value": _number(1 - answered.value),
            "n": answered.n,
            "low": _number(1 - answered.high),
            "high": _number(1 - answered.low),
        }
    return {**_finite(answers_to_json(run.answers)), "false_refusal": false_refusal}


def model_name(model: Mapping[str, Any]) -> str:
    """Name a language model by provider and model."""
    return " ".join(str(model[key]) for key in ("provider", "model") if model.get(key))


def _covered(found: Coverage) -> str:
    parts = [f"{found.scored} of {found.asked} scored"]
    parts += [
        f"{count} {outcome.replace('_', ' ')}"
        for outcome, count in found.outcomes.items()
        if outcome not in ("scored", "not_scorable")
    ]
    parts += [f"{count} not scorable: {reason}" for reason, count in found.not_scorable.items()]
    return "; ".join(parts)


def _counted(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in counts.items())


def _costs(record: AnswersRecord) -> list[str]:
    uses = [("generating", record.generating)] + ([("judging", record.judging)] if record.judge else [])
    return [
        f"{name}: {_used(use)}{_estimated(record.estimates.get(name))}"
        for name, use in uses
        if use.calls or use.cached
    ]


def _used(use: CallUse) -> str:
    cost = "price unknown" if use.cost is None else f"${use.cost:.4f}"
    return (
        f"{use.calls} calls, {use.cached} more from the cache, {use.input_tokens:,} tokens in, "
        f"{use.output_tokens:,} out, {cost}"
    )


def _estimated(found: CallEstimate | None) -> str:
    if found is None:
        return ""
    cost = "" if found.cost is None else f", at most ${found.cost:.4f}"
    return f" (estimated {found.calls} calls, {found.input_tokens:,} tokens in{cost})"


def _noise(found: Noise) -> str:
    if not found.differing:
        return f"none in {found.repetitions} repetitions of {found.items} answers"
    return (
        f"the mean moves by {found.of_mean:.3f} (standard deviation over {found.repetitions} repetitions), "
        f"{found.differing:.0%} of {found.items} answers get another value; a smaller difference between runs says "
        "nothing"
    )


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: _finite(item) for key, item in value.items()}
    return [_finite(item) for item in value] if isinstance(value, list | tuple) else value
