"""The judge's prompts: one file for each measure, each with an id and a digest."""

from __future__ import annotations

from strata_rag.evaluation.judge.verdicts import JUDGE_MEASURES, JudgeMeasure
from strata_rag.generation import Prompt, read_prompt

_FILES: dict[JudgeMeasure, str] = {
    "Faithfulness": "faithfulness",
    "AnswerRelevance": "answer-relevance",
    "ContextPrecision": "context-precision",
    "ContextRecall": "context-recall",
}


def load_prompt(measure: JudgeMeasure) -> Prompt:
    """Return the prompt of a judged measure; its part ``system`` is what the judge is told."""
    return read_prompt(_FILES[measure], package="strata_rag.evaluation.judge.prompts")


def prompt_digests() -> dict[str, str]:
    """Return the digest of every judge's prompt by its name, for run records."""
    return {prompt.name: prompt.digest for prompt in map(load_prompt, JUDGE_MEASURES)}
