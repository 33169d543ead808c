"""Results as JSON values; what a stage did not give is null."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from strata_rag.evaluation import Measure, Summary
from strata_rag.report.results import DryRun, EvaluationResult, IngestResult, QueryResult
from strata_rag.retrieval import STAGES, Hit


def dry_run_document(preview: DryRun) -> dict[str, Any]:
    """Return what ``strata ingest --dry-run --json`` prints."""
    return {
        "collection": preview.collection,
        **preview.manifest.as_json(),
        "truncated": preview.truncated,
        "estimated_seconds": preview.seconds,
        "warnings": list(preview.warnings),
        "manifest": str(preview.saved),
    }


def ingest_document(result: IngestResult) -> dict[str, Any]:
    """Return what ``strata ingest --json`` prints."""
    changes = result.documents
    return {
        "collection": result.collection,
        "documents": {
            "added": changes.added,
            "changed": changes.changed,
            "removed": changes.removed,
            "unchanged": changes.unchanged,
            "excluded": result.excluded,
            "failed": result.failed,
        },
        "chunks": result.chunks,
        "written": result.written,
        "hosted": asdict(result.hosted) if result.hosted else None,
        "embedded": result.embedded,
        "rewritten": result.rewritten,
        "truncated": result.truncated,
        "redactions": result.redactions,
        "secrets": result.secrets,
        "reasons": list(result.reasons),
        "warnings": list(result.warnings),
        "timings_ms": result.timings_ms,
        "manifest": str(result.manifest),
    }


def query_document(result: QueryResult) -> dict[str, Any]:
    """Return what ``strata query --json`` prints."""
    return {
        "question": result.question,
        "collection": result.collection,
        "mode": result.mode,
        "hits": [
            _hit(rank, hit, terms)
            for rank, (hit, terms) in enumerate(zip(result.hits, result.matched_terms, strict=True), 1)
        ],
        "warnings": list(result.warnings),
        "timings_ms": result.timings_ms,
        "reranking": asdict(result.reranking) if result.reranking else None,
    }


def _hit(rank: int, hit: Hit, matched_terms: tuple[str, ...]) -> dict[str, Any]:
    return {
        "rank": rank,
        "chunk_id": hit.chunk_id,
        "doc_id": hit.doc_id,
        "start": hit.start,
        "end": hit.end,
        "text": hit.text,
        "source": hit.payload.get("source", ""),
        "project": hit.payload.get("project", ""),
        "scores": {stage: _number(hit.scores.get(stage)) for stage in STAGES},
        "ranks": {stage: hit.ranks.get(stage) for stage in STAGES},
        "matched_terms": list(matched_terms),
    }


def evaluation_document(result: EvaluationResult) -> dict[str, Any]:
    """Return what ``strata eval --json`` prints."""
    run = result.run.record
    return {
        "run_id": run.run_id,
        "label": run.label,
        "collection": run.collection,
        "mode": run.mode,
        "queries": run.golden.questions,
        "measures": _summaries(run.measures),
        "slices": {
            slicing: {name: _summaries(measures) for name, measures in slices.items()}
            for slicing, slices in run.slices.items()
        },
        "counts": dict(run.counts),
        "models": [dict(model) for model in run.models],
        "warnings": [*run.warnings, *result.damaged],
        "timings_ms": {
            stage: {"p50": _number(timing.p50), "p95": _number(timing.p95)}
            for stage, timing in run.timings_ms.items()
        },
        "path": str(result.run.path),
    }


def _summaries(measures: Mapping[Measure, Summary]) -> dict[str, dict[str, float | None]]:
    return {
        str(measure): {
            "value": _number(summary.value),
            "n": summary.n,
            "low": _number(summary.low),
            "high": _number(summary.high),
        }
        for measure, summary in measures.items()
    }


def _number(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None
