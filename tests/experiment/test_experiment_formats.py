"""Pages, sections and rows on their way into the index, and what the command line says of files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from office_files import docx, p, pdf, row, text_cell, xlsx
from strata_rag.documents import Chunk, Record, Section, SourceDocument
from strata_rag.experiment.places import places
from strata_rag.privacy import Redacted
from workbench import CommandLine, load, run_ingest, snapshot, write_config


@pytest.fixture
def mixed(tmp_path: Path, tiny_model: Path) -> Path:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "a.pdf").write_bytes(pdf(["The pump ada@canary.example is red.", "", "The valve is blue."]))
    (docs / "b.docx").write_bytes(docx(p("The crane is green.")))
    people = row(1, text_cell("A1", "name of the owner"), text_cell("B1", "mail")) + row(
        2, text_cell("A2", "The ferry"), text_cell("B2", "bob@canary.example")
    )
    (docs / "c.xlsx").write_bytes(xlsx({"of eve@canary.example": people}))
    (docs / "d.csv").write_text("id,text,price\nk1,The dock is wide.,9\nk2,The lock is deep.,12\n")
    (docs / "e.docx").write_bytes(b"\0\1\2\3")
    (docs / "f.jpg").write_bytes(b"\xff\xd8\xff")
    return write_config(tmp_path / "c.yaml", tiny_model, chunking={"size": 25, "overlap": 0})


def test_a_chunk_says_page_section_and_row_and_none_of_them_what_was_redacted(mixed: Path) -> None:
    run_ingest(load(mixed))
    payloads = list(snapshot(load(mixed), "pump").payloads.values())
    by_text = {one["text"]: one for one in payloads}
    first = next(one for one in payloads if one["text"].startswith("The pump"))
    assert (first["page"], first.get("page_end")) == (1, None)
    assert by_text["The valve is blue."]["page"] == 3
    assert "page" not in by_text["The crane is green."]
    sheet = next(one for one in payloads if "ferry" in one["text"])
    assert sheet["section"] == "of [EMAIL]"
    assert sheet["row"] == {"name of the owner": "The ferry", "mail": "[EMAIL]"}
    assert "canary" not in json.dumps(payloads)


def test_rows_become_documents_with_their_ids_and_typed_values(mixed: Path, cli: CommandLine) -> None:
    columns = ("--set", "corpus.tables={id_column: id, text_column: text}")
    rows = {one["path"]: one for one in cli("ingest", mixed, "--dry-run", "--json", *columns).json["files"]}
    assert rows["d.csv"]["documents"] == 2
    assert rows["c.xlsx"]["reason"] == "expected a column 'id', found 'name of the owner', 'mail'"
    assert cli("ingest", mixed, *columns).code == 0
    hits = cli(
        "query", mixed, "dock", "--json", "--mode", "lexical", *columns, "--filter", "row.price=9"
    ).json["hits"]
    assert [hit["doc_id"] for hit in hits] == ["k1"]


def test_each_file_has_its_row_with_the_reason(mixed: Path, cli: CommandLine) -> None:
    document = cli("ingest", mixed, "--dry-run", "--json").json
    assert {one["path"]: (one["status"], one["reason"]) for one in document["files"] if one["reason"]} == {
        "e.docx": ("failed", "expected docx, found unknown binary data"),
        "f.jpg": ("excluded", "a JPEG picture: no reader"),
    }
    warnings = {one["path"]: one["warnings"] for one in document["files"]}
    assert warnings["a.pdf"] == ["no text on page 2: scanned?"]


def test_keys_of_formats_name_a_collection_and_limits_do_not(mixed: Path) -> None:
    name = load(mixed).collection
    assert load(mixed, "corpus.limits.seconds=5", "corpus.comments=false").collection == name
    others = {
        load(mixed, key).collection
        for key in ("corpus.comments=true", "corpus.zip=true", "corpus.tables.id_column=id")
    }
    assert len(others | {name}) == 4


def chunk(start: int, end: int) -> Chunk:
    return Chunk("a", start, end, "", start, end, "")


def test_places_follow_from_offsets() -> None:
    document = SourceDocument(
        "a",
        "x" * 30,
        pages=(0, 10, 10, 20),
        sections=(Section(5, "one"), Section(15, "two")),
        records=(Record(0, 4, {"n": 1}), Record(5, 9, {"n": 2})),
    )
    assert places(document, chunk(0, 4)) == {"page": 1, "row": {"n": 1}}
    assert places(document, chunk(5, 12)) == {"page": 1, "page_end": 3, "section": "one", "row": {"n": 2}}
    assert places(document, chunk(0, 9)) == {"page": 1}
    assert places(document, chunk(20, 30)) == {"page": 4, "section": "two"}
    assert places(SourceDocument("a", "x"), chunk(0, 1)) == {}


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(1, 6), st.integers(0, 8)), max_size=5), st.data())
def test_moved_offsets_keep_their_order_and_what_stands_behind_them(
    gaps: list[tuple[int, int, int]], data: st.DataObject
) -> None:
    text, redacted, edits = "", "", []
    for gap, length, placeholder in gaps:
        kept = "".join(chr(97 + (len(text) + at) % 26) for at in range(gap))
        edits.append((len(text) + gap, len(text) + gap + length, placeholder))
        text += kept + "#" * length
        redacted += kept + "@" * placeholder
    tail = "end"
    text, redacted = text + tail, redacted + tail
    offsets = sorted(data.draw(st.lists(st.integers(0, len(text)))))
    moved = Redacted(redacted, 0, 0, (), tuple(edits)).moved(offsets)
    assert moved == sorted(moved)
    for before, after in zip(offsets, moved, strict=True):
        assert 0 <= after <= len(redacted)
        if before < len(text) and text[before] != "#":
            assert redacted[after] == text[before]
