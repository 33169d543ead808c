from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from strata_rag.errors import GoldenError
from strata_rag.evaluation import GoldenSet, load_golden

ROOT = Path(__file__).parents[2]


@pytest.fixture
def shared() -> Path:
    """The folder of shared data sets, which is no part of the project."""
    path = Path(os.environ.get("STRATA_SHARED", ROOT.parent / "shared"))
    if not (path / "data" / "beir").is_dir():
        pytest.skip(f"the shared data sets are not at {path}; set STRATA_SHARED")
    return path


@pytest.fixture
def load(tmp_path: Path) -> Callable[..., GoldenSet]:
    """Load a golden set from the text of a file."""

    def load_text(text: str | bytes, name: str = "golden.yaml") -> GoldenSet:
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return load_golden(path)

    return load_text


@pytest.fixture
def faults(load: Callable[..., GoldenSet], tmp_path: Path) -> Callable[..., list[str]]:
    """The faults of a golden file's text, without the folder's path."""

    def faults_of(text: str | bytes, name: str = "golden.yaml") -> list[str]:
        with pytest.raises(GoldenError) as caught:
            load(text, name)
        return [line.replace(f"{tmp_path}{os.sep}", "") for line in caught.value.lines]

    return faults_of
