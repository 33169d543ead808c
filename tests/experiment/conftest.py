"""The fixtures of tests/workbench.py."""

from workbench import cli, config, tiny_model

__all__ = ["cli", "config", "tiny_model"]
