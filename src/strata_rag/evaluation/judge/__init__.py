"""Judged measures: prompts, verdicts and their arithmetic, the gate of one answer, and running a judge."""

from strata_rag.evaluation.judge.gate import GatePolicy, GateVerdict, compute_gate
from strata_rag.evaluation.judge.measures import (
    normalised,
    ranked_precision,
    settled_severity,
    supported_share,
    value_of,
)
from strata_rag.evaluation.judge.messages import Asked, ask
from strata_rag.evaluation.judge.parse import Mismatch, ParsedReply, Unparsable, parse_reply
from strata_rag.evaluation.judge.prompt import load_prompt, prompt_digests
from strata_rag.evaluation.judge.run import (
    ATTEMPTS,
    JudgeRun,
    Task,
    judge_all,
    judge_one,
    requests_of,
    tasks_of,
)
from strata_rag.evaluation.judge.schemas import reply_schema
from strata_rag.evaluation.judge.statements import statements_of
from strata_rag.evaluation.judge.verdicts import (
    JUDGE_MEASURES,
    OUTCOMES,
    SEVERITIES,
    JudgeItem,
    JudgeMeasure,
    Judgement,
    Outcome,
    Severity,
    Verdict,
    grade_of,
    severity_of,
    worse,
)

__all__ = [
    "ATTEMPTS",
    "JUDGE_MEASURES",
    "OUTCOMES",
    "SEVERITIES",
    "Asked",
    "GatePolicy",
    "GateVerdict",
    "JudgeItem",
    "JudgeMeasure",
    "JudgeRun",
    "Judgement",
    "Mismatch",
    "Outcome",
    "ParsedReply",
    "Severity",
    "Task",
    "Unparsable",
    "Verdict",
    "ask",
    "compute_gate",
    "grade_of",
    "judge_all",
    "judge_one",
    "load_prompt",
    "normalised",
    "parse_reply",
    "prompt_digests",
    "ranked_precision",
    "reply_schema",
    "requests_of",
    "settled_severity",
    "severity_of",
    "statements_of",
    "supported_share",
    "tasks_of",
    "value_of",
    "worse",
]
