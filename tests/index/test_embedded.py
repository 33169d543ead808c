from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from strata_rag.errors import CollectionError, InputError, WriteFailed
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


def test_case_43_holds_where_an_immutable_segment_lost_points_of_twenty_thousand(
    make_index: MakeIndex,
) -> None:
    rng = np.random.default_rng(1)
    index = make_index()
    points = [
        point(f"p{at:05}", tuple(rng.normal(size=4)), {1 if at < 3000 else 2: 1.0}) for at in range(6000)
    ]
    for first in range(0, len(points), 1000):
        index.upsert(points[first : first + 1000])
    index.optimize()
    index.delete([one.point_id for one in points[3000:]])
    index.optimize()
    [found] = index.search_lexical(sparse({1: 1.0}), 1)
    assert found.payload["doc_id"] == "p00000"
    assert found.score == pytest.approx(math.log(1 + 0.5 / 3000.5), rel=1e-3)


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


def test_a_filter_by_a_boolean_is_refused_where_the_engine_would_find_nothing(make_index: MakeIndex) -> None:
    index = make_index()
    index.upsert([point("a", draft=True)])
    with pytest.raises(InputError, match="filter draft: expected text or a whole number, found True"):
        index.search_dense(EAST, 5, where={"draft": True})


def test_a_closed_index_is_not_used(make_index: MakeIndex) -> None:
    index = make_index()
    index.close()
    with pytest.raises(ValueError, match="is closed"):
        index.count()
