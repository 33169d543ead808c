"""What a language model was used for as a reranker, for records and results."""

from __future__ import annotations

from strata_rag.experiment.timing import TimedScorer
from strata_rag.retrieval import LLMScorer, RerankUse, Scorer


def rerank_use(scorer: Scorer | None) -> RerankUse | None:
    """Return what the reranker's language model was used for, or None where no language model reranks."""
    inner = scorer.scorer if isinstance(scorer, TimedScorer) else scorer
    return inner.use if isinstance(inner, LLMScorer) else None
