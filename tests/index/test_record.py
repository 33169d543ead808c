from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from strata_rag.errors import CollectionError, WriteFailed
from strata_rag.index import CollectionRecord
from strata_rag.index.record import read_record, write_record

RECORD = CollectionRecord(
    name="x__m__01234567",
    says={"chunking": {"size": 800}},
    model={"id": "acme/m", "revision": None, "fingerprint": "f", "max_tokens": 256},
    dimension=384,
    stages={"chunking": 1},
    avg_len=1.05**94,
    corpus={"root": "/docs/ü", "digest": "d", "documents": 3},
    chunks=7,
    truncated=1,
    complete=True,
)


def test_a_record_comes_back_as_it_was_written_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    write_record(tmp_path / "record.json", RECORD)
    write_record(tmp_path / "record.json", RECORD)
    assert read_record(tmp_path / "record.json") == RECORD
    assert [path.name for path in tmp_path.iterdir()] == ["record.json"]


def test_there_may_be_none(tmp_path: Path) -> None:
    assert read_record(tmp_path / "record.json") is None


@pytest.mark.parametrize(
    "change",
    [b"", b"[]", b"{}", b'"x"', b"\xff", b'{"format": 1}', b'{"format": 1, "name": "x", "colour": "red"}'],
)
def test_a_file_that_is_no_record_is_named(tmp_path: Path, change: bytes) -> None:
    (tmp_path / "record.json").write_bytes(change)
    with pytest.raises(
        CollectionError, match=r"record\.json: expected a collection's record of format 1"
    ) as caught:
        read_record(tmp_path / "record.json")
    assert "--recreate" in caught.value.hint


def test_a_record_of_another_format_is_refused(tmp_path: Path) -> None:
    write_record(tmp_path / "record.json", RECORD)
    stored = json.loads((tmp_path / "record.json").read_text())
    (tmp_path / "record.json").write_text(json.dumps({**stored, "format": 2}))
    with pytest.raises(CollectionError, match="another format"):
        read_record(tmp_path / "record.json")


def test_differences_name_the_key_and_both_values() -> None:
    other = replace(
        RECORD,
        says={"chunking": {"size": 400, "overlap": 1}},
        model={**RECORD.model, "fingerprint": "g"},
        dimension=8,
        chunks=99,
        complete=False,
    )
    assert RECORD.differences(other) == [
        "dimension: 384 here, 8 there",
        "model.fingerprint: 'f' here, 'g' there",
        "says.chunking.overlap: None here, 1 there",
        "says.chunking.size: 800 here, 400 there",
    ]
    assert RECORD.differences(replace(RECORD, avg_len=2.0, corpus={}, chunks=0)) == []


def test_an_unfinished_record_differs_in_nothing_else() -> None:
    assert RECORD.unfinished() == replace(RECORD, complete=False)


def test_a_folder_that_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(WriteFailed, match=r"nowhere/record\.json: expected to write"):
        write_record(tmp_path / "nowhere" / "record.json", RECORD)
