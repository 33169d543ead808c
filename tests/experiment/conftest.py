"""The fixtures of tests/workbench.py."""

from workbench import _built, cli, config, ingested, start, tiny_model

__all__ = ["_built", "cli", "config", "ingested", "start", "tiny_model"]
