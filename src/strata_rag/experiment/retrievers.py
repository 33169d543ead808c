"""The pipeline that a search asks for: first stage, fusion and reranking, over an open collection."""

from __future__ import annotations

from collections.abc import Callable

from strata_rag.config import ExperimentConfig
from strata_rag.embedding import Embedder
from strata_rag.experiment.settings import SearchSettings
from strata_rag.experiment.timing import StageTimer, TimedRetriever
from strata_rag.index import Analyser, Index, Where
from strata_rag.retrieval import (
    DenseRetriever,
    HybridRetriever,
    InMemoryLexicalRetriever,
    LexicalRetriever,
    RerankingRetriever,
    Retriever,
    Scorer,
)


def build_retriever(
    config: ExperimentConfig,
    settings: SearchSettings,
    index: Index,
    *,
    embedder: Callable[[], Embedder],
    analyser: Analyser,
    scorer: Scorer | None,
    timer: StageTimer,
) -> Retriever:
    """Return the pipeline that `settings` ask for.

    Args:
        config: The experiment.
        settings: The effective settings of the search.
        index: The open collection.
        embedder: Gives the embedding model; not asked by a lexical search.
        analyser: Cuts texts into terms.
        scorer: The second stage, or None.
        timer: Told how long the first stage takes.
    """
    retrieval = config.retrieval
    if settings.mode == "lexical":
        stage = _lexical(config, index, analyser, settings.where)
    else:
        stage = DenseRetriever(index=index, embedder=embedder(), where=settings.where)
        if settings.mode == "hybrid":
            stage = _fused(config, stage, _lexical(config, index, analyser, settings.where))
    first = TimedRetriever(stage, timer, "first_stage")
    if scorer is None:
        return first
    return RerankingRetriever(
        first,
        scorer,
        candidate_k=retrieval.candidate_k,
        combine=retrieval.rerank.combine,
        rrf_k=retrieval.fusion.k,
        text=retrieval.rerank.text,
        floor=retrieval.rerank.floor,
    )


def _fused(config: ExperimentConfig, dense: Retriever, lexical: Retriever) -> Retriever:
    fusion = config.retrieval.fusion
    return HybridRetriever(
        [dense, lexical],
        candidate_k=config.retrieval.candidate_k,
        rrf_k=fusion.k,
        weights=[fusion.weights.dense, fusion.weights.lexical] if fusion.weights else None,
        normalise=fusion.normalise if fusion.method == "weighted" else None,
    )


def _lexical(config: ExperimentConfig, index: Index, analyser: Analyser, where: Where | None) -> Retriever:
    lexical = config.retrieval.lexical
    if lexical.backend == "sparse":
        return LexicalRetriever(index=index, analyser=analyser, where=where)
    return InMemoryLexicalRetriever(
        index=index, analyser=analyser, backend=lexical.backend, k1=lexical.k1, b=lexical.b, where=where
    )
