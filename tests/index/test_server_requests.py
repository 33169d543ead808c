from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from strata_rag.errors import ServerUnavailable, WriteFailed
from strata_rag.index import (
    Point,
    ServerAddress,
    ServerClient,
    ServerCollections,
    ServerIndex,
    SparseVector,
    point_id,
)
from strata_rag.index.server import batches_below

from .fake_server import LIMIT, FakeServer, running

NOTHING = SparseVector(np.array([], np.uint32), np.array([], np.float32))


def points(count: int, dimension: int) -> list[Point]:
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(count, dimension)).astype(np.float32)
    return [
        Point(
            point_id(f"d{number}#0-1"), vector, NOTHING, {"doc_id": f"d{number}", "start": 0, "text": "größe"}
        )
        for number, vector in enumerate(vectors)
    ]


def index_on(server: FakeServer, slept: list[float] | None = None, **address: Any) -> ServerIndex:
    waits: list[float] = [] if slept is None else slept
    client = ServerClient(ServerAddress(server.url, **address), sleep=waits.append)
    return ServerIndex(client, "c")


def test_case_34_large_writes_are_cut_below_the_limit_and_a_failed_one_is_told_and_continued() -> None:
    wanted = points(1500, 1536)
    with running(FakeServer()) as server:
        index_on(server).upsert(wanted)
        assert len(server.points) == 1500
        assert len(server.upserts) >= 2
        assert max(server.upserts) < LIMIT
    with running(FakeServer(answers={3: 500})) as server:
        index = index_on(server)
        index.upsert(wanted[:400])
        index.upsert(wanted[400:800])
        with pytest.raises(WriteFailed) as caught:
            index.upsert(wanted[800:])
        assert caught.value.exit_code == 3
        assert "HTTP 500" in caught.value.message
        assert "800 points are stored" in caught.value.message
        index_on(server).upsert([point for point in wanted if point.point_id not in server.points])
        assert len(server.points) == 1500


def test_what_may_pass_is_tried_again_and_what_can_not_is_not() -> None:
    slept: list[float] = []
    with running(FakeServer(answers={1: 503, 2: 429})) as server:
        index_on(server, slept).upsert(points(3, 4))
        assert len(server.points) == 3
        assert len(server.upserts) == 3
    assert slept == [0.5, 1.0]
    with running(FakeServer(answers={1: 400})) as server:
        with pytest.raises(WriteFailed, match="HTTP 400"):
            index_on(server).upsert(points(3, 4))
        assert len(server.upserts) == 1
    with running(FakeServer(answers=dict.fromkeys(range(1, 9), 503))) as server:
        with pytest.raises(WriteFailed, match="HTTP 503"):
            index_on(server).upsert(points(3, 4))
        assert len(server.upserts) == 4


def test_a_point_that_no_request_can_hold_is_named() -> None:
    vector = np.zeros(4, np.float32)
    large = Point(point_id("big#0-1"), vector, NOTHING, {"doc_id": "big", "start": 0, "text": "x" * LIMIT})
    with running(FakeServer()) as server:
        with pytest.raises(WriteFailed, match="document big"):
            index_on(server).upsert([large])
        assert server.upserts == []


def test_the_key_is_sent_and_a_refused_one_names_its_variable_and_never_itself() -> None:
    with running(FakeServer(key="right")) as server:
        index_on(server, api_key="right").upsert(points(1, 4))
        assert server.keys_seen == {"right"}
        with pytest.raises(ServerUnavailable) as caught:
            index_on(server, api_key="s3cret", api_key_env="MY_KEY").count()
    assert "MY_KEY" in caught.value.hint
    assert "s3cret" not in caught.value.message + caught.value.hint
    assert "s3cret" not in repr(ServerAddress("u", api_key="s3cret"))


def test_a_server_too_old_for_records_is_refused() -> None:
    with (
        running(FakeServer(version="1.9.2")) as server,
        pytest.raises(ServerUnavailable, match=r"1\.16.*1\.9\.2"),
    ):
        index_on(server).count()


def test_an_unreachable_server_is_an_error_that_names_the_url(
    tmp_path: Path, strata: Callable[..., Any]
) -> None:
    collections = ServerCollections(ServerClient(ServerAddress("http://127.0.0.1:9")), tmp_path)
    with pytest.raises(ServerUnavailable, match=r"http://127\.0\.0\.1:9") as caught:
        collections.names()
    assert caught.value.exit_code == 3
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("whale")
    (tmp_path / "e.yaml").write_text(
        "corpus: {root: docs}\nindex: {engine: server, url: 'http://127.0.0.1:9'}\n"
        "retrieval: {mode: lexical, rerank: {scorer: none}}\n"
    )
    for command in (("query", "e.yaml", "whale"), ("check", "e.yaml")):
        done = strata(*command)
        assert done.returncode == 3
        assert "http://127.0.0.1:9" in done.stdout + done.stderr
    assert not list(tmp_path.glob(".strata/collections/*/record.json"))


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [([], []), ([5], [[5]]), ([11], [[11]]), ([4, 6, 1], [[4, 6], [1]]), ([3, 11, 3], [[3], [11], [3]])],
)
def test_batches_stay_below_the_limit_in_order(sizes: list[int], expected: list[list[int]]) -> None:
    assert list(batches_below(sizes, lambda size: size, 10)) == expected
