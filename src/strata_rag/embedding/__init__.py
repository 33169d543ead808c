"""Embedding models: finding their files, reading what they say, and encoding."""

from strata_rag.embedding.cached import CachedEmbedder, NotCached
from strata_rag.embedding.embedder import BadVector, Embedder, HashedWordsEmbedder, Matrix, unit_vectors
from strata_rag.embedding.files import (
    EMBEDDING_VERSION,
    ModelSpec,
    ModelTokenCounter,
    TokenCounter,
    files_fingerprint,
    read_dimension,
    read_spec,
)
from strata_rag.embedding.openai_embedder import DEFAULT_BASE_URL, HostedUsage, OpenAIEmbedder
from strata_rag.embedding.resolve import ModelFiles, ModelResolver, canonical_model_id
from strata_rag.embedding.sentence_transformers import (
    SentenceTransformersEmbedder,
    load_local,
    missing_models_extra,
    quiet_libraries,
)

__all__ = [
    "DEFAULT_BASE_URL",
    "EMBEDDING_VERSION",
    "BadVector",
    "CachedEmbedder",
    "Embedder",
    "HashedWordsEmbedder",
    "HostedUsage",
    "Matrix",
    "ModelFiles",
    "ModelResolver",
    "ModelSpec",
    "ModelTokenCounter",
    "NotCached",
    "OpenAIEmbedder",
    "SentenceTransformersEmbedder",
    "TokenCounter",
    "canonical_model_id",
    "files_fingerprint",
    "load_local",
    "missing_models_extra",
    "quiet_libraries",
    "read_dimension",
    "read_spec",
    "unit_vectors",
]
