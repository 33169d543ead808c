"""What a run record says about answers and their judge; `run.json` holds it under ``answers``."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from strata_rag.evaluation.answered import Coverage, Noise
from strata_rag.evaluation.measures import Measure


@dataclass(frozen=True, slots=True)
class CallUse:
    """What calls took.

    Attributes:
        calls: Calls that were sent.
        cached: Calls that the cache answered.
        input_tokens: Tokens read by what was sent.
        output_tokens: Tokens written.
        cost: In US dollars; None where some call's price is unknown.
    """

    calls: int = 0
    cached: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = 0.0


@dataclass(frozen=True, slots=True)
class CallEstimate:
    """What calls would take, said before they were made.

    Attributes:
        calls: Calls to be sent.
        cached: Calls that the cache answers.
        input_tokens: About how many tokens they read.
        output_tokens: The most they may write.
        cost: The most they may cost in US dollars; None where the price is unknown.
    """

    calls: int
    cached: int
    input_tokens: int
    output_tokens: int
    cost: float | None


@dataclass(frozen=True, slots=True)
class AnswersRecord:
    """Everything about a run's answers that is not per question.

    Attributes:
        generator: What answered: provider, model, parameters, prompt.
        judge: What judged: provider, model, parameters; None where no judge was asked.
        same_model: Whether judge and generator are the same model.
        prompts: Id -> digest of the judge's prompts.
        statuses: Status of answer -> questions.
        coverage: Judged measure -> how many answers it could be told of.
        noise: Judged measure -> how far repetitions lie apart.
        policy: What an answer had to reach to pass.
        undecided: Answers that the policy could not decide.
        generating: What generating took.
        judging: What judging took.
        estimates: ``generating`` and ``judging`` -> what was said beforehand.
        skipped: Why answers or judge were left out, or an empty string.
    """

    generator: Mapping[str, Any] = field(default_factory=dict)
    judge: Mapping[str, Any] | None = None
    same_model: bool = False
    prompts: Mapping[str, str] = field(default_factory=dict)
    statuses: Mapping[str, int] = field(default_factory=dict)
    coverage: Mapping[Measure, Coverage] = field(default_factory=dict)
    noise: Mapping[Measure, Noise] = field(default_factory=dict)
    policy: Mapping[str, Any] = field(default_factory=dict)
    undecided: int = 0
    generating: CallUse = field(default_factory=CallUse)
    judging: CallUse = field(default_factory=CallUse)
    estimates: Mapping[str, CallEstimate] = field(default_factory=dict)
    skipped: str = ""


def answers_to_json(record: AnswersRecord) -> dict[str, Any]:
    """Lay the record out as JSON values."""
    plain = asdict(replace(record, coverage={}, noise={}))
    for key, parts in (("coverage", record.coverage), ("noise", record.noise)):
        plain[key] = {str(measure): asdict(part) for measure, part in parts.items()}
    return plain


def answers_from_json(raw: Mapping[str, Any]) -> AnswersRecord:
    """Read what `answers_to_json` gave.

    Raises:
        KeyError, TypeError, ValueError, InputError: It is something else.
    """
    parts = dict(raw)
    parts["coverage"] = {Measure.parse(name): Coverage(**one) for name, one in raw["coverage"].items()}
    parts["noise"] = {Measure.parse(name): _noise(one) for name, one in raw["noise"].items()}
    parts["generating"] = CallUse(**raw["generating"])
    parts["judging"] = CallUse(**raw["judging"])
    parts["estimates"] = {name: CallEstimate(**one) for name, one in raw["estimates"].items()}
    return AnswersRecord(**parts)


def _noise(raw: Mapping[str, Any]) -> Noise:
    parts: dict[str, Any] = {key: math.nan if value is None else value for key, value in raw.items()}
    return Noise(**parts)
