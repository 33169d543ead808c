from __future__ import annotations

import pytest

from strata_rag.corpus.formats import Extraction, extract_bytes


def read(page: str | bytes, name: str = "a.html") -> Extraction:
    return extract_bytes(page.encode() if isinstance(page, str) else page, name)


def text_of(body: str) -> str:
    return read(f"<html><body>{body}</body></html>").text


@pytest.mark.parametrize(
    "unseen",
    [
        "<script>hidden()</script>",
        "<style>.hidden{}</style>",
        "<template>hidden</template>",
        "<noscript>hidden</noscript>",
        "<!-- hidden -->",
        "<p hidden>hidden</p>",
        "<div style='color:red; DISPLAY : none'><p>hidden</p></div>",
        "<span style='visibility:hidden'>hidden</span>",
        "<?php echo 'hidden'; if ($a > 1) { ?>",
        "<iframe>hidden</iframe>",
    ],
)
def test_what_a_reader_does_not_see_is_no_text(unseen: str) -> None:
    assert text_of(f"<p>one</p>{unseen}<p>two</p>") == "one\n\ntwo"


def test_what_follows_a_hidden_part_is_still_seen() -> None:
    assert text_of("<p>a<span style='display:none'>x</span>b<!-- c -->d<script>e</script>f</p>") == "abdf"


def test_cells_and_breaks_are_borders_and_a_row_is_a_line() -> None:
    table = (
        "<table><tr><th>Plan<th>Price</tr><tr><td><p>Pro<br>plus</p></td><td>29&nbsp;EUR</td></tr></table>"
    )
    assert text_of(f"{table}one<br>two") == "Plan | Price\nPro plus | 29\xa0EUR\n\none\ntwo"


def test_a_table_that_lays_out_a_page_is_read_as_a_page() -> None:
    page = "<table><tr><td><h1>News</h1><p>first</p></td><td><table><tr><td>a</td><td>b</td></tr></table></td></tr></table>"
    assert text_of(page) == "News\n\nfirst\n\na | b"


def test_lists_and_preformatted_text_keep_their_lines() -> None:
    assert text_of("<ul><li>one</li><li>two</li></ul><pre>a\n  b</pre>") == "- one\n- two\n\na\n  b"


def test_headings_are_sections_and_the_title_is_the_title() -> None:
    found = read("<title>Pump &amp; valve</title><h1>Pump</h1><h2>Oil</h2>text<h1>Valve</h1>")
    assert found.title == "Pump & valve"
    assert [one.title for one in found.sections] == ["Pump", "Pump > Oil", "Valve"]
    assert found.text == "Pump & valve\n\nPump\n\nOil\n\ntext\n\nValve"


@pytest.mark.parametrize(
    ("page", "encoding"),
    [
        ("<meta charset='windows-1252'><p>Café – 9 €".encode("cp1252"), "cp1252"),
        (
            "<meta http-equiv=Content-Type content='text/html; charset=iso-8859-1'><p>Café – 9 €".encode(
                "cp1252"
            ),
            "cp1252",
        ),
        ("<meta charset=shift_jis><p>髙橋 Café".encode("cp932", "replace"), "cp932"),
        ("<?xml version='1.0' encoding='koi8-r'?><html><p>Привет".encode("koi8-r"), "koi8-r"),
        ("<meta charset=utf-16><p>Café".encode(), "utf-8"),
        ("\ufeff<meta charset=koi8-r><p>Café".encode(), "utf-8"),
        ("<meta charset=nonsense><p>Café".encode(), "utf-8"),
    ],
)
def test_a_byte_order_mark_then_what_the_page_declares_tells_its_encoding(page: bytes, encoding: str) -> None:
    found = read(page)
    assert found.encoding == encoding
    assert any(word in found.text for word in ("Café", "髙橋", "Привет"))
    assert "\ufffd" not in found.text or encoding == "cp932"


def test_nesting_without_end_is_read() -> None:
    assert "deep" in text_of("<div>" * 5000 + "deep" + "</div>" * 5000)


def test_a_page_without_a_word_says_so() -> None:
    assert read("<html><script>x</script></html>").warnings == ("the file is empty: no chunk",)


def test_php_in_short_tags_goes() -> None:
    page = "<html><body><? if ($a > 3) { echo 'gone'; } ?><p>shown</p><?= $b > 1 ?><? } ?></body></html>"
    assert read(page, "a.php").text == "shown"


def test_a_formula_is_shown_without_its_source() -> None:
    assert text_of("<math><mi>x</mi><annotation encoding='application/x-tex'>\\x</annotation></math>") == "x"


def test_a_page_that_claims_to_be_latin_and_is_utf_8_is_read_as_that() -> None:
    found = read("<html><head><meta charset=iso-8859-1></head><body>Größe: schön</body></html>")
    assert (found.text, found.encoding) == ("Größe: schön", "utf-8")
    assert found.warnings == ("declares a Latin encoding, read as the UTF-8 that it holds",)


def test_a_page_that_claims_to_be_latin_is_latin_where_it_may_be() -> None:
    found = read("<html><head><meta charset=iso-8859-1></head><body>Größe</body></html>".encode("cp1252"))
    assert (found.text, found.encoding, found.warnings) == ("Größe", "cp1252", ())
