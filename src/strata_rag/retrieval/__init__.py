"""Ranking chunks for a question: first stages, fusion, reranking, depth."""

from strata_rag.retrieval.cross_encoder import CrossEncoderScorer
from strata_rag.retrieval.dense import DenseRetriever
from strata_rag.retrieval.depth import retrieve_capped, retrieve_deep
from strata_rag.retrieval.fusion import Fused, reciprocal_rank_fusion, weighted_fusion
from strata_rag.retrieval.hits import STAGES, Hit, Retriever, titled
from strata_rag.retrieval.hybrid import HybridRetriever
from strata_rag.retrieval.late_interaction import LateInteractionScorer, TokenEncoder, max_similarity
from strata_rag.retrieval.lexical import LexicalRetriever
from strata_rag.retrieval.lexical_memory import InMemoryLexicalRetriever, build_scores
from strata_rag.retrieval.llm_scorer import LLMScorer, RerankUse
from strata_rag.retrieval.passages import Passage, cap_per_document, merge_hits
from strata_rag.retrieval.rerank import RerankingRetriever
from strata_rag.retrieval.scorer import CachedScorer, FunctionScorer, ModelInfo, Scorer

__all__ = [
    "STAGES",
    "CachedScorer",
    "CrossEncoderScorer",
    "DenseRetriever",
    "FunctionScorer",
    "Fused",
    "Hit",
    "HybridRetriever",
    "InMemoryLexicalRetriever",
    "LLMScorer",
    "LateInteractionScorer",
    "LexicalRetriever",
    "ModelInfo",
    "Passage",
    "RerankUse",
    "RerankingRetriever",
    "Retriever",
    "Scorer",
    "TokenEncoder",
    "build_scores",
    "cap_per_document",
    "max_similarity",
    "merge_hits",
    "reciprocal_rank_fusion",
    "retrieve_capped",
    "retrieve_deep",
    "titled",
    "weighted_fusion",
]
