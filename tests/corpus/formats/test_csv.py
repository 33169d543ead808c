from __future__ import annotations

import codecs
import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strata_rag.corpus.formats import Extraction, Options, Unreadable, extract_bytes

WIDE = "name of the article,price in EUR\n"


def read(text: str | bytes, name: str = "a.csv", **options: object) -> Extraction:
    raw = text.encode() if isinstance(text, str) else text
    return extract_bytes(raw, name, options=Options(**options))  # type: ignore[arg-type]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_delimiter_and_line_end_are_found(delimiter: str, line_end: str) -> None:
    rows = [["name of the article", "price"], ["pump, red; large", "9"], ["valve", "10"]]
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter, lineterminator=line_end).writerows(rows)
    assert read(out.getvalue()).text == (
        "name of the article: pump, red; large; price: 9\nname of the article: valve; price: 10"
    )


@pytest.mark.parametrize(
    "cell", ["00123", "NA", "1e5", "12345678901234567890", "1,5", "TRUE", "2024-01-02", "+49 30", "  x"]
)
def test_cells_are_kept_literally(cell: str) -> None:
    found = read(f'{WIDE}a long name that is not narrow,"{cell}"\n')
    assert found.text == f"name of the article: a long name that is not narrow; price in EUR: {cell.strip()}"
    assert found.records[0].values["price in EUR"] == cell


def test_a_column_of_plain_numbers_is_typed_and_one_with_a_code_in_it_is_not() -> None:
    found = read("count,share,code\n1,0.5,7\n22,1,007\n")
    assert [dict(one.values) for one in found.records] == [
        {"count": 1, "share": 0.5, "code": "7"},
        {"count": 22, "share": 1.0, "code": "007"},
    ]


def test_a_byte_order_mark_is_part_of_no_name_and_rows_may_be_documents() -> None:
    raw = codecs.BOM_UTF8 + b'"id","text"\r\n"k1","Valves close clockwise."\r\n"k2","Pumps need priming."\r\n'
    found = read(raw, id_column="id", text_column="text")
    assert [(one.name, one.extraction.text) for one in found.parts] == [
        ("k1", "Valves close clockwise."),
        ("k2", "Pumps need priming."),
    ]


def test_an_id_that_stands_twice_is_refused() -> None:
    with pytest.raises(Unreadable, match="row 3: expected ids that stand once, found 'k1' again"):
        read("id,text\nk1,a\nk1,b\n", id_column="id")


def test_lines_above_the_header_are_titles() -> None:
    found = read("Prices 2024,,\n,,\narticle name,price in EUR,seats\npump station,9,3\n")
    assert found.text == "Prices 2024\narticle name: pump station; price in EUR: 9; seats: 3"


def test_a_nameless_first_column_is_shown_without_a_name() -> None:
    found = read(",name of the article,price\n0,pump,9\n1,valve,10\n")
    assert found.text == "0; name of the article: pump; price: 9\n1; name of the article: valve; price: 10"
    assert found.records[0].values["column 1"] == 0


def test_years_head_columns_and_plain_numbers_do_not() -> None:
    assert (
        read("region of the land,2019,2020\nNorth,1,2\n").text
        == "region of the land: North; 2019: 1; 2020: 2"
    )
    assert read("1,2,3\n4,5,6\n").text == "1; 2; 3\n4; 5; 6"


def test_names_that_stand_twice_are_told_apart() -> None:
    assert read("price of it,price of it\n1,2\n").records[0].values == {
        "price of it": 1,
        "price of it (2)": 2,
    }


def test_cells_beyond_the_header_are_kept_and_named() -> None:
    found = read("name of the article,price\npump,9,red\nvalve\n")
    assert found.text == "name of the article: pump; price: 9; column 3: red\nname of the article: valve"
    assert found.warnings == ("more cells than the header in row 2",)


def test_a_narrow_table_is_written_as_two_lists_a_row() -> None:
    assert read("a,b,c\n1,2,3\n4,5,6\n").text == "a,b,c: 1,2,3\na,b,c: 4,5,6"
    assert read("a;b\n1;2\n").text == "a;b: 1;2"


def test_a_quote_that_never_closes_does_not_swallow_the_rows() -> None:
    rows = "".join(f"article {number},{number}\n" for number in range(2000))
    found = read(f'{WIDE}"open,1\n{rows}')
    assert "a quote is never closed: quotes read as text" in found.warnings
    assert len(found.records) == 2001


@given(
    st.lists(
        st.lists(
            st.text(st.characters(categories=("L", "N", "P", "Zs"), exclude_characters="\x85"), max_size=8),
            min_size=2,
            max_size=4,
        ),
        max_size=6,
    )
)
def test_whatever_a_table_holds_each_filled_cell_is_in_the_text(rows: list[list[str]]) -> None:
    out = io.StringIO()
    csv.writer(out).writerows([["a first long column name", "second", "third", "fourth"], *rows])
    shown = " ".join(read(out.getvalue()).text.split())
    for cells in rows:
        for cell in cells:
            assert extract_bytes(f"x{cell}".encode(), "a.txt").text.split()[-1].removeprefix("x") in shown


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (f'{WIDE}"pump,9\nvalve,12\n', "a.csv"),
        ('name of the article\tprice in EUR\n"pump\t9\nvalve 5" long\t12\n', "a.tsv"),
    ],
)
def test_a_quote_that_is_never_closed_swallows_no_rows(text: str, name: str) -> None:
    found = read(text, name)
    assert len(found.records) == 2
    assert found.warnings == ("a quote is never closed: quotes read as text",)


def test_separators_of_unicode_end_no_row() -> None:
    assert len(read(f"{WIDE}large\u2029pump,9\nsmall\u2028valve,12\n").records) == 2


def test_lines_of_comment_above_the_header_are_titles() -> None:
    found = read(f"# From the shop, as of March\n# All prices\n{WIDE}pump,9\n")
    assert found.text == (
        "# From the shop, as of March\n# All prices\nname of the article: pump; price in EUR: 9"
    )


def test_a_header_may_begin_with_a_hash() -> None:
    assert read(f"#{WIDE}pump,9\n").text == "#name of the article: pump; price in EUR: 9"
