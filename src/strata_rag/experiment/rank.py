"""Rank: what searching for every question of a golden set gives."""

from __future__ import annotations

from dataclasses import dataclass

from strata_rag.errors import GoldenError, InputError
from strata_rag.evaluation import (
    GoldenSet,
    Measure,
    PerQuery,
    RankedItem,
    Timing,
    count_questions,
    evaluate,
    load_golden,
    resolve,
)
from strata_rag.experiment.build import Experiment
from strata_rag.experiment.golden import evidence_from_index
from strata_rag.experiment.query import opened
from strata_rag.experiment.search_warnings import search_warnings
from strata_rag.experiment.settings import SearchSettings
from strata_rag.index import CollectionRecord, Index
from strata_rag.progress import Progress
from strata_rag.retrieval import Hit, Scorer, retrieve_deep


@dataclass(frozen=True, slots=True)
class Ranked:
    """What searching for every question gave.

    Attributes:
        golden: The questions, judged in the corpus's own ids.
        rankings: Question id -> its ranking.
        hits: Question id -> the hits that its answer may rest on; empty where none is asked for.
        values: What the rankings are worth.
        depth: How many distinct items each holds at most.
        record: Of the collection searched.
        scorer: The reranker, or None.
        notes: What a reader of the figures should know.
        timings: Stage -> time per question.
        counts: See `count_questions`; what was computed beside.
    """

    golden: GoldenSet
    rankings: dict[str, list[RankedItem]]
    hits: dict[str, list[Hit]]
    values: PerQuery
    depth: int
    record: CollectionRecord
    scorer: Scorer | None
    notes: list[str]
    timings: dict[str, Timing]
    counts: dict[str, int]


def golden_set(experiment: Experiment, *, kind: str | None, limit: int | None) -> GoldenSet:
    """Return the questions to ask: all of the golden set, or of one kind, or the first ones.

    Raises:
        InputError: The config names no golden set, its level is another, or it has no question of that kind.
        GoldenError: The golden set has faults.
    """
    evaluation = experiment.config.evaluation
    if evaluation.golden is None:
        raise InputError(
            "evaluation.golden: expected a golden set, the config names none",
            hint="set evaluation.golden to a YAML file of questions or a BEIR folder",
        )
    golden = load_golden(evaluation.golden, split=evaluation.split, level=evaluation.level)
    if golden.levels not in ((evaluation.level,), ()):
        raise InputError(
            f"{evaluation.golden}: expected questions judged at level {evaluation.level}, "
            f"found {', '.join(golden.levels)}",
            hint="set evaluation.level, or evaluate questions of one level at a time",
        )
    if kind is not None:
        kinds = sorted({question.kind for question in golden.questions})
        golden = golden.only(question.id for question in golden.questions if question.kind == kind)
        if not golden.questions:
            raise InputError(
                f"--kind: expected one of {', '.join(kinds)}, found {kind!r}",
                hint=f"{evaluation.golden} has no such",
            )
    return golden if limit is None else golden.only(question.id for question in golden.questions[:limit])


def rank(
    experiment: Experiment, settings: SearchSettings, golden: GoldenSet, progress: Progress, *, top_k: bool
) -> Ranked:
    """Search for every question of `golden`; with `top_k` also keep the hits that an answer may rest on.

    Raises:
        CollectionError: The collection is missing, incomplete, or made by something else.
        GoldenError: A judged id is not in the corpus.
    """
    evaluation, most = experiment.config.evaluation, experiment.config.retrieval.top_k
    measures = [Measure.parse(text) for text in evaluation.measures]
    depth = max(most, *(measure.cutoff for measure in measures))
    rankings: dict[str, list[RankedItem]] = {}
    shown: dict[str, list[Hit]] = {}
    with opened(experiment, settings) as (record, index):
        golden, notes = _resolved(experiment, golden, record, index)
        if golden.unreviewed:
            notes.append(f"{golden.unreviewed} questions are drafts that nobody has reviewed")
        notes += search_warnings(
            experiment, settings, record, [question.text for question in golden.questions]
        )
        scorer = experiment.scorer() if settings.rerank else None
        retriever = experiment.retriever(index, settings, scorer)
        progress.phase("evaluating", len(golden.questions))
        for question in golden.questions:
            with experiment.timer.measure("total"):
                hits = retrieve_deep(retriever, question.text, depth=depth, level=evaluation.level)
            rankings[question.id] = [_ranked(hit, evaluation.level) for hit in hits]
            progress.advance()
        timings = {stage: Timing.of(found) for stage, found in experiment.timer.durations.items()}
        computed = _computed(experiment)
        if top_k:
            shown = {q.id: list(retriever.retrieve(q.text, most)) for q in golden.questions}
    progress.close()
    found = {key: [item.id for item in items] for key, items in rankings.items()}
    values = evaluate(measures, found, golden)
    counts = {**count_questions(golden, rankings), **computed}
    return Ranked(golden, rankings, shown, values, depth, record, scorer, notes, timings, counts)


def _resolved(
    experiment: Experiment, golden: GoldenSet, record: CollectionRecord, index: Index
) -> tuple[GoldenSet, list[str]]:
    """Return the golden set in the corpus's own ids; an id the corpus lacks is a fault, unless it was limited."""
    if golden.has_evidence:
        golden = evidence_from_index(golden, index)
    payloads = (payload for _, payload in index.scroll(["doc_id", "start", "end"]))
    if experiment.config.evaluation.level == "chunk":
        known = {f"{payload['doc_id']}#{payload['start']}-{payload['end']}" for payload in payloads}
    else:
        known = {payload["doc_id"] for payload in payloads} | set(record.corpus["empty"])
    try:
        return resolve(golden, known), []
    except GoldenError as error:
        if experiment.config.corpus.limit is None:
            raise
        note = f"corpus.limit leaves out {len(error.faults)} judged items; measures count them as not found"
        return golden, [note]


def _ranked(hit: Hit, level: str) -> RankedItem:
    return RankedItem(hit.chunk_id if level == "chunk" else hit.doc_id, hit.score, hit.chunk_id)


def _computed(experiment: Experiment) -> dict[str, int]:
    """Count what was computed rather than read from the cache: the timings of these stages are of it alone."""
    durations = experiment.timer.durations
    return {
        "computed_embeddings": len(durations.get("embed", [])),
        "computed_rerankings": len(durations.get("rerank", [])),
    }
