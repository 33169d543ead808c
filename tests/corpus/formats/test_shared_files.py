"""The odd files that people sent to other projects, and the cases they stand for."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import Any

import pytest

from strata_rag.corpus import FileOutcome, FilesAdapter, Limits, Options, Unreadable, extract, open_corpus
from strata_rag.corpus.walk import walk_files


def plain(text: str) -> str:
    return " ".join(text.replace("\xad", "").split())


@pytest.fixture(scope="module")
def entries(shared: Path) -> list[dict[str, Any]]:
    return json.loads((shared / "data/files/manifest.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def outcomes(shared: Path) -> tuple[dict[str, FileOutcome], dict[str, str]]:
    source = open_corpus(shared / "data/files")
    texts = {document.doc_id: document.text for document in source.discover()}
    return {outcome.path: outcome for outcome in source.outcomes}, texts


def test_each_file_stands_once_and_what_must_be_found_is(
    entries: list[dict[str, Any]], outcomes: tuple[dict[str, FileOutcome], dict[str, str]], shared: Path
) -> None:
    rows, texts = outcomes
    assert set(rows) == {path.name for path in (shared / "data/files").iterdir()}
    wrong = []
    for entry in entries:
        row, text = rows[entry["file"]], plain(texts.get(entry["file"], ""))
        missing = [part for part in entry["must_find"] if plain(part) not in text]
        unwanted = [part for part in entry["must_not"] if part in texts.get(entry["file"], "")]
        fine = {
            "text": row.status == "included" and bool(text) and not missing,
            "text-or-error": (bool(text) and not missing) or bool(row.reason),
            "unsupported-or-text": (bool(text) and not missing) or bool(row.reason),
            "empty-warn": not text and any("no chunk" in warning for warning in row.warnings),
            "error": not text and bool(row.reason),
        }[entry["expect"]]
        if not fine or unwanted:
            wrong.append((entry["file"], row, missing, unwanted))
    assert wrong == []


def test_no_text_holds_a_control_character_or_a_mark_of_its_bytes(
    outcomes: tuple[dict[str, FileOutcome], dict[str, str]],
) -> None:
    for name, text in outcomes[1].items():
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\ufeff]", text), name


@pytest.mark.parametrize("ending", ["pdf", "docx", "xlsx", "txt"])
def test_random_bytes_fail_cleanly_under_every_name(shared: Path, tmp_path: Path, ending: str) -> None:
    (tmp_path / f"x.{ending}").write_bytes((shared / "data/files/fake_docx_is_random.bin").read_bytes())
    source = open_corpus(tmp_path)
    assert list(source.discover()) == []
    [row] = source.outcomes
    assert (row.status, bool(row.reason)) == ("failed", True)


def test_case_01_holds(shared: Path) -> None:
    text = extract(shared / "cases/01-docx-tracked-changes/policy.docx").text
    assert text == "The retention period is ninety days.\nWrite to the records office today."


def test_case_04_holds(shared: Path) -> None:
    assert extract(shared / "cases/04-pdf-nul-ligature/ligature.pdf").text == "shut off the main valve"


def test_case_07_holds_for_documents_and_for_golden_sets(shared: Path) -> None:
    from strata_rag.evaluation import load_golden

    path = shared / "cases/07-csv-bom-header/faq.csv"
    found = extract(path, options=Options(id_column="id", text_column="text"))
    expected = {"k1": "Valves close clockwise.", "k2": "Pumps need priming."}
    assert {part.name: part.extraction.text for part in found.parts} == expected
    assert {one.id: one.text for one in load_golden(path).questions} == expected


def test_case_25_blank_records_are_told_each_once(shared: Path) -> None:
    path = shared / "cases/25-embed-blank-chunks/blank.jsonl"
    found = extract(path, options=Options(id_column="id", text_column="text"))
    blank = [part.name for part in found.parts if not part.extraction.text.strip()]
    assert blank
    assert [one for one in found.warnings if "no chunk" in one] == [
        f"document {name} is empty: no chunk" for name in blank
    ]


def test_case_10_holds(shared: Path) -> None:
    text = extract(shared / "cases/10-html-charset-table-script/menu.html").text
    for part in ("Café Müller", "9 €"):
        assert part in text
    assert "Fish & chips" in text.replace("\xa0", " ")
    assert text.endswith("one\ntwo")
    assert "Starter | 9 EUR | 3" in text
    for part in ("do-not-index-me", "color:red", "hidden remark", "&amp;", "\ufffd", "PlanPrice", "EUR3"):
        assert part not in text


def test_mutated_files_each_get_a_row(shared: Path, tmp_path: Path) -> None:
    # `benchmarks/fuzz_formats.py` does the same with 2,000.
    draw = random.Random(7)
    files = sorted(path for path in (shared / "data/files").iterdir() if path.stat().st_size < 60_000)
    for number in range(80):
        path = draw.choice(files)
        raw = bytearray(path.read_bytes())
        for _ in range(draw.choice((1, 8, 64))):
            raw[draw.randrange(len(raw))] = draw.randrange(256)
        cut = len(raw) if number % 3 else draw.randrange(len(raw))
        suffix = path.suffix if number % 4 else draw.choice(files).suffix
        (tmp_path / f"{number:03}{suffix}").write_bytes(raw[:cut])
    source = FilesAdapter(
        tmp_path, lambda: walk_files(tmp_path, follow_symlinks=False), limits=Limits(seconds=20)
    )
    for document in source.discover():
        document.text.encode()
    assert len(source.outcomes) == 80
    assert not [row for row in source.outcomes if row.reason.startswith(("its reader", "took longer"))]


def test_more_than_the_limits_allow_is_refused_by_name(shared: Path) -> None:
    with pytest.raises(Unreadable, match=r"more than corpus\.limits\.max_bytes 100$"):
        extract(shared / "data/files/pdf_korean_tables.pdf", limits=Limits(max_bytes=100))
    with pytest.raises(Unreadable, match=r"more than corpus\.limits\.max_pages 2$"):
        extract(shared / "data/files/pdf_multicolumn.pdf", limits=Limits(max_pages=2))
