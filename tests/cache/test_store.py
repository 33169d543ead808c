from __future__ import annotations

import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strata_rag.cache import Cache, digest_request
from strata_rag.errors import Unavailable, WriteFailed

Start = Callable[..., subprocess.Popen[str]]

REQUEST: dict[str, Any] = {
    "kind": "judge",
    "text": "what?",
    "model": "m",
    "revision": None,
    "base_url": "http://localhost",
    "prompt": "Be brief.",
    "parameters": {"temperature": 0, "max_tokens": 10},
    "schema": {"type": "object"},
    "parser_version": 1,
    "repetition": 0,
}
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(codec=None), max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "workspace" / "cache.sqlite"


@pytest.fixture
def cache(path: Path) -> Iterator[Cache]:
    opened = Cache(path)
    yield opened
    opened.close()


def key(number: int) -> bytes:
    return digest_request({"number": number})


def test_what_was_put_is_there_and_nothing_else(cache: Cache) -> None:
    cache.put_many([(key(1), b"one"), (key(2), b"")], owner="m")
    assert cache.get_many([key(1), key(2), key(3)]) == {key(1): b"one", key(2): b""}


def test_a_later_value_takes_the_place_of_an_earlier_one(cache: Cache) -> None:
    cache.put_many([(key(1), b"old")], owner="m")
    cache.put_many([(key(1), b"new")], owner="other")
    assert cache.get_many([key(1)]) == {key(1): b"new"}


def test_more_keys_than_one_query_takes_are_all_found(cache: Cache) -> None:
    entries = {key(number): str(number).encode() for number in range(1203)}
    cache.put_many(entries.items(), owner="m")
    assert cache.get_many(list(entries)) == entries


def test_no_keys_give_nothing(cache: Cache) -> None:
    assert cache.get_many([]) == {}


def test_values_outlive_the_process_that_closed_the_file(path: Path) -> None:
    first = Cache(path)
    first.put_many([(key(1), b"kept")], owner="m")
    first.close()
    first.close()
    assert first.get_many([key(1)]) == {key(1): b"kept"}
    assert Cache(path).get_many([key(1)]) == {key(1): b"kept"}


def test_entries_that_fail_half_way_leave_none_behind(cache: Cache) -> None:
    def broken() -> Iterator[tuple[bytes, bytes]]:
        yield key(1), b"one"
        raise RuntimeError("the model stopped")

    with pytest.raises(RuntimeError, match="the model stopped"):
        cache.put_many(broken(), owner="m")
    assert cache.get_many([key(1)]) == {}


def test_the_file_is_made_on_first_use_only(path: Path) -> None:
    cache = Cache(path)
    assert not path.parent.exists()
    cache.get_many([])
    assert path.exists()


@pytest.mark.parametrize("field", REQUEST)
def test_a_request_that_differs_in_one_field_is_another_request(field: str) -> None:
    assert digest_request({**REQUEST, field: "other"}) != digest_request(REQUEST)


def test_a_request_without_a_field_is_not_one_where_it_is_null() -> None:
    assert digest_request({"a": 1}) != digest_request({"a": 1, "b": None})


@pytest.mark.parametrize(("one", "other"), [(1, "1"), (1, True), (0, None), (1, 1.5), (["a", "b"], ["ab"])])
def test_values_that_look_alike_make_different_requests(one: object, other: object) -> None:
    assert digest_request({"a": one}) != digest_request({"a": other})


@given(st.dictionaries(st.text(max_size=4), values, max_size=4))
def test_the_order_of_fields_does_not_matter(request_: dict[str, Any]) -> None:
    turned = dict(reversed(request_.items()))
    assert digest_request(turned) == digest_request(request_)
    assert len(digest_request(request_)) == 32


def test_a_request_may_hold_half_a_surrogate_pair_but_no_nan() -> None:
    assert digest_request({"text": "\ud800"}) != digest_request({"text": "?"})
    with pytest.raises(ValueError, match="not JSON compliant"):
        digest_request({"a": float("nan")})


def test_the_digest_of_a_request_is_the_same_for_ever() -> None:
    # SHA-256 of {"kind":"embedding","text":"é"}: another digest would orphan every cache there is.
    assert digest_request({"text": "é", "kind": "embedding"}).hex() == (
        "05fbb9c5730fc62a44e2be7470db6753fdfb0a8a8cc36fb53be597db92091532"
    )


@pytest.mark.parametrize("content", [b"not a database", b"x" * 5000])
def test_a_file_that_is_no_database_is_named_and_left_as_it_is(path: Path, content: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(content)
    with pytest.raises(Unavailable, match=r"cache\.sqlite: expected the cache's SQLite file") as caught:
        Cache(path).get_many([key(1)])
    assert not isinstance(caught.value, WriteFailed)
    assert "move the file away" in caught.value.hint
    assert path.read_bytes() == content


def test_a_folder_in_the_place_of_the_file_is_an_error_that_names_it(path: Path) -> None:
    path.mkdir(parents=True)
    with pytest.raises(WriteFailed, match=r"cache\.sqlite: expected to read and write the cache"):
        Cache(path).get_many([key(1)])


def test_a_file_in_the_place_of_the_folder_is_an_error_that_names_it(path: Path) -> None:
    path.parent.write_text("in the way")
    with pytest.raises(WriteFailed, match="workspace: expected a folder that can be written"):
        Cache(path).put_many([(key(1), b"x")], owner="m")


WRITER = """
import sys
from pathlib import Path
from strata_rag.cache import Cache, digest_request
path, name = Path(sys.argv[1]), sys.argv[2]
cache = Cache(path)
print("ready", flush=True)
sys.stdin.readline()
for at in range(100):
    cache.put_many([(digest_request({"writer": name, "at": at}), name.encode())], owner=name)
print("done", flush=True)
"""


def test_two_processes_that_write_at_once_lose_nothing(path: Path, start: Start) -> None:
    children = [start(WRITER, path, name) for name in ("a", "b")]
    for child in children:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
    answers = [child.communicate("go\n", timeout=60) for child in children]
    assert [(out, trouble) for out, trouble in answers] == [("done\n", "")] * 2
    keys = [digest_request({"writer": name, "at": at}) for name in ("a", "b") for at in range(100)]
    assert len(Cache(path).get_many(keys)) == 200


FULL_DISK = """
import resource, sys
from pathlib import Path
from strata_rag.cache import Cache
from strata_rag.errors import WriteFailed
cache = Cache(Path(sys.argv[1]))
cache.put_many([(b"1" * 32, b"before")], owner="m")
resource.setrlimit(resource.RLIMIT_FSIZE, (65536, 65536))
try:
    cache.put_many([(b"2" * 32, b"x" * 1_000_000)], owner="m")
except WriteFailed as error:
    print("refused", error.hint)
print(cache.get_many([b"1" * 32, b"2" * 32]))
"""


def test_a_write_that_the_disk_refuses_says_so_and_leaves_what_was_there(path: Path, start: Start) -> None:
    pytest.importorskip("resource")
    out, trouble = start(FULL_DISK, path).communicate(timeout=60)
    assert trouble == ""
    assert out.splitlines()[0].startswith("refused free some disk space")
    assert out.splitlines()[1] == str({b"1" * 32: b"before"})


def test_a_cache_that_another_process_holds_for_writing_can_be_read(path: Path, cache: Cache) -> None:
    cache.put_many([(key(1), b"one")], owner="m")
    other = sqlite3.connect(path)
    other.execute("BEGIN IMMEDIATE")
    assert cache.get_many([key(1)]) == {key(1): b"one"}
    other.rollback()
    other.close()


def test_threads_share_one_cache(cache: Cache) -> None:
    def work(number: int) -> bool:
        keys = [digest_request({"thread": number, "entry": entry}) for entry in range(25)]
        for key in keys:
            cache.put_many([(key, key[:4])], owner="t")
        return cache.get_many(keys) == {key: key[:4] for key in keys}

    with ThreadPoolExecutor(8) as threads:
        assert all(threads.map(work, range(8)))
