"""docs/chunking.md shows what the strategies do."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from strata_rag.documents import SourceDocument

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "chunking.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("chunking_page", ROOT / "benchmarks" / "chunking_page.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_is_cut_as_shown(script: ModuleType) -> None:
    document = SourceDocument("page", script.example(PAGE))
    for name, chunker in script.chunkers():
        if name == "token":
            break  # needs the model's files
        assert script.section(name, chunker.chunk(document)) in PAGE


def test_the_strategies_that_need_no_model_library_are_shown() -> None:
    for name in ("window", "token", "sentence", "sentence-window", "markdown"):
        assert f"### `{name}`\n" in PAGE
