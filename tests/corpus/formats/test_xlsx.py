from __future__ import annotations

import io
import time
import zipfile

import pytest

from office_files import number_cell, row, text_cell, xlsx, zipped
from strata_rag.corpus.formats import Extraction, Options, Unreadable, extract_bytes

HEAD = row(1, text_cell("A1", "code"), text_cell("B1", "price"))


def read(raw: bytes, **options: object) -> Extraction:
    return extract_bytes(raw, "a.xlsx", options=Options(**options))  # type: ignore[arg-type]


def test_each_row_is_a_record_under_its_header_and_each_sheet_a_section() -> None:
    rows = (
        HEAD
        + row(2, text_cell("A2", "00123"), number_cell("B2", "9.5"))
        + row(3, text_cell("A3", "NA"), number_cell("B3", "12"))
    )
    found = read(xlsx({"Prices": rows, "Notes": row(1, text_cell("A1", "only a line"))}))
    assert found.text == "code: 00123; price: 9.5\ncode: NA; price: 12\n\nonly a line"
    assert [dict(one.values) for one in found.records] == [
        {"code": "00123", "price": 9.5},
        {"code": "NA", "price": 12},
    ]
    assert [found.text[one.start : one.end] for one in found.records] == found.text.split("\n")[:2]
    assert [(found.text[one.start :].split("\n")[0], one.title) for one in found.sections] == [
        ("code: 00123; price: 9.5", "Prices"),
        ("only a line", "Notes"),
    ]


@pytest.mark.parametrize(
    ("digits", "shown"),
    [
        ("12345678901234567890", "12345678901234567890"),
        ("1.2345678901234567E+17", "123456789012345670"),
        ("0.30000000000000004", "0.3"),
        ("1E-3", "0.001"),
        ("6.75", "6.75"),
    ],
)
def test_numbers_are_shown_as_their_digits(digits: str, shown: str) -> None:
    rows = row(1, text_cell("A1", "longer than narrow tables are")) + row(2, number_cell("A2", digits))
    assert read(xlsx({"s": rows})).text == f"longer than narrow tables are: {shown}"


@pytest.mark.parametrize(
    ("code", "digits", "shown"),
    [
        ("00000", "123", "00123"),
        ("0.0%", "0.256", "25.6%"),
        ("yyyy\\-mm\\-dd", "43363", "2018-09-20"),
        ("[$-409]d\\-mmm\\-yy;@", "43363.75", "2018-09-20"),
        ("dd/mm/yyyy hh:mm", "43363.75", "2018-09-20 18:00"),
        ("h:mm", "0.5", "12:00:00"),
        ("#,##0.00 &quot;d&quot;", "1234.5", "1234.5"),
    ],
)
def test_a_format_shows_dates_percentages_and_zeros(code: str, digits: str, shown: str) -> None:
    styles = f'<numFmts><numFmt numFmtId="170" formatCode="{code}"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="170"/></cellXfs>'
    rows = row(1, text_cell("A1", "longer than narrow tables are")) + row(2, number_cell("A2", digits, 1))
    assert read(xlsx({"s": rows}, styles=styles)).text == f"longer than narrow tables are: {shown}"


def test_days_may_count_from_1904() -> None:
    styles = '<cellXfs><xf numFmtId="14"/></cellXfs>'
    rows = row(1, number_cell("A1", "0"), number_cell("B1", "41901"))
    found = read(xlsx({"s": rows}, styles=styles, more='<workbookPr date1904="1"/>'))
    assert found.text == "1904-01-01; 2018-09-20"


def test_a_stored_value_stands_for_its_formula_and_a_missing_one_is_named() -> None:
    rows = HEAD + row(
        2,
        text_cell("A2", "a long code for a wide row"),
        '<c r="B2"><f>SUM(A1:A2)</f><v>6.75</v></c>',
        '<c r="C2"><f>NOW()</f></c>',
    )
    found = read(xlsx({"Sheet1": rows}))
    assert found.text == "code: a long code for a wide row; price: 6.75"
    assert "Sheet1: a formula has no stored value: C2" in found.warnings


def test_shared_rich_and_escaped_strings_and_errors_are_shown() -> None:
    strings = "<si><r><t>rich </t></r><r><t>text</t></r><rPh><t>guide</t></rPh></si><si><t>a_x000D_\nb &amp;amp;</t></si>"
    rows = row(
        1,
        '<c r="A1" t="s"><v>0</v></c>',
        '<c r="B1" t="s"><v>1</v></c>',
        '<c r="C1" t="e"><v>#DIV/0!</v></c>',
        '<c r="D1" t="b"><v>1</v></c>',
    )
    assert read(xlsx({"s": rows}, strings=strings)).text == "rich text; a b &amp;; #DIV/0!; TRUE"


def test_a_value_merged_downwards_holds_for_each_row() -> None:
    rows = row(1, text_cell("A1", "region of the country"), text_cell("B1", "city")) + row(
        2, text_cell("A2", "North"), text_cell("B2", "Kiel")
    )
    rows += row(3, text_cell("B3", "Husum")) + '|<mergeCells><mergeCell ref="A2:A3"/></mergeCells>'
    assert (
        read(xlsx({"s": rows})).text
        == "region of the country: North; city: Kiel\nregion of the country: North; city: Husum"
    )


def test_hidden_sheets_are_left_out_by_name_unless_they_are_asked_for() -> None:
    raw = xlsx(
        {"Open": row(1, text_cell("A1", "seen")), "Lists": row(1, text_cell("A1", "unseen"))},
        hidden=("Lists",),
    )
    assert (read(raw).text, read(raw).warnings) == ("seen", ("hidden sheets left out: Lists",))
    assert read(raw, hidden_sheets=True).text == "seen\n\nunseen"


def test_a_workbook_without_cells_says_so() -> None:
    found = read(xlsx({"s": ""}))
    assert (found.text, found.warnings) == ("", ("no text found: no chunk",))


def test_with_an_id_column_each_row_is_a_document() -> None:
    rows = HEAD + row(2, text_cell("A2", "k1"), number_cell("B2", "9")) + row(3, number_cell("B3", "1"))
    found = read(xlsx({"s": rows}), id_column="code")
    assert [(one.name, one.extraction.text) for one in found.parts] == [("k1", "price: 9")]
    assert found.warnings == ("no id in row 3: left out",)
    with pytest.raises(Unreadable, match=r"^expected a column 'sku', found 'code', 'price'$"):
        read(xlsx({"s": rows}), id_column="sku")


@pytest.mark.parametrize("value", ["<v></v>", "<v/>", ""])
def test_a_formula_with_an_empty_value_was_not_worked_out_unless_it_gives_a_text(value: str) -> None:
    rows = HEAD + f'<row r="2"><c r="A2" t="str"><f>B1</f><v></v></c><c r="B2"><f>1+1</f>{value}</c></row>'
    assert read(xlsx({"s": rows})).warnings[0] == "s: a formula has no stored value: B2"


@pytest.mark.parametrize(
    ("code", "days", "shown"),
    [
        ("[h]:mm", "1.5104166666666667", "36:15:00"),
        ("[mm]:ss", "0.5", "720:00"),
        ("[s]", "0.001", "86"),
        ("[Red]0", "7", "7"),
    ],
)
def test_elapsed_time_is_no_date(code: str, days: str, shown: str) -> None:
    styles = (
        f'<numFmts><numFmt numFmtId="170" formatCode="{code}"/></numFmts>'
        '<cellXfs><xf numFmtId="0"/><xf numFmtId="170"/></cellXfs>'
    )
    rows = row(1, text_cell("A1", "length of it")) + row(2, number_cell("A2", days, 1))
    assert read(xlsx({"s": rows}, styles=styles)).text == f"length of it: {shown}"


def test_cells_whose_text_is_missing_are_counted() -> None:
    rows = HEAD + '<row r="2"><c r="A2" t="s"><v>4</v></c><c r="B2"><v>9</v></c></row>'
    assert read(xlsx({"s": rows})).warnings == (
        "1 cell without text: the workbook's list of strings lacks it",
    )


def test_a_workbook_without_its_root_relationships_is_found_at_its_usual_place() -> None:
    raw = xlsx({"s": HEAD + row(2, text_cell("A2", "pump"), number_cell("B2", "9"))})
    with zipfile.ZipFile(io.BytesIO(raw)) as packed:
        parts = {name: packed.read(name) for name in packed.namelist() if name != "_rels/.rels"}
    assert read(zipped(parts)).text == "code: pump; price: 9"


def test_a_sheet_that_no_part_holds_is_named() -> None:
    raw = xlsx({"s": HEAD})
    with zipfile.ZipFile(io.BytesIO(raw)) as packed:
        parts = {name: packed.read(name) for name in packed.namelist() if "workbook.xml.rels" not in name}
    assert read(zipped(parts)).warnings[0] == "s: damaged: nothing says which part holds it"


def test_many_rows_take_time_in_proportion() -> None:
    rows = "".join(row(number, number_cell(f"A{number}", "7")) for number in range(1, 40_001))
    start = time.perf_counter()
    found = read(xlsx({"s": rows}))
    assert found.text.count("\n") == 39_999
    assert time.perf_counter() - start < 10
