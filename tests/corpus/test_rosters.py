"""Rosters are read by header name, literally; what can't be relied on is reported with its line and not joined."""

from __future__ import annotations

import codecs
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strata_rag.corpus import Family, Plugin, Roster
from strata_rag.corpus.rosters import read_roster
from strata_rag.errors import CorpusError

PLUGIN = Plugin("p", "", "p.py", "")


def family(**options: object) -> Family:
    return Family("people", "people", PLUGIN, ("people",), **{"column": "id", **options})  # type: ignore[arg-type]


def roster(folder: Path, data: str | bytes, **options: object) -> Roster:
    (folder / "people.tsv").write_bytes(data.encode() if isinstance(data, str) else data)
    return read_roster(family(**options), folder)


def values(found: Roster) -> dict[str, dict[str, object]]:
    return {key: dict(row.values) for key, row in found.rows.items()}


def problems(found: Roster) -> list[tuple[int, str]]:
    return [(one.line, one.text) for one in found.problems]


def test_cells_are_kept_literally(tmp_path: Path) -> None:
    found = roster(tmp_path, 'name\tid\tnote\n"A" B\t00123\t1e5\nNA\tx\t it\'s "so\n')
    assert values(found) == {
        "00123": {"name": '"A" B', "note": "1e5"},
        "x": {"name": "NA", "note": " it's \"so"},
    }
    assert found.columns == ("name", "note")
    assert found.rows["x"].line == 3


@pytest.mark.parametrize(
    "encode",
    [
        lambda text: text.encode(),
        lambda text: codecs.BOM_UTF8 + text.encode(),
        lambda text: codecs.BOM_UTF16_LE + text.encode("utf-16-le"),
        lambda text: text.replace("\n", "\r\n").encode(),
        lambda text: text.rstrip("\n").encode(),
        lambda text: text.replace("\n", "\n\n").encode(),
    ],
)
def test_marks_line_ends_and_blank_lines_change_nothing(tmp_path: Path, encode) -> None:
    found = roster(tmp_path, encode("id\tname\n1\tZoë\u2028x\n2\tB\n"))
    assert values(found) == {"1": {"name": "Zoë\u2028x"}, "2": {"name": "B"}}
    assert problems(found) == []


def test_an_empty_cell_is_no_value(tmp_path: Path) -> None:
    assert values(roster(tmp_path, "id\ta\tb\n1\t\tx\n")) == {"1": {"b": "x"}}


def test_ragged_rows_are_reported_and_not_joined(tmp_path: Path) -> None:
    found = roster(tmp_path, "id\ta\n1\n2\tx\ty\n3\tz\t\t\n")
    assert problems(found) == [
        (2, "expected 2 cells, found 1: the row is left out"),
        (3, "expected 2 cells, found 3: the row is left out"),
    ]
    assert values(found) == {"3": {"a": "z"}}


def test_a_row_without_a_key_is_reported(tmp_path: Path) -> None:
    assert problems(roster(tmp_path, "id\ta\n \tx\n")) == [
        (2, "id: expected a key, found nothing: the row is left out")
    ]


def test_rows_that_contradict_each_other_are_all_left_out(tmp_path: Path) -> None:
    found = roster(tmp_path, "id\ta\n1\tx\n2\tx\n1\ty\n1\tx\n2\tx\n")
    assert values(found) == {"2": {"a": "x"}}
    assert problems(found) == [
        (4, "'1' stands in line 2 too, with other values: neither row is joined"),
        (5, "'1' stands in line 2 too, with other values: neither row is joined"),
        (6, "'2' stands in line 3 too, with the same values"),
    ]


def test_declared_columns_are_numbers_and_what_is_none_is_reported(tmp_path: Path) -> None:
    text = "id\tyear\tkw\n1\t2020\t1e3\n2\tnan\t-0.5\n3\t\t1_0\n4\tn/a\t7\n"
    found = roster(tmp_path, text, numbers=("year", "kw"))
    assert values(found) == {"1": {"year": 2020, "kw": 1000.0}, "2": {"kw": -0.5}, "3": {}, "4": {"kw": 7}}
    assert problems(found) == [
        (3, "year: expected a number, found 'nan': the value is left out"),
        (4, "kw: expected a number, found '1_0': the value is left out"),
        (5, "year: expected a number, found 'n/a': the value is left out"),
    ]


def test_only_the_named_columns_are_joined(tmp_path: Path) -> None:
    assert values(roster(tmp_path, "title\tid\ta\nT\t1\tx\n", columns=("a",))) == {"1": {"a": "x"}}


@pytest.mark.parametrize(
    ("data", "options", "found"),
    [
        (b"", {}, "people.tsv:1: expected a header with the column 'id', found an empty file"),
        (b"name\ta\n", {}, "people.tsv:1: expected a column 'id', as family people asks for, found name, a"),
        (b"id\ta\n", {"columns": ("b",)}, "expected a column 'b'"),
        (b"id\ta\n", {"numbers": ("b",)}, "expected a column 'b'"),
        (b"id\ta\ta\n", {}, "expected each column once, found 'a' twice"),
        (b"id\t\ta\n", {}, "found none for column 2"),
        (b"id\ttitle\n", {}, "expected column names other than our own fields, found 'title'"),
        (b"id\t_digest\n", {}, "found '_digest'"),
        (b"id\ta\n1\tx\n2\tcaf\xe9\n", {}, "people.tsv:3: expected utf-8, found byte 0xe9"),
        (b"id\ta\n1\t\0\n", {}, "people.tsv:2: expected text, found a NUL character"),
    ],
)
def test_a_roster_that_can_not_be_read_by_name_is_refused_with_its_line(
    tmp_path: Path, data: bytes, options: dict[str, object], found: str
) -> None:
    with pytest.raises(CorpusError) as caught:
        roster(tmp_path, data, **options)
    assert found in caught.value.message


def test_a_roster_that_is_not_there_names_family_and_file(tmp_path: Path) -> None:
    with pytest.raises(
        CorpusError, match=r"people\.tsv: expected the roster of family people, found: No such"
    ):
        read_roster(family(), tmp_path)


cell = st.text(st.characters(exclude_characters="\t\n\r\0", exclude_categories=["Cs"]), min_size=1).filter(
    str.strip
)


@given(st.dictionaries(cell, cell, max_size=5))
def test_what_is_written_is_read(tmp_path_factory: pytest.TempPathFactory, rows: dict[str, str]) -> None:
    folder = tmp_path_factory.mktemp("roster")
    text = "id\ta\n" + "".join(f"{key}\t{value}\n" for key, value in rows.items())
    assert values(roster(folder, text)) == {key: {"a": value} for key, value in rows.items()}


def test_the_digest_is_of_what_is_joined(tmp_path: Path) -> None:
    one = roster(tmp_path, "id\ta\n1\tx\n2\ty\n").digest
    assert roster(tmp_path, "id\ta\r\n2\ty\r\n\r\n1\tx").digest == one
    assert roster(tmp_path, "id\ta\n1\tx\n2\tz\n").digest != one
