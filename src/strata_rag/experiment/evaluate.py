"""Evaluate: an experiment's rankings over a golden set, measured and recorded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from importlib import metadata
from typing import Any

from strata_rag.cache import digest_request
from strata_rag.errors import GoldenError, InputError
from strata_rag.evaluation import (
    GoldenRef,
    GoldenSet,
    Measure,
    PerQuery,
    RankedItem,
    RunRecord,
    SliceBy,
    StoredRun,
    Timing,
    beside,
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
from strata_rag.experiment.answering import Answering, AnswerOptions, AnswerStage
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
    answers: AnswerOptions | None = None,
    announce: Callable[[str], None] = lambda _: None,
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
        answers: What is asked of answers and judge; None leaves both out.
        announce: Told what answers and judge would cost, before they are asked.

    Returns:
        The run. Where more answers or judgements are missing than the config allows, it is written all the same, and
        `EvaluationResult.failure` says so.

    Raises:
        InputError: There is no golden set, no question of that kind, or nothing to answer or judge with.
        GoldenError: The golden set has faults; nothing is evaluated.
        CollectionError: The collection is missing, incomplete, or made by something else.
        LLMError: A language model failed in a way that every later call would meet too. No run is written; what was
            answered is kept, and the same command continues from there.
    """
    experiment.timer.restart()
    golden = _golden_set(experiment, kind=kind, limit=limit)
    answering = Answering.prepare(experiment, answers, announce) if answers is not None else None
    ranked = _rank(experiment, settings, golden, progress, top_k=answers is not None)
    golden, per_query = ranked.golden, ranked.values
    seed = experiment.config.evaluation.seed
    stage = None
    if answering is not None:
        stage = answering.run(golden, ranked.hits, summarise(per_query, seed=seed), progress)
        per_query = beside(per_query, stage.table)
    run = _run_record(experiment, settings, ranked, per_query, created=created, token=token)
    if stage is not None:
        run = _with_answers(run, experiment, stage)
    folder = experiment.workspace.runs / run.run_id
    write_run(folder, run, golden, ranked.rankings, per_query, stage.answered if stage else ())
    stored = StoredRun(folder, run)
    runs, broken = list_runs(experiment.workspace.runs)
    damaged = tuple(f"an earlier run is left out: {message}" for _, message in broken)
    return EvaluationResult(stored, _earlier(runs, stored), damaged, stage.failure if stage else None)


@dataclass(frozen=True, slots=True)
class _Ranked:
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


def _rank(
    experiment: Experiment, settings: SearchSettings, golden: GoldenSet, progress: Progress, *, top_k: bool
) -> _Ranked:
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
    return _Ranked(golden, rankings, shown, values, depth, record, scorer, notes, timings, counts)


def _run_record(
    experiment: Experiment,
    settings: SearchSettings,
    ranked: _Ranked,
    per_query: PerQuery,
    *,
    created: datetime,
    token: str,
) -> RunRecord:
    evaluation = experiment.config.evaluation
    golden, seed = ranked.golden, evaluation.seed
    effective = _effective_config(experiment, settings)
    return RunRecord(
        run_id=make_run_id(created, experiment.config.name, token),
        created=created,
        label=label(experiment, settings),
        name=experiment.config.name,
        collection=ranked.record.name,
        mode=settings.mode,
        level=evaluation.level,
        depth=ranked.depth,
        seed=seed,
        config=effective,
        config_digest=digest_request(effective).hex(),
        code_version=__version__,
        corpus_digest=ranked.record.corpus["digest"],
        golden=GoldenRef.of(golden),
        measures=summarise(per_query, seed=seed),
        slices={by: slices(per_query, golden, by=by, seed=seed) for by in _slicings(golden)},
        models=_models(settings, ranked.record, ranked.scorer),
        libraries=_versions(),
        timings_ms=ranked.timings,
        counts=ranked.counts,
        warnings=tuple(ranked.notes),
    )


def _with_answers(run: RunRecord, experiment: Experiment, stage: AnswerStage) -> RunRecord:
    """Add what answered and judged; the label says what answered, so that runs of two generators are told apart."""
    record = stage.record
    roles = [("generator", record.generator), ("judge", record.judge)]
    models = [{"role": role, **model} for role, model in roles if model]
    generation = experiment.config.generation
    answered = f", answers {generation.model or generation.provider}" if stage.answered else ""
    return replace(
        run,
        label=f"{run.label}{answered}",
        models=(*run.models, *models),
        warnings=(*run.warnings, *stage.notes),
        answers=record,
    )


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
