"""Use cases, and the one place where a config becomes components."""

from strata_rag.experiment.answering import AnswerOptions
from strata_rag.experiment.build import Experiment
from strata_rag.experiment.calibration import calibrate_judge, export_sample
from strata_rag.experiment.compare import compare, compare_runs
from strata_rag.experiment.evaluate import evaluate_experiment
from strata_rag.experiment.gate import checked_rules, run_gate
from strata_rag.experiment.golden import GoldenCheck, check_golden, check_golden_file
from strata_rag.experiment.golden_draft import draft_golden
from strata_rag.experiment.ingest import ingest
from strata_rag.experiment.inspect import inspect_chunks
from strata_rag.experiment.inspect_documents import inspect_documents
from strata_rag.experiment.judge_bias import CHECKS as BIAS_CHECKS
from strata_rag.experiment.judge_bias import check_bias
from strata_rag.experiment.pii_compare import compare_experiment, compare_path
from strata_rag.experiment.preview import dry_run
from strata_rag.experiment.query import query
from strata_rag.experiment.report import report_content
from strata_rag.experiment.runs import Pruning, prune_runs
from strata_rag.experiment.settings import SearchSettings
from strata_rag.experiment.workspace import Workspace

__all__ = [
    "BIAS_CHECKS",
    "AnswerOptions",
    "Experiment",
    "GoldenCheck",
    "Pruning",
    "SearchSettings",
    "Workspace",
    "calibrate_judge",
    "check_bias",
    "check_golden",
    "check_golden_file",
    "checked_rules",
    "compare",
    "compare_experiment",
    "compare_path",
    "compare_runs",
    "draft_golden",
    "dry_run",
    "evaluate_experiment",
    "export_sample",
    "ingest",
    "inspect_chunks",
    "inspect_documents",
    "prune_runs",
    "query",
    "report_content",
    "run_gate",
]
