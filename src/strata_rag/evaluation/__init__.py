"""Golden sets, measures, intervals and run records."""

from strata_rag.evaluation.golden import KINDS, LEVELS, GoldenSet, Question
from strata_rag.evaluation.golden_load import load_golden
from strata_rag.evaluation.golden_resolve import check_against, resolve
from strata_rag.evaluation.intervals import Interval, Summary, bootstrap_mean, slices, summarise
from strata_rag.evaluation.measures import NAMES, Measure, PerQuery, evaluate, evaluate_ranking
from strata_rag.evaluation.run_files import (
    StoredQuestion,
    StoredRun,
    read_per_query,
    read_questions,
    read_run,
    write_run,
)
from strata_rag.evaluation.run_store import find_run, list_runs
from strata_rag.evaluation.runs import GoldenRef, RunRecord, Timing, count_questions, make_run_id
from strata_rag.evaluation.trec import RankedItem, decode_id, encode_id

__all__ = [
    "KINDS",
    "LEVELS",
    "NAMES",
    "GoldenRef",
    "GoldenSet",
    "Interval",
    "Measure",
    "PerQuery",
    "Question",
    "RankedItem",
    "RunRecord",
    "StoredQuestion",
    "StoredRun",
    "Summary",
    "Timing",
    "bootstrap_mean",
    "check_against",
    "count_questions",
    "decode_id",
    "encode_id",
    "evaluate",
    "evaluate_ranking",
    "find_run",
    "list_runs",
    "load_golden",
    "make_run_id",
    "read_per_query",
    "read_questions",
    "read_run",
    "resolve",
    "slices",
    "summarise",
    "write_run",
]
