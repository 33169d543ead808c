"""Evaluate: an experiment's rankings over a golden set, measured and recorded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from importlib import metadata
from typing import Any

from strata_rag.cache import digest_request
from strata_rag.errors import GoldenError, InputError
from strata_rag.evaluation import (
    GoldenRef,
    GoldenSet,
    Measure,
    RankedItem,
    RunRecord,
    SliceBy,
    StoredRun,
    Timing,
    count_questions,
    evaluate,
    list_runs,
    load_golden,
    make_run_id,
    resolve,
    slices,
    summarise,
    write_run,
)
from strata_rag.experiment.build import Experiment
from strata_rag.experiment.golden import evidence_from_index
from strata_rag.experiment.query import opened
from strata_rag.experiment.reranking import rerank_use
from strata_rag.experiment.search_warnings import search_warnings
from strata_rag.experiment.settings import SearchSettings
from strata_rag.index import CollectionRecord, Index
from strata_rag.progress import Progress
from strata_rag.report import EvaluationResult
from strata_rag.retrieval import Hit, Scorer, retrieve_deep
from strata_rag.version import __version__

_LIBRARIES = (
    "numpy",
    "qdrant-edge-py",
    "qdrant-client",
    "bm25s",
    "rank-bm25",
    "PyStemmer",
    "tokenizers",
    "sentence-transformers",
    "transformers",
    "torch",
)


def evaluate_experiment(
    experiment: Experiment,
    settings: SearchSettings,
    *,
    kind: str | None = None,
    limit: int | None = None,
    created: datetime,
    token: str,
    progress: Progress,
) -> EvaluationResult:
    """Rank every question of the golden set, measure, and write a run.

    Args:
        experiment: The components.
        settings: The effective settings of the search.
        kind: Only questions of this kind, or None for all.
        limit: Only the first questions, or None for all.
        created: When the run was made, with its time zone.
        token: Six hexadecimal digits that tell runs of one second apart.
        progress: Shown the phases.

    Raises:
        InputError: There is no golden set, or no question of that kind.
        GoldenError: The golden set has faults; nothing is evaluated.
        CollectionError: The collection is missing, incomplete, or made by something else.
    """
    experiment.timer.restart()
    evaluation = experiment.config.evaluation
    golden = _golden_set(experiment, kind=kind, limit=limit)
    measures = [Measure.parse(text) for text in evaluation.measures]
    depth = max(experiment.config.retrieval.top_k, *(measure.cutoff for measure in measures))
    rankings: dict[str, list[RankedItem]] = {}
    with opened(experiment, settings) as (record, index):
        golden, notes = _resolved(experiment, golden, record, index)
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
    progress.close()
    per_query = evaluate(
        measures, {key: [item.id for item in items] for key, items in rankings.items()}, golden
    )
    effective = _effective_config(experiment, settings)
    run = RunRecord(
        run_id=make_run_id(created, experiment.config.name, token),
        created=created,
        label=label(experiment, settings),
        name=experiment.config.name,
        collection=record.name,
        mode=settings.mode,
        level=evaluation.level,
        depth=depth,
        seed=evaluation.seed,
        config=effective,
        config_digest=digest_request(effective).hex(),
        code_version=__version__,
        corpus_digest=record.corpus["digest"],
        golden=GoldenRef.of(golden),
        measures=summarise(per_query, seed=evaluation.seed),
        slices={by: slices(per_query, golden, by=by, seed=evaluation.seed) for by in _slicings(golden)},
        models=_models(settings, record, scorer),
        libraries=_versions(),
        timings_ms={stage: Timing.of(values) for stage, values in experiment.timer.durations.items()},
        counts={**count_questions(golden, rankings), **_computed(experiment)},
        warnings=tuple(notes),
    )
    folder = experiment.workspace.runs / run.run_id
    write_run(folder, run, golden, rankings, per_query)
    stored = StoredRun(folder, run)
    runs, broken = list_runs(experiment.workspace.runs)
    damaged = tuple(f"an earlier run is left out: {message}" for _, message in broken)
    return EvaluationResult(stored, _earlier(runs, stored), damaged)


def label(experiment: Experiment, settings: SearchSettings) -> str:
    """Return what tables call a search: first stage and what of it is not the default, reranker, floor."""
    retrieval = experiment.config.retrieval
    first = settings.mode
    if first == "hybrid" and retrieval.fusion.method == "weighted":
        first = f"hybrid (weighted, {retrieval.fusion.normalise})"
    if first != "dense" and retrieval.lexical.backend != "sparse":
        first = f"{first} [{retrieval.lexical.backend}]"
    if not settings.rerank:
        return first
    rerank = experiment.config.retrieval.rerank
    fused = " (rrf)" if rerank.combine == "rrf" else ""
    floor = "" if rerank.floor is None else f", floor {rerank.floor:g}"
    return f"{first} + {rerank.scorer}{fused}{floor}"


def _slicings(golden: GoldenSet) -> list[SliceBy]:
    """Slice by kind always, by language and tag where some question states one."""
    slicings: list[SliceBy] = ["kind"]
    if any(question.lang for question in golden.questions):
        slicings.append("lang")
    if any(question.tags for question in golden.questions):
        slicings.append("tag")
    return slicings


def _golden_set(experiment: Experiment, *, kind: str | None, limit: int | None) -> GoldenSet:
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


def _effective_config(experiment: Experiment, settings: SearchSettings) -> dict[str, Any]:
    effective = experiment.config.model_dump(mode="json")
    effective["retrieval"]["mode"] = settings.mode
    if not settings.rerank:
        effective["retrieval"]["rerank"]["scorer"] = "none"
    return effective


def _models(
    settings: SearchSettings, record: CollectionRecord, scorer: Scorer | None
) -> Sequence[dict[str, Any]]:
    models = [{"role": "embedder", **record.model}] if settings.mode != "lexical" else []
    if scorer is None:
        return models
    use = rerank_use(scorer)
    used = {} if use is None else {"use": asdict(use)}
    return [*models, {"role": "scorer", **asdict(scorer.describe()), **used}]


def _versions() -> dict[str, str]:
    versions = {}
    for name in _LIBRARIES:
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return versions


def _computed(experiment: Experiment) -> dict[str, int]:
    """Count what was computed rather than read from the cache: the timings of these stages are of it alone."""
    durations = experiment.timer.durations
    return {
        "computed_embeddings": len(durations.get("embed", [])),
        "computed_rerankings": len(durations.get("rerank", [])),
    }


def _earlier(runs: Sequence[StoredRun], current: StoredRun) -> tuple[StoredRun, ...]:
    mine = current.record
    latest: dict[tuple[str, str], StoredRun] = {}
    for run in runs:
        other = run.record
        same_questions = (other.golden.digest, other.level) == (mine.golden.digest, mine.level)
        if same_questions and (other.name, other.label) != (mine.name, mine.label):
            latest.setdefault((other.name, other.label), run)
    return tuple(latest.values())
