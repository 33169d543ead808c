"""Golden sets, measures, intervals and run records."""

from strata_rag.evaluation.comparison import (
    CORRECTIONS,
    Change,
    Comparison,
    Correction,
    MeasureComparison,
    PairDifference,
    changed_most,
    compare_measure,
    explore_measure,
    run_names,
)
from strata_rag.evaluation.gate import GateResult, Rule, RuleResult, Status, hold_against
from strata_rag.evaluation.golden import KINDS, LEVELS, Evidence, GoldenSet, Question
from strata_rag.evaluation.golden_evidence import Span, check_evidence, resolve_evidence, text_of
from strata_rag.evaluation.golden_load import is_golden_file, load_golden
from strata_rag.evaluation.golden_resolve import check_against, resolve
from strata_rag.evaluation.golden_split import golden_yaml, split_golden
from strata_rag.evaluation.intervals import (
    Interval,
    SliceBy,
    Summary,
    bootstrap_columns,
    bootstrap_mean,
    slices,
    summarise,
)
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
from strata_rag.evaluation.run_table import RunTable, align, shared_measures
from strata_rag.evaluation.runs import GoldenRef, RunRecord, Timing, count_questions, make_run_id
from strata_rag.evaluation.significance import (
    Corrected,
    Randomised,
    detectable_difference,
    effect_size,
    holm,
    pairwise_holm,
    pairwise_max,
    sign_flip_test,
)
from strata_rag.evaluation.trec import RankedItem, decode_id, encode_id

__all__ = [
    "CORRECTIONS",
    "KINDS",
    "LEVELS",
    "NAMES",
    "Change",
    "Comparison",
    "Corrected",
    "Correction",
    "Evidence",
    "GateResult",
    "GoldenRef",
    "GoldenSet",
    "Interval",
    "Measure",
    "MeasureComparison",
    "PairDifference",
    "PerQuery",
    "Question",
    "Randomised",
    "RankedItem",
    "Rule",
    "RuleResult",
    "RunRecord",
    "RunTable",
    "SliceBy",
    "Span",
    "Status",
    "StoredQuestion",
    "StoredRun",
    "Summary",
    "Timing",
    "align",
    "bootstrap_columns",
    "bootstrap_mean",
    "changed_most",
    "check_against",
    "check_evidence",
    "compare_measure",
    "count_questions",
    "decode_id",
    "detectable_difference",
    "effect_size",
    "encode_id",
    "evaluate",
    "evaluate_ranking",
    "explore_measure",
    "find_run",
    "golden_yaml",
    "hold_against",
    "holm",
    "is_golden_file",
    "list_runs",
    "load_golden",
    "make_run_id",
    "pairwise_holm",
    "pairwise_max",
    "read_per_query",
    "read_questions",
    "read_run",
    "resolve",
    "resolve_evidence",
    "run_names",
    "shared_measures",
    "sign_flip_test",
    "slices",
    "split_golden",
    "summarise",
    "text_of",
    "write_run",
]
