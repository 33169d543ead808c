"""Renderers, and the values they render."""

from strata_rag.report.console import print_dry_run, print_evaluation, print_ingest, print_query
from strata_rag.report.documents import dry_run_document, evaluation_document, ingest_document, query_document
from strata_rag.report.pii import pii_document, print_pii
from strata_rag.report.pii_page import pii_page
from strata_rag.report.results import DocumentChanges, DryRun, EvaluationResult, IngestResult, QueryResult

__all__ = [
    "DocumentChanges",
    "DryRun",
    "EvaluationResult",
    "IngestResult",
    "QueryResult",
    "dry_run_document",
    "evaluation_document",
    "ingest_document",
    "pii_document",
    "pii_page",
    "print_dry_run",
    "print_evaluation",
    "print_ingest",
    "print_pii",
    "print_query",
    "query_document",
]
