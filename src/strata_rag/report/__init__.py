"""Renderers, and the values they render."""

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
from strata_rag.report.console import print_dry_run, print_evaluation, print_ingest, print_query
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
from strata_rag.report.results import (
    DocumentChanges,
    DryRun,
    EvaluationResult,
    HostedUse,
    IngestResult,
    QueryResult,
)
from strata_rag.report.visible import visible

__all__ = [
    "CollectionDetails",
    "CollectionRow",
    "DocumentChanges",
    "DryRun",
    "EvaluationResult",
    "Finding",
    "HostedUse",
    "IngestResult",
    "InitResult",
    "PruneResult",
    "PushResult",
    "QueryResult",
    "collection_document",
    "collections_document",
    "dry_run_document",
    "evaluation_document",
    "exit_code",
    "findings_document",
    "ingest_document",
    "init_document",
    "print_collection",
    "print_collections",
    "print_dry_run",
    "print_evaluation",
    "print_findings",
    "print_ingest",
    "print_init",
    "print_prune",
    "print_push",
    "print_query",
    "prune_document",
    "push_document",
    "query_document",
    "visible",
]
