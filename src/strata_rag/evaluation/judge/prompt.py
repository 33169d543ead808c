"""The judge's prompts: files of this package, each with an id and a digest."""

from __future__ import annotations

import functools
import hashlib
from dataclasses import dataclass
from importlib.resources import files

from strata_rag.evaluation.judge.verdicts import JUDGE_MEASURES, JudgeMeasure

LAYOUT = 1
"""Grows when the material is laid out otherwise behind an unchanged prompt."""

_FILES: dict[JudgeMeasure, str] = {
    "Faithfulness": "faithfulness",
    "AnswerRelevance": "answer-relevance",
    "ContextPrecision": "context-precision",
    "ContextRecall": "context-recall",
}


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a judge is told.

    Attributes:
        id: ``judge/<file>``.
        digest: SHA-256 over the text and the layout of what follows it, 16 hexadecimal digits.
        text: The system's message.
    """

    id: str
    digest: str
    text: str


@functools.cache
def load_prompt(measure: JudgeMeasure) -> Prompt:
    """Return the prompt of a judged measure."""
    name = _FILES[measure]
    text = files(__package__).joinpath("prompts", f"{name}.md").read_text(encoding="utf-8")
    digest = hashlib.sha256(f"{LAYOUT}\0{text}".encode()).hexdigest()[:16]
    return Prompt(f"judge/{name}", digest, text)


def prompt_digests() -> dict[str, str]:
    """Return the digest of every judge's prompt by its id, for run records."""
    return {prompt.id: prompt.digest for prompt in map(load_prompt, JUDGE_MEASURES)}
