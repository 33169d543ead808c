from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from strata_rag.index import EmbeddedIndex, Index

pytest.register_assert_rewrite("index.contract")

from .contract import DIMENSION, MakeIndex  # noqa: E402


@pytest.fixture
def make_index(tmp_path: Path) -> Iterator[MakeIndex]:
    made: list[EmbeddedIndex] = []

    def make() -> Index:
        folder = tmp_path / f"shard{len(made)}"
        made.append(EmbeddedIndex.create(folder, dimension=DIMENSION, m=16, ef_construct=100))
        return made[-1]

    yield make
    for index in made:
        index.close()
