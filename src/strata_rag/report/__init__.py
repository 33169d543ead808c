"""Renderers, and the values they render."""

from strata_rag.report.console import print_dry_run, print_evaluation, print_ingest, print_query
from strata_rag.report.documents import dry_run_document, evaluation_document, ingest_document, query_document
from strata_rag.report.results import DocumentChanges, DryRun, EvaluationResult, IngestResult, QueryResult
from strata_rag.report.visible import visible

__all__ = [
    "DocumentChanges",
    "DryRun",
    "EvaluationResult",
    "IngestResult",
    "QueryResult",
    "dry_run_document",
    "evaluation_document",
    "ingest_document",
    "print_dry_run",
    "print_evaluation",
    "print_ingest",
    "print_query",
    "query_document",
    "visible",
]
