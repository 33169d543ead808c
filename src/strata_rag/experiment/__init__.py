"""Use cases, and the one place where a config becomes components."""

from strata_rag.experiment.build import Experiment, SearchSettings
from strata_rag.experiment.evaluate import evaluate_experiment
from strata_rag.experiment.ingest import dry_run, ingest
from strata_rag.experiment.pii_compare import compare_experiment, compare_path
from strata_rag.experiment.query import query
from strata_rag.experiment.workspace import Workspace

__all__ = [
    "Experiment",
    "SearchSettings",
    "Workspace",
    "compare_experiment",
    "compare_path",
    "dry_run",
    "evaluate_experiment",
    "ingest",
    "query",
]
