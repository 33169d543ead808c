"""The judge as the config names it: its model, its policy, and what it may read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from strata_rag.config import LanguageModel
from strata_rag.errors import InputError, LLMError
from strata_rag.evaluation.judge import GatePolicy, JudgeItem, JudgeMeasure
from strata_rag.experiment.build import Experiment
from strata_rag.llm import Budget, LLMClient, Watchdog

_MINIMUMS: Mapping[str, JudgeMeasure] = {
    "faithfulness": "Faithfulness",
    "answer_relevance": "AnswerRelevance",
    "context_precision": "ContextPrecision",
    "context_recall": "ContextRecall",
}


def redacted_item(experiment: Experiment, item: JudgeItem) -> JudgeItem:
    """Return what a judge may read of an answer: question and reference are redacted like the documents."""
    reference = experiment.redacted(item.reference) if item.reference else item.reference
    return replace(item, question=experiment.redacted(item.question), reference=reference)


def judge_section(experiment: Experiment) -> LanguageModel:
    """Return the section of the config that names the judge's model."""
    judge = experiment.config.evaluation.judge
    return experiment.config.generation if judge.provider == "none" else judge


def judge_of(experiment: Experiment, budget: Budget, watchdog: Watchdog) -> LLMClient:
    """Return the config's judge.

    Raises:
        InputError: The config names none.
        ModelUnavailable: Its key is missing.
    """
    config = experiment.config
    if config.evaluation.judge.provider != "none":
        return experiment.llm(
            config.evaluation.judge, where="evaluation.judge", budget=budget, watchdog=watchdog
        )
    if config.generation.provider in ("none", "extractive"):
        raise InputError(
            f"evaluation.judge.provider: expected a language model to judge with, found none, and generation.provider "
            f"is {config.generation.provider}",
            hint="set evaluation.judge.provider and evaluation.judge.model, or leave --judge out",
        )
    return experiment.llm(budget=budget, watchdog=watchdog)


def judge_policy(experiment: Experiment, judged: Sequence[JudgeMeasure]) -> GatePolicy:
    """Return what an answer must reach, as far as it is judged."""
    policy = experiment.config.evaluation.judge.policy
    minimums = {
        measure: minimum
        for key, measure in _MINIMUMS.items()
        if (minimum := getattr(policy, key)) is not None and measure in judged
    }
    return GatePolicy(minimums, policy.worst_severity)


def stopped_with(error: LLMError, done: str) -> LLMError:
    """Return the error with what was done before it, which is kept."""
    return LLMError(
        f"{error.message} ({done} are done and kept)",
        hint=f"{error.hint}; the same command asks only for what is missing",
        kind=error.kind,
    )
