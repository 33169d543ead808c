from __future__ import annotations

import pytest

from office_files import pdf
from strata_rag.corpus.formats import Limits, Unreadable, extract_bytes
from strata_rag.corpus.formats.pdf import _joined


def test_each_page_begins_at_an_offset_and_none_is_marked_in_the_text() -> None:
    found = extract_bytes(pdf(["one", "two", "three"]), "a.pdf")
    assert found.text == "one\n\ntwo\n\nthree"
    assert [found.text[start:].split("\n")[0] for start in found.pages] == ["one", "two", "three"]
    assert found.warnings == ()


def test_pages_without_text_keep_their_number_and_are_named() -> None:
    found = extract_bytes(pdf(["one", "", "", "", "five", ""]), "a.pdf")
    assert found.warnings == ("no text on pages 2-4, 6: scanned?",)
    assert len(found.pages) == 6
    assert found.text[found.pages[4] :].startswith("five")


def test_a_file_without_any_text_says_so() -> None:
    found = extract_bytes(pdf(["", ""]), "a.pdf")
    assert (found.text.strip(), found.warnings) == (
        "",
        ("no text on any of 2 pages: scanned?", "no text found: no chunk"),
    )


def test_more_pages_than_the_limit_are_refused() -> None:
    with pytest.raises(Unreadable, match=r"^3 pages, more than corpus.limits.max_pages 2$"):
        extract_bytes(pdf(["one", "two", "three"]), "a.pdf", limits=Limits(max_pages=2))


def with_glyph(name: str, mapped: str, pages: list[str]) -> bytes:
    """Return a PDF whose font names glyph 1 `name` and maps it to the code point `mapped`."""
    table = (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def /CMapType 2 def 1 "
        "begincodespacerange <00> <FF> endcodespacerange 1 beginbfrange <20> <7E> <0020> endbfrange "
        f"1 beginbfchar <01> <{mapped}> endbfchar endcmap end end"
    )
    font = "/Type/Font/Subtype/Type1/BaseFont/Helvetica/ToUnicode 5 0 R"
    encoding = f"<</Type/Encoding/BaseEncoding/WinAnsiEncoding/Differences[1/{name}]>>"
    more = {3: f"<<{font}/Encoding {encoding}>>", 5: f"<</Length {len(table)}>>stream\n{table}\nendstream"}
    return pdf(pages, more=more)


@pytest.mark.parametrize("mapped", ["0000", "E0A1", "FFFD"])
def test_a_glyph_that_is_mapped_to_nothing_is_read_by_its_name(mapped: str) -> None:
    raw = with_glyph("ffi", mapped, ["o\\001ce"])
    assert extract_bytes(raw, "a.pdf").text == "office"


def test_a_glyph_without_a_telling_name_becomes_the_replacement_character_with_its_page() -> None:
    found = extract_bytes(with_glyph("g17", "0000", ["x", "o\\001ce"]), "a.pdf")
    assert found.text == "x\n\no\ufffdce"
    assert found.warnings == ("1 character could not be read (U+FFFD), on page 2",)


def test_a_damaged_file_and_one_of_another_kind_are_named() -> None:
    with pytest.raises(Unreadable, match="expected a PDF, found damaged data"):
        extract_bytes(b"%PDF-1.7\nnothing", "a.pdf")
    with pytest.raises(Unreadable, match="expected pdf, found unknown binary data"):
        extract_bytes(bytes(range(256)) * 4, "a.pdf")


def test_words_hyphenated_at_a_line_end_are_joined_unless_the_page_writes_the_hyphen() -> None:
    assert _joined("peri\ufffeodic") == "periodic"
    assert _joined("risk\ufffebased and risk-based") == "risk-based and risk-based"
    assert _joined("1\ufffe, 2024\ufffe2025") == "1-, 2024-2025"


def test_a_file_cut_before_its_end_is_read_as_far_as_it_goes_and_says_so() -> None:
    raw = pdf(["one", "two"])
    found = extract_bytes(raw[: raw.index(b"xref")], "a.pdf")
    assert found.text == "one\n\ntwo"
    assert found.warnings == ("damaged: its end is missing, pages may be too",)


def test_a_group_of_buttons_says_its_value_once() -> None:
    button = "<</Type/Annot/Subtype/Widget/Rect[0 0 9 9]/Parent 90 0 R/AS/red/AP<</N<</red 93 0 R>>>>>>"
    more = {
        90: "<</FT/Btn/Ff 32768/T(colour)/V/red/Kids[91 0 R 92 0 R]>>",
        91: button,
        92: button,
        93: "<</Type/XObject/Subtype/Form/BBox[0 0 9 9]/Length 0>>stream\n\nendstream",
    }
    raw = pdf(["one"], more=more)
    raw = raw.replace(b"/Catalog/Pages", b"/Catalog/AcroForm<</Fields[90 0 R]>>/Pages")
    raw = raw.replace(b"/Type/Page/", b"/Type/Page/Annots[91 0 R 92 0 R]/")
    assert extract_bytes(raw, "a.pdf").text == "one\ncolour: red"
