"""The schema of an experiment and the loader of its YAML file."""

from strata_rag.config.loader import LoadedConfig, load_config
from strata_rag.config.reference import render_reference
from strata_rag.config.schema import (
    Chunking,
    Corpus,
    Embedding,
    Evaluation,
    ExperimentConfig,
    Fusion,
    FusionWeights,
    Hnsw,
    Index,
    Lexical,
    Presidio,
    Privacy,
    Regex,
    Rerank,
    Retrieval,
)
from strata_rag.config.show import ShownKey, show_json, show_lines, show_rows

__all__ = [
    "Chunking",
    "Corpus",
    "Embedding",
    "Evaluation",
    "ExperimentConfig",
    "Fusion",
    "FusionWeights",
    "Hnsw",
    "Index",
    "Lexical",
    "LoadedConfig",
    "Presidio",
    "Privacy",
    "Regex",
    "Rerank",
    "Retrieval",
    "ShownKey",
    "load_config",
    "render_reference",
    "show_json",
    "show_lines",
    "show_rows",
]
