"""Answers from passages, with citations that resolve, and guards on what the passages say."""

from strata_rag.generation.admission import Admission, GuardSettings, admit, is_blank
from strata_rag.generation.answer import (
    REFUSAL,
    Answer,
    Answerer,
    AnswerStatus,
    Citation,
    ContextPassage,
    Lookalike,
    PassageFinding,
)
from strata_rag.generation.citations import CitedText, Mark, read_citations
from strata_rag.generation.extractive import ExtractiveAnswerer
from strata_rag.generation.fence import fenced, request_marker
from strata_rag.generation.guards.finding import Finding, Severity, at_least
from strata_rag.generation.guards.hidden import find_hidden, with_hidden_shown, without_hidden
from strata_rag.generation.guards.scan import scan
from strata_rag.generation.llm_answerer import LLMAnswerer, read_reply
from strata_rag.generation.prompt import Prompt, parse_prompt, read_prompt

__all__ = [
    "REFUSAL",
    "Admission",
    "Answer",
    "AnswerStatus",
    "Answerer",
    "Citation",
    "CitedText",
    "ContextPassage",
    "ExtractiveAnswerer",
    "Finding",
    "GuardSettings",
    "LLMAnswerer",
    "Lookalike",
    "Mark",
    "PassageFinding",
    "Prompt",
    "Severity",
    "admit",
    "at_least",
    "fenced",
    "find_hidden",
    "is_blank",
    "parse_prompt",
    "read_citations",
    "read_prompt",
    "read_reply",
    "request_marker",
    "scan",
    "with_hidden_shown",
    "without_hidden",
]
