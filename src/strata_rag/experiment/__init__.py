"""Use cases, and the one place where a config becomes components."""

from strata_rag.experiment.build import Experiment, SearchSettings
from strata_rag.experiment.evaluate import evaluate_experiment
from strata_rag.experiment.ingest import dry_run, ingest
from strata_rag.experiment.inspect import inspect_chunks
from strata_rag.experiment.query import query
from strata_rag.experiment.workspace import Workspace

__all__ = [
    "Experiment",
    "SearchSettings",
    "Workspace",
    "dry_run",
    "evaluate_experiment",
    "ingest",
    "inspect_chunks",
    "query",
]
