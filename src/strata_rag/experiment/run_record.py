"""The record of a run: what was searched with what, and what it is worth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from datetime import datetime
from importlib import metadata
from typing import Any

from strata_rag.cache import digest_request
from strata_rag.evaluation import (
    GoldenRef,
    GoldenSet,
    PerQuery,
    RunRecord,
    SliceBy,
    make_run_id,
    slices,
    summarise,
)
from strata_rag.experiment.answering import AnswerStage
from strata_rag.experiment.build import Experiment
from strata_rag.experiment.rank import Ranked
from strata_rag.experiment.reranking import rerank_use
from strata_rag.experiment.settings import SearchSettings
from strata_rag.index import CollectionRecord
from strata_rag.retrieval import Scorer
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


def run_record(
    experiment: Experiment,
    settings: SearchSettings,
    ranked: Ranked,
    per_query: PerQuery,
    *,
    created: datetime,
    token: str,
) -> RunRecord:
    """Return the record of a run.

    Args:
        experiment: The components.
        settings: The effective settings of the search.
        ranked: What searching gave.
        per_query: What each question's ranking, and its answer, is worth.
        created: When the run was made, with its time zone.
        token: Six hexadecimal digits that tell runs of one second apart.
    """
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


def with_answers(run: RunRecord, experiment: Experiment, stage: AnswerStage) -> RunRecord:
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
