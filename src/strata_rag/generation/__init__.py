"""Answers from passages, with citations that resolve."""

from strata_rag.generation.answer import Answer, Answerer, AnswerStatus, Citation, ContextPassage

__all__ = ["Answer", "AnswerStatus", "Answerer", "Citation", "ContextPassage"]
