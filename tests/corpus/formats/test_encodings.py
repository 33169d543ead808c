from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strata_rag.corpus.formats import Unreadable, extract_bytes
from strata_rag.corpus.formats.encodings import decode, known

RUSSIAN = "В гимназии он не был в числе лучших, но зато в университете отличался. Все люди рождаются свободными и равными."
GERMAN = "Die schöne Müllerin wäscht größere Äpfel. Übermäßige Höhe über dem Fluß ist für Bäume gefährlich."
JAPANESE = "むかしむかし、あるところに、おじいさんとおばあさんが住んでいました。おじいさんは山へしばかりに行きました。"
CHINESE = "人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心，并应以兄弟关系的精神相对待。"
KOREAN = "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다. 인간은 천부적으로 이성과 양심을 부여받았다."
GREEK = "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα."
POLISH = "Wszyscy ludzie rodzą się wolni i równi pod względem swej godności i swych praw. Są oni obdarzeni rozumem i sumieniem."


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (RUSSIAN, "koi8-r"),
        (RUSSIAN, "cp1251"),
        (RUSSIAN, "iso8859-5"),
        (GERMAN, "cp1252"),
        (JAPANESE, "cp932"),
        (JAPANESE, "euc_jp"),
        (JAPANESE, "iso2022_jp"),
        (CHINESE, "gb18030"),
        (CHINESE, "hz"),
        (KOREAN, "cp949"),
        (GREEK, "iso8859-7"),
        (POLISH, "iso8859-2"),
        (GERMAN, "utf-16-le"),
        (GERMAN, "utf-16-be"),
        (GERMAN, "utf-32-le"),
        (GERMAN, "utf-32-be"),
    ],
)
def test_a_text_is_decoded_without_a_word_of_its_encoding(text: str, encoding: str) -> None:
    found = extract_bytes(text.encode(encoding), "a.txt")
    assert found.text == text
    assert found.encoding


@given(st.text(min_size=1), st.sampled_from(["utf-8", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"]))
def test_a_byte_order_mark_settles_it(text: str, encoding: str) -> None:
    marks = {
        "utf-8": codecs.BOM_UTF8,
        "utf-16-le": codecs.BOM_UTF16_LE,
        "utf-16-be": codecs.BOM_UTF16_BE,
        "utf-32-le": codecs.BOM_UTF32_LE,
        "utf-32-be": codecs.BOM_UTF32_BE,
    }
    # A text that begins with NUL makes UTF-16's mark look like UTF-32's.
    raw = marks[encoding] + ("x" + text).encode(encoding)
    controls = sum(ord(one) < 9 or 13 < ord(one) < 27 or 27 < ord(one) < 32 or one == "\x7f" for one in text)
    if controls > max(0.02 * (len(text) + 1), min(2, (len(text) + 1) / 10)):
        with pytest.raises(Unreadable, match="control characters"):
            decode(raw)
        return
    found = decode(raw)
    assert (found.text, found.encoding) == ("x" + text, encoding)


def test_a_few_broken_bytes_do_not_make_utf_8_something_else() -> None:
    raw = (GERMAN * 20).encode()
    found = extract_bytes(raw[:-1] + b"\xff", "a.txt")
    assert found.encoding == "utf-8"
    assert found.warnings == ("1 character could not be read (U+FFFD)",)
    cut = extract_bytes("Grüße aus München ü".encode()[:-1], "a.txt")
    assert cut.text == "Grüße aus München \ufffd"


@pytest.mark.parametrize("raw", [bytes(range(256)) * 8, b"\0\1\2\3" * 100, b"text" + b"\0" * 50])
def test_binary_data_under_a_texts_name_is_named(raw: bytes) -> None:
    with pytest.raises(Unreadable, match=r"binary data|no encoding"):
        extract_bytes(raw, "a.txt")


@pytest.mark.parametrize(
    ("name", "python"),
    [
        ("ISO-8859-1", "cp1252"),
        ("x-sjis", "cp932"),
        ("gb2312", "gb18030"),
        ("'UTF-8'", "utf-8"),
        ("base64", ""),
        ("zlib", ""),
        ("rot13", ""),
        ("x", ""),
    ],
)
def test_names_of_encodings_mean_what_browsers_take_them_for(name: str, python: str) -> None:
    assert known(name) == python


def test_one_or_two_control_characters_do_not_make_a_short_text_binary() -> None:
    found = extract_bytes(b"a short\x00 line", "a.txt")
    assert (found.text, found.warnings) == ("a short line", ("1 control character left out",))


def test_the_quotes_and_dashes_of_windows_are_no_letters_of_another_encoding() -> None:
    text = "He said “hello” – it’s fine… word—word for 5 €"
    assert extract_bytes(text.encode("cp1252"), "a.txt").text == text
    assert extract_bytes("Der Körper ist größer und schöner für alle".encode("cp437"), "a.txt").text[5] == "ö"


def test_a_guess_that_gives_control_characters_is_not_taken() -> None:
    text = "Příliš žluťoučký kůň úpěl ďábelské ódy. Šťastný žák."
    found = extract_bytes(text.encode("cp1250"), "a.txt")
    assert (found.text, found.encoding, found.warnings) == (text, "cp1250", ())
