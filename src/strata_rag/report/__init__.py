"""Renderers, and the values they render."""

from strata_rag.report.console import print_dry_run, print_evaluation, print_ingest, print_query
from strata_rag.report.documents import dry_run_document, evaluation_document, ingest_document, query_document
from strata_rag.report.inspection import (
    ChunkInspection,
    InspectedChunk,
    inspection_document,
    print_inspection,
)
from strata_rag.report.results import DocumentChanges, DryRun, EvaluationResult, IngestResult, QueryResult

__all__ = [
    "ChunkInspection",
    "DocumentChanges",
    "DryRun",
    "EvaluationResult",
    "IngestResult",
    "InspectedChunk",
    "QueryResult",
    "dry_run_document",
    "evaluation_document",
    "ingest_document",
    "inspection_document",
    "print_dry_run",
    "print_evaluation",
    "print_ingest",
    "print_inspection",
    "print_query",
    "query_document",
]
