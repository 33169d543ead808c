"""Retrieval-augmented-generation experiments from YAML files."""

from strata_rag.version import __version__

__all__ = ["__version__"]
