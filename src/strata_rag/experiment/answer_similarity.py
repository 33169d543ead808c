"""How near answers are to their references in the experiment's own embedding."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from strata_rag.errors import StrataError
from strata_rag.evaluation import GoldenSet, plain_text
from strata_rag.experiment.build import Experiment
from strata_rag.generation import Answer


def similarities(
    experiment: Experiment, golden: GoldenSet, answers: Sequence[Answer]
) -> tuple[list[float], str]:
    """Return the cosine of each answer and its nearest reference, NaN where there is none.

    Returns:
        The values in the order of the answers, and a note where the model could not be had: a search by words needs
        none, and shall not fail for want of it.
    """
    pairs = [
        (place, plain_text(answer), question.references)
        for place, (question, answer) in enumerate(zip(golden.questions, answers, strict=True))
        if answer.status == "answered" and plain_text(answer).strip() and question.references
    ]
    found = [math.nan] * len(answers)
    texts = list(dict.fromkeys(text for _, own, others in pairs for text in (own, *others)))
    if not texts:
        return found, ""
    try:
        vectors = dict(zip(texts, experiment.embedder.embed_documents(texts), strict=True))
    except StrataError as error:
        return found, f"EmbeddingSimilarity is left out: {error.message}"
    for place, own, references in pairs:
        found[place] = max(_cosine(vectors[own], vectors[reference]) for reference in references)
    return found, ""


def _cosine(one: Any, other: Any) -> float:
    lengths = float(np.linalg.norm(one) * np.linalg.norm(other))
    return float(np.dot(one, other)) / lengths if lengths else math.nan
