"""Renderers, and the values they render."""

from strata_rag.report.compare_console import print_comparison
from strata_rag.report.compare_documents import comparison_document
from strata_rag.report.compare_markdown import comparison_markdown
from strata_rag.report.console import print_dry_run, print_evaluation, print_ingest, print_query
from strata_rag.report.content import Failure, ReportContent, Snippet
from strata_rag.report.documents import dry_run_document, evaluation_document, ingest_document, query_document
from strata_rag.report.gate import gate_document, gate_junit, gate_markdown, gate_sentence, print_gate
from strata_rag.report.golden import print_golden
from strata_rag.report.page import render_page
from strata_rag.report.results import DocumentChanges, DryRun, EvaluationResult, IngestResult, QueryResult
from strata_rag.report.runs_console import print_run, print_runs, runs_document

__all__ = [
    "DocumentChanges",
    "DryRun",
    "EvaluationResult",
    "Failure",
    "IngestResult",
    "QueryResult",
    "ReportContent",
    "Snippet",
    "comparison_document",
    "comparison_markdown",
    "dry_run_document",
    "evaluation_document",
    "gate_document",
    "gate_junit",
    "gate_markdown",
    "gate_sentence",
    "ingest_document",
    "print_comparison",
    "print_dry_run",
    "print_evaluation",
    "print_gate",
    "print_golden",
    "print_ingest",
    "print_query",
    "print_run",
    "print_runs",
    "query_document",
    "render_page",
    "runs_document",
]
