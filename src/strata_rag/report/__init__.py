"""Renderers, and the values they render."""

from strata_rag.report.answer import StreamPrinter, answer_document, print_answer
from strata_rag.report.collections import (
    CollectionDetails,
    CollectionRow,
    PruneResult,
    PushResult,
    collection_document,
    collections_document,
    print_collection,
    print_collections,
    print_prune,
    print_push,
    prune_document,
    push_document,
)
from strata_rag.report.compare_console import print_comparison
from strata_rag.report.compare_documents import comparison_document
from strata_rag.report.compare_markdown import comparison_markdown
from strata_rag.report.console import print_evaluation, print_ingest, print_query
from strata_rag.report.content import Failure, ReportContent, Snippet
from strata_rag.report.document_inspection import (
    DocumentInspection,
    InspectedDocument,
    document_inspection_document,
    print_document_inspection,
)
from strata_rag.report.documents import dry_run_document, evaluation_document, ingest_document, query_document
from strata_rag.report.findings import (
    Finding,
    InitResult,
    exit_code,
    findings_document,
    init_document,
    print_findings,
    print_init,
)
from strata_rag.report.gate import gate_document, gate_junit, gate_markdown, gate_sentence, print_gate
from strata_rag.report.golden import print_golden
from strata_rag.report.inspection import (
    ChunkInspection,
    InspectedChunk,
    inspection_document,
    print_inspection,
)
from strata_rag.report.judge import bias_document, calibration_document, print_bias, print_calibration
from strata_rag.report.manifest import print_dry_run, print_manifest
from strata_rag.report.manifest_diff import ManifestComparison, manifest_diff_document, print_manifest_diff
from strata_rag.report.page import render_page
from strata_rag.report.pii import pii_document, print_pii
from strata_rag.report.pii_page import pii_page
from strata_rag.report.results import (
    DocumentChanges,
    DryRun,
    EvaluationResult,
    HostedUse,
    IngestResult,
    QueryResult,
)
from strata_rag.report.runs_console import print_run, print_runs, runs_document
from strata_rag.report.sources import (
    PluginList,
    PluginRow,
    RuleAdvice,
    advice_document,
    advice_notes,
    plugins_document,
    print_plugins,
    print_roster,
    roster_document,
)
from strata_rag.report.visible import visible

__all__ = [
    "ChunkInspection",
    "CollectionDetails",
    "CollectionRow",
    "DocumentChanges",
    "DocumentInspection",
    "DryRun",
    "EvaluationResult",
    "Failure",
    "Finding",
    "HostedUse",
    "IngestResult",
    "InitResult",
    "InspectedChunk",
    "InspectedDocument",
    "ManifestComparison",
    "PluginList",
    "PluginRow",
    "PruneResult",
    "PushResult",
    "QueryResult",
    "ReportContent",
    "RuleAdvice",
    "Snippet",
    "StreamPrinter",
    "advice_document",
    "advice_notes",
    "answer_document",
    "bias_document",
    "calibration_document",
    "collection_document",
    "collections_document",
    "comparison_document",
    "comparison_markdown",
    "document_inspection_document",
    "dry_run_document",
    "evaluation_document",
    "exit_code",
    "findings_document",
    "gate_document",
    "gate_junit",
    "gate_markdown",
    "gate_sentence",
    "ingest_document",
    "init_document",
    "inspection_document",
    "manifest_diff_document",
    "pii_document",
    "pii_page",
    "plugins_document",
    "print_answer",
    "print_bias",
    "print_calibration",
    "print_collection",
    "print_collections",
    "print_comparison",
    "print_document_inspection",
    "print_dry_run",
    "print_evaluation",
    "print_findings",
    "print_gate",
    "print_golden",
    "print_ingest",
    "print_init",
    "print_inspection",
    "print_manifest",
    "print_manifest_diff",
    "print_pii",
    "print_plugins",
    "print_prune",
    "print_push",
    "print_query",
    "print_roster",
    "print_run",
    "print_runs",
    "prune_document",
    "push_document",
    "query_document",
    "render_page",
    "roster_document",
    "runs_document",
    "visible",
]
