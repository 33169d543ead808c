"""The keys of `evaluation.judge`: what judges answers, and when they pass."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from strata_rag.config.generation import LanguageModel
from strata_rag.config.section import Section

JudgeMeasure = Literal["Faithfulness", "AnswerRelevance", "ContextPrecision", "ContextRecall"]
Severity = Literal["none", "minor", "moderate", "major", "critical"]
_Share = Annotated[float, Field(ge=0, le=1)]


class JudgePolicy(Section):
    """What one answer must reach to pass. A measure that is null decides nothing."""

    faithfulness: _Share | None = Field(0.8, description="Least share of supported statements.")
    answer_relevance: _Share | None = Field(0.5, description="Least relevance; 0.5 is a 3 of 5.")
    context_precision: _Share | None = Field(None, description="Least precision of the passages.")
    context_recall: _Share | None = Field(None, description="Least recall of the passages.")
    worst_severity: Severity | None = Field(
        "moderate", description="Worst fault that still passes, under the measures above; null lets all pass."
    )


class Judge(LanguageModel):
    """What judges answers, and when they pass."""

    provider: Literal["none", "anthropic", "openai", "ollama", "replay"] = Field(
        "none",
        description="What runs the judge: the words of `generation.provider`. `none`: the model of `generation` judges "
        "its own answers, which the run says.",
    )
    measures: Annotated[tuple[JudgeMeasure, ...], Field(min_length=1)] = Field(
        ("Faithfulness", "AnswerRelevance", "ContextPrecision", "ContextRecall"),
        description="What is judged, about one call for each answer and measure.",
    )
    repeat: int = Field(
        1, ge=1, le=100, description="How often each answer is judged; 2 or more show the judge's own noise."
    )
    max_judge_failures: _Share = Field(
        0.05,
        description="Largest share of answers that never came, and of judgements without a value, that a run may have; "
        "beyond it, it could not be measured, and ends with 4.",
    )
    policy: JudgePolicy = Field(JudgePolicy(), description="What one answer must reach to pass.")
    labels: Path | None = Field(
        None,
        description="File of people's labels, made from `strata judge export`, that `min_agreement` is about.",
    )
    min_agreement: _Share | None = Field(
        None,
        description="Least weighted kappa between judge and labels, for each judged measure of a gate rule; below it "
        "the rule is not measurable. null asks for none.",
    )
