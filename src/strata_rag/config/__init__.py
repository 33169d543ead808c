"""The schema of an experiment and the loader of its YAML file."""

from strata_rag.config.chunking import Chunking, TypePolicy
from strata_rag.config.generation import Generation, LanguageModel, Price
from strata_rag.config.judge import Judge, JudgePolicy
from strata_rag.config.loader import LoadedConfig, load_config
from strata_rag.config.privacy import Presidio, Privacy, Regex
from strata_rag.config.reference import render_reference
from strata_rag.config.rerank import Rerank
from strata_rag.config.schema import (
    Corpus,
    Embedding,
    Evaluation,
    ExperimentConfig,
    Fusion,
    FusionWeights,
    Gate,
    Hnsw,
    Index,
    Lexical,
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
    "Gate",
    "Generation",
    "Hnsw",
    "Index",
    "Judge",
    "JudgePolicy",
    "LanguageModel",
    "Lexical",
    "LoadedConfig",
    "Presidio",
    "Price",
    "Privacy",
    "Regex",
    "Rerank",
    "Retrieval",
    "ShownKey",
    "TypePolicy",
    "load_config",
    "render_reference",
    "show_json",
    "show_lines",
    "show_rows",
]
