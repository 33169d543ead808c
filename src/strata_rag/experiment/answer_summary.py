"""What a run record says of answers and judge, and whether enough of them came."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace

from strata_rag.errors import NotMeasurable
from strata_rag.evaluation import (
    AnsweredQuestion,
    AnswersRecord,
    CallEstimate,
    CallUse,
    Measure,
    coverage,
    failure_share,
    noise,
)
from strata_rag.evaluation.judge import GatePolicy, JudgeMeasure, prompt_digests
from strata_rag.llm import LLMInfo, Spent

_NO_ANSWER = ("truncated", "empty", "filtered", "prompt_cut", "failed")


def generated_record(
    answered: Sequence[AnsweredQuestion],
    *,
    provider: str,
    generator: LLMInfo | None,
    use: CallUse,
    estimates: Mapping[str, CallEstimate],
) -> AnswersRecord:
    """Return the record of answers that nothing judged yet."""
    prompts = sorted({one.answer.prompt for one in answered if one.answer.prompt})
    described = asdict(generator) if generator else {"provider": provider}
    return AnswersRecord(
        generator={**described, "prompts": prompts},
        statuses=dict(sorted(Counter(one.answer.status for one in answered).items())),
        generating=use,
        estimates=dict(estimates),
    )


def judged_record(
    record: AnswersRecord,
    judged: Sequence[AnsweredQuestion],
    *,
    judge: LLMInfo,
    generator: LLMInfo | None,
    measures: Sequence[JudgeMeasure],
    repeat: int,
    policy: GatePolicy,
    use: CallUse,
    estimates: Mapping[str, CallEstimate],
) -> AnswersRecord:
    """Add what the judge made of the answers."""
    noises = {measure: noise(judged, measure, repeat=repeat) for measure in measures}
    return replace(
        record,
        judge={**asdict(judge), "repeat": repeat},
        same_model=generator is not None and _same(judge, generator),
        prompts=prompt_digests(),
        coverage={Measure(measure): coverage(judged, measure) for measure in measures},
        noise={Measure(measure): found for measure, found in noises.items() if found is not None},
        policy={"minimums": dict(policy.minimums), "worst_severity": policy.worst_severity},
        undecided=sum(one.gate is not None and one.gate.passed is None for one in judged),
        judging=use,
        estimates=dict(estimates),
    )


def shortfall(answered: Sequence[AnsweredQuestion], *, most: float) -> NotMeasurable | None:
    """Return why the answers could not be measured: too many never came, or too many judgements have no value.

    Args:
        answered: All of them.
        most: Largest share of either that is allowed.
    """
    lost = sum(one.answer.status in _NO_ANSWER for one in answered)
    if lost > most * len(answered):
        return _too_many(f"{lost} of {len(answered)} answers never came", most)
    judgements = [judgement for one in answered for judgement in one.judgements]
    share = failure_share(judgements)
    if share > most:
        unscored = sum(one.outcome not in ("scored", "not_scorable") for one in judgements)
        return _too_many(f"{unscored} judgements have no value ({share:.1%})", most)
    return None


def call_use(after: Spent, before: Spent) -> CallUse:
    """Return what was spent between two looks at a budget."""
    cost = None if after.cost is None or before.cost is None else after.cost - before.cost
    return CallUse(
        calls=after.calls - before.calls,
        cached=after.cached - before.cached,
        input_tokens=after.input_tokens - before.input_tokens,
        output_tokens=after.output_tokens - before.output_tokens,
        cost=cost,
    )


def _too_many(found: str, most: float) -> NotMeasurable:
    return NotMeasurable(
        f"evaluation.judge.max_judge_failures: expected at most {most:.1%} without a value, found: {found}",
        hint="answers.jsonl of the run says why each failed; `strata eval` again asks for what never came. A reply "
        "that came and is no judgement is kept: take another evaluation.judge.model",
    )


def _same(one: LLMInfo, other: LLMInfo) -> bool:
    return (one.provider, one.model, one.base_url) == (other.provider, other.model, other.base_url)
