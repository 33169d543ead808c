from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from strata_rag.errors import CollectionError, WriteFailed
from strata_rag.index import EmbeddedIndex

from .contract import EAST, IndexContract, MakeIndex, docs, point, sparse


class TestEmbeddedIndex(IndexContract):
    pass


def test_what_was_written_is_there_for_the_next_process(tmp_path: Path, make_index: MakeIndex) -> None:
    index = make_index()
    index.upsert([point("a", lexical={1: 1.0})])
    reader = EmbeddedIndex(tmp_path / "shard0")
    other_reader = EmbeddedIndex(tmp_path / "shard0")
    assert (
        docs(reader.search_dense(EAST, 5)) == docs(other_reader.search_lexical(sparse({1: 1.0}), 5)) == ["a"]
    )
    reader.close()
    other_reader.close()


def test_case_43_holds_where_a_large_segment_lost_a_few_points(tmp_path: Path) -> None:
    """Twelve megabytes of vectors make a segment with a graph; three points are far below its usual threshold."""
    count, dimension = 12_000, 256
    index = EmbeddedIndex.create(tmp_path / "large", dimension=dimension, m=8, ef_construct=16)
    dense = np.random.default_rng(1).normal(size=(count, dimension)).astype(np.float32)
    points = [
        point(f"p{at:05}", tuple(row.tolist()), {1: 1.0} if at < 6 else {2: 1.0})
        for at, row in enumerate(dense)
    ]
    for first in range(0, count, 1000):
        index.upsert(points[first : first + 1000])
    index.optimize()
    assert index.info().indexed
    index.delete([one.point_id for one in points[3:6]])
    index.optimize()
    found = index.search_lexical(sparse({1: 1.0}), 10)
    assert docs(found) == ["p00000", "p00001", "p00002"]
    assert found[0].score == pytest.approx(math.log(1 + (count - 3 - 3 + 0.5) / 3.5), rel=1e-5)
    index.close()


@pytest.mark.parametrize("write", ["upsert", "update_lexical", "optimize"])
def test_a_write_that_might_not_fit_on_the_disk_is_refused_before_it_starts(
    tmp_path: Path, make_index: MakeIndex, write: str
) -> None:
    first = make_index()
    one = point("a", lexical={1: 1.0})
    first.upsert([one])
    first.close()
    full = EmbeddedIndex(tmp_path / "shard0", free_bytes=lambda folder: 2**20)
    calls = {
        "upsert": lambda: full.upsert([point("b")]),
        "update_lexical": lambda: full.update_lexical({one.point_id: sparse({2: 1.0})}, {}),
        "optimize": full.optimize,
    }
    with pytest.raises(WriteFailed, match="MiB of free disk space, found 1 MiB"):
        calls[write]()
    assert docs(full.search_lexical(sparse({1: 1.0}), 5)) == ["a"]
    assert full.count() == 1
    full.close()


def test_a_folder_that_is_no_shard_says_how_to_build_it_anew(tmp_path: Path) -> None:
    (tmp_path / "shard").mkdir()
    with pytest.raises(CollectionError, match="shard: expected a readable shard") as caught:
        EmbeddedIndex(tmp_path / "shard")
    assert "--recreate" in caught.value.hint


def test_a_builder_that_fails_is_an_error_and_the_points_stay(tmp_path: Path, make_index: MakeIndex) -> None:
    index = make_index()
    index.upsert([point("a")])
    config = tmp_path / "shard0" / "segments"
    hidden = config.with_name("hidden")
    config.rename(hidden)
    config.write_text("damaged")
    with pytest.raises(WriteFailed, match="expected the index to be built, the builder ended with 1"):
        index.optimize()
    config.unlink()
    hidden.rename(config)
    again = EmbeddedIndex(tmp_path / "shard0")
    assert docs(again.search_dense(EAST, 5)) == ["a"]
    again.close()


def test_a_filter_by_a_boolean_finds_it_though_the_engine_takes_it_for_a_number(
    make_index: MakeIndex,
) -> None:
    index = make_index()
    index.upsert([point("a", draft=True), point("b", draft=False)])
    assert docs(index.search_dense(EAST, 5, where={"draft": True})) == ["a"]


def test_a_closed_index_is_not_used(make_index: MakeIndex) -> None:
    index = make_index()
    index.close()
    with pytest.raises(ValueError, match="is closed"):
        index.count()
