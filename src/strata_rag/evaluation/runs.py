"""A run as a value: what was measured, on what, with what."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

import numpy as np

from strata_rag.evaluation.answers_record import AnswersRecord
from strata_rag.evaluation.golden import GoldenSet
from strata_rag.evaluation.intervals import Summary
from strata_rag.evaluation.measures import Measure
from strata_rag.evaluation.trec import RankedItem

Slices = Mapping[str, Mapping[str, Mapping[Measure, Summary]]]


@dataclass(frozen=True, slots=True)
class GoldenRef:
    """Which golden set a run was judged by.

    Attributes:
        path: Where it was read from.
        digest: `GoldenSet.digest`; runs compare only where it agrees.
        questions: How many questions it holds.
        judged: How many (question, item) pairs it judges.
    """

    path: str
    digest: str
    questions: int
    judged: int

    @classmethod
    def of(cls, golden: GoldenSet) -> GoldenRef:
        return cls(golden.origin, golden.digest, len(golden.questions), golden.judgements)


@dataclass(frozen=True, slots=True)
class Timing:
    """How long one stage took per question, in milliseconds; NaN if it never ran."""

    p50: float
    p95: float

    @classmethod
    def of(cls, milliseconds: Sequence[float]) -> Timing:
        if not milliseconds:
            return cls(math.nan, math.nan)
        p50, p95 = np.percentile(milliseconds, [50, 95])
        return cls(float(p50), float(p95))


@dataclass(frozen=True, slots=True)
class RunRecord:
    """Everything about a run that is not per question; `run.json` holds it.

    Attributes:
        run_id: See `make_run_id`; also the name of the run's folder.
        created: When the run was made, with its time zone.
        label: What tables call it, from the effective config.
        name: The experiment.
        collection: The collection it searched.
        mode: dense, lexical or hybrid.
        level: What relevance was judged on.
        depth: How many distinct items of each ranking are kept.
        seed: Of the bootstrap.
        config: The effective config.
        config_digest: SHA-256 of it.
        code_version: Of this package.
        corpus_digest: Of the documents that the collection holds.
        golden: The golden set.
        measures: Means with intervals.
        slices: Slicing -> slice -> means, such as ``kind`` -> ``code`` -> nDCG@10.
        models: One description for each model that took part.
        libraries: Name -> version.
        timings_ms: Stage -> time per question.
        counts: See `count_questions`; further counts may stand beside.
        warnings: What a reader of the figures should know.
        answers: What answered and judged; None where only rankings were measured.
    """

    run_id: str
    created: datetime
    label: str
    name: str
    collection: str
    mode: str
    level: str
    depth: int
    seed: int
    config: Mapping[str, object]
    config_digest: str
    code_version: str
    corpus_digest: str
    golden: GoldenRef
    measures: Mapping[Measure, Summary]
    slices: Slices = field(default_factory=dict)
    models: Sequence[Mapping[str, object]] = ()
    libraries: Mapping[str, str] = field(default_factory=dict)
    timings_ms: Mapping[str, Timing] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)
    warnings: Sequence[str] = ()
    answers: AnswersRecord | None = None

    def __post_init__(self) -> None:
        if self.created.tzinfo is None:
            raise ValueError("created: a time with its zone was expected")


def make_run_id(created: datetime, name: str, token: str) -> str:
    """Compose ``<UTC time yyyymmddThhmmss>-<name>-<6 hex>``; ids sort by time.

    Args:
        created: With its time zone.
        name: The experiment; what a folder name can't hold becomes ``-``.
        token: Six hexadecimal digits that tell runs of one second apart.
    """
    if created.tzinfo is None:
        raise ValueError("created: a time with its zone was expected")
    if not re.fullmatch(r"[0-9a-f]{6}", token):
        raise ValueError(f"token: six hexadecimal digits were expected, found {token!r}")
    safe = re.sub(r"[^\w.-]+", "-", name).strip("-.") or "run"
    return f"{created.astimezone(UTC):%Y%m%dT%H%M%S}-{safe}-{token}"


def count_questions(golden: GoldenSet, rankings: Mapping[str, Sequence[RankedItem]]) -> dict[str, int]:
    """Count the questions, and those that the means leave out or that found nothing.

    ``unlabelled`` have no relevant item although they should have; ``unanswerable`` have none by design.
    Neither enters a mean but Judged's.
    """
    unanswerable = sum(question.kind == "unanswerable" for question in golden.questions)
    without = sum(not question.relevant for question in golden.questions)
    return {
        "questions": len(golden.questions),
        "unlabelled": without - unanswerable,
        "unanswerable": unanswerable,
        "unjudged": golden.unjudged,
        "no_results": sum(not rankings.get(question.id) for question in golden.questions),
    }
