"""Labelled texts, and how well findings meet the labels."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from strata_rag.errors import InputError
from strata_rag.privacy.span import Span

RESAMPLES = 1000
LABEL_NAMES = {
    "GPE": "LOCATION",
    "STREET_ADDRESS": "LOCATION",
    "PHONE": "PHONE_NUMBER",
    "EMAIL": "EMAIL_ADDRESS",
}
"""Names of labels that mean one of our kinds."""


@dataclass(frozen=True, slots=True)
class LabelledText:
    """One text with what a person found in it."""

    text: str
    spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Score:
    """Precision, recall and F1 with the bounds of a 95 % interval of F1; NaN where undefined."""

    precision: float
    recall: float
    f1: float
    low: float
    high: float


def read_labels(path: Path) -> list[LabelledText]:
    r"""Read JSON lines with ``text`` and ``spans`` of ``type``, ``start`` and ``end``; only ``\n`` ends a line.

    Raises:
        InputError: The file can't be read, or a line is something else. Values are never in the message.
    """
    hint = 'each line is a JSON object: {"text": "...", "spans": [{"type": "PERSON", "start": 0, "end": 3}]}'
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        found = error.strerror if isinstance(error, OSError) else "bytes that are not UTF-8"
        raise InputError(f"{path}: expected labelled texts, found: {found}", hint=hint) from None
    labelled = []
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                labelled.append(_labelled(json.loads(line)))
            except (ValueError, KeyError, TypeError):
                problem = "expected text and spans inside it, found something else"
                raise InputError(f"{path}:{number}: {problem}", hint=hint) from None
    if not labelled:
        raise InputError(f"{path}: expected labelled texts, found none", hint=hint)
    return labelled


def _labelled(row: Any) -> LabelledText:
    text = row["text"]
    spans = tuple(
        Span(int(span["start"]), int(span["end"]), LABEL_NAMES.get(span["type"], span["type"]))
        for span in row["spans"]
    )
    if not isinstance(text, str) or any(not 0 <= span.start < span.end <= len(text) for span in spans):
        raise ValueError
    return LabelledText(text, spans)


def score(
    found: Sequence[Sequence[Span]], labelled: Sequence[LabelledText], entity: str, *, exact: bool, seed: int
) -> Score:
    """Score findings of one kind against the labels.

    Exact: a finding counts if a label has the same bounds. Overlapping: if a label of the kind shares a character.
    The interval is the percentile bootstrap over texts.
    """
    rows = [
        _counts(
            [span for span in spans if span.entity == entity],
            [span for span in one.spans if span.entity == entity],
            exact,
        )
        for spans, one in zip(found, labelled, strict=True)
    ]
    counts = np.asarray(rows, dtype=np.float64)
    precision, recall, f1 = _measures(counts.sum(axis=0))
    rng = np.random.Generator(np.random.PCG64(seed))
    weights = rng.multinomial(len(rows), np.full(len(rows), 1 / len(rows)), size=RESAMPLES)
    resampled = _measures((weights @ counts).T)[2]
    defined = resampled[~np.isnan(resampled)]
    low, high = np.percentile(defined, [2.5, 97.5]) if len(defined) > 1 else (np.nan, np.nan)
    return Score(float(precision), float(recall), float(f1), float(low), float(high))


def _counts(found: Collection[Span], gold: Collection[Span], exact: bool) -> tuple[int, int, int, int]:
    """Return findings, those that meet a label, labels, those that are met."""

    def meet(one: Span, other: Span) -> bool:
        if exact:
            return (one.start, one.end) == (other.start, other.end)
        return one.start < other.end and other.start < one.end

    right = sum(any(meet(one, other) for other in gold) for one in found)
    met = sum(any(meet(one, other) for one in found) for other in gold)
    return len(found), right, len(gold), met


def _measures(counts: NDArray[np.float64]) -> tuple[Any, Any, Any]:
    with np.errstate(invalid="ignore", divide="ignore"):
        precision, recall = counts[1] / counts[0], counts[3] / counts[2]
        f1 = np.where(counts[1] + counts[3] > 0, 2 * precision * recall / (precision + recall), 0.0)
        return precision, recall, np.where(counts[0] + counts[2] > 0, f1, np.nan)
