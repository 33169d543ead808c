"""From bytes to text: byte order mark, what the file declares, UTF-8, and a guess last."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

from strata_rag.corpus.formats.extraction import INSTALL, Unreadable

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SUPERSETS = {
    "ascii": "utf-8", "us-ascii": "utf-8", "iso-8859-1": "cp1252", "iso8859-1": "cp1252", "latin-1": "cp1252",
    "latin1": "cp1252", "windows-1252": "cp1252", "shift_jis": "cp932", "shift-jis": "cp932", "sjis": "cp932",
    "x-sjis": "cp932", "ms_kanji": "cp932", "gb2312": "gb18030", "gbk": "gb18030", "x-gbk": "gb18030",
    "hz-gb-2312": "hz", "euc-kr": "cp949", "ks_c_5601-1987": "cp949", "ksc5601": "cp949", "big5": "big5hkscs",
    "iso-8859-9": "cp1254", "tis-620": "cp874", "iso-8859-11": "cp874", "x-mac-cyrillic": "mac-cyrillic",
    "macintosh": "mac-roman", "x-mac-roman": "mac-roman", "unicode": "utf-16",
    "iso-8859-8-i": "iso-8859-8", "iso-8859-8-e": "iso-8859-8", "iso-8859-6-i": "iso-8859-6",
}  # fmt: skip
_GUESSED_BYTES = 200_000
_MULTIBYTE = re.compile(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")
_CONTROL = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_C1 = re.compile("[\x80-\x84\x86-\x9f]")
_MOST_CONTROLS = 0.02
_FEW_CONTROLS = 2
"""So many may stand in a short text, as long as they are not a tenth of it."""
_NOT_LATIN = "declares a Latin encoding, read as the UTF-8 that it holds"
_HAN = re.compile("[\u4e00-\u9fff]")


@dataclass(frozen=True, slots=True)
class Decoded:
    """A text, and how its bytes were read.

    Attributes:
        text: Without a byte order mark.
        encoding: Python's name of it.
        guessed: Whether nothing in the file says so.
        warnings: What a reader should know.
    """

    text: str
    encoding: str
    guessed: bool = False
    warnings: tuple[str, ...] = ()


def decode(raw: bytes, declared: str = "") -> Decoded:
    """Return the text of `raw`.

    Args:
        raw: The bytes.
        declared: The encoding that the file or its envelope names; empty where it names none.

    Raises:
        Unreadable: They are no text, or their encoding can't be told without the extra `formats`.
    """
    for mark, encoding in _MARKS:
        if raw.startswith(mark):
            return _replaced(raw[len(mark) :], encoding)
    if wide := _wide(raw):
        return _replaced(raw, wide)
    declared = known(declared)
    if declared == "cp1252" and len(_MULTIBYTE.findall(raw)) > 1 and _is_utf8(raw):
        return _checked(Decoded(raw.decode("utf-8"), "utf-8", warnings=(_NOT_LATIN,)))
    if declared and not declared.startswith(("utf-16", "utf-32", "utf_16")):
        decoded = _replaced(raw, declared)
        if decoded.text.count("\ufffd") * 100 <= len(decoded.text):
            return decoded
    if (b"\x1b" in raw or b"~{" in raw) and (escaped := _escaped(raw)):
        return escaped
    try:
        return _checked(Decoded(raw.decode("utf-8"), "utf-8"))
    except UnicodeDecodeError as error:
        if _is_mostly_utf8(raw):
            return _replaced(raw, "utf-8")
        return _checked(_guess(raw, error))


def _is_utf8(raw: bytes) -> bool:
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def known(name: str) -> str:
    """Return Python's name of an encoding, the superset that browsers read it as; empty if there is none."""
    name = name.strip().strip("\"'").lower()
    name = _SUPERSETS.get(name, name)
    try:
        found = codecs.lookup(name)
    except (LookupError, ValueError):
        return ""
    # base64, zlib and the like are codecs, but not of text.
    return found.name if getattr(found, "_is_text_encoding", True) and found.name not in _NOT_OF_FILES else ""


_NOT_OF_FILES = {"idna", "punycode", "unicode_escape", "raw_unicode_escape", "undefined", "mbcs", "oem"}


def is_text(raw: bytes) -> bool:
    """Tell whether the first bytes of a file look like text in some encoding."""
    if not raw or raw.startswith(tuple(mark for mark, _ in _MARKS)) or _wide(raw):
        return True
    controls = sum(raw.count(byte) for byte in _CONTROL_BYTES)
    return controls <= _most_controls(len(raw))


def _most_controls(length: int) -> float:
    return max(_MOST_CONTROLS * length, min(_FEW_CONTROLS, length / 10))


_CONTROL_BYTES = [bytes([code]) for code in (*range(9), *range(14, 27), *range(28, 32), 127)]


def _replaced(raw: bytes, encoding: str) -> Decoded:
    text = raw.decode(encoding, "replace")
    if encoding in ("utf-16", "utf-32"):
        text = text.removeprefix("\ufeff")
    broken = text.count("\ufffd")
    if broken > len(text) // 10 and (broken > 8 or broken * 3 > len(text)):
        raise Unreadable(f"expected {encoding} text, found {broken} places that are none")
    return _checked(Decoded(text, encoding))


def _checked(decoded: Decoded) -> Decoded:
    text = decoded.text
    controls = len(_CONTROL.findall(text))
    if controls > _most_controls(len(text)):
        at = next(_CONTROL.finditer(text)).start()
        raise Unreadable(
            f"expected text, found binary data: {controls} control characters, U+{ord(text[at]):04X} at {at}"
        )
    return decoded


def _wide(raw: bytes) -> str:
    """Return UTF-16 or UTF-32 without a mark, told by where the zero bytes of its white space and letters are."""
    sample = raw[: 4096 - 4096 % 4]
    if len(sample) < 4 or b"\0" not in sample:
        return ""
    zeros = [sample[at::4].count(0) for at in range(4)]
    quarter = len(sample) // 4
    if len(sample) % 4 == 0:
        if zeros[0] >= 0.9 * quarter and zeros[1] >= 0.9 * quarter and zeros[3] < 0.3 * quarter:
            return _if_decodes(raw, "utf-32-be")
        if zeros[3] >= 0.9 * quarter and zeros[2] >= 0.9 * quarter and zeros[0] < 0.3 * quarter:
            return _if_decodes(raw, "utf-32-le")
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    half = len(sample) // 2
    if even > 0.1 * half and odd <= 0.02 * half and _if_decodes(raw, "utf-16-be"):
        return "utf-16-be"
    if odd > 0.1 * half and even <= 0.02 * half and _if_decodes(raw, "utf-16-le"):
        return "utf-16-le"
    return ""


def _if_decodes(raw: bytes, encoding: str) -> str:
    width = 4 if "32" in encoding else 2
    try:
        text = raw[: len(raw) - len(raw) % width].decode(encoding)
    except UnicodeDecodeError:
        return ""
    odd = sum(not (character.isprintable() or character in "\r\n\t\f") for character in text[:2000])
    return encoding if odd <= 0.05 * min(len(text), 2000) else ""


def _escaped(raw: bytes) -> Decoded | None:
    """Return a text in one of the encodings that switch character sets by escape sequences."""
    for mark, encoding in (
        (b"\x1b$)C", "iso2022_kr"),
        (b"\x1b$B", "iso2022_jp_2"),
        (b"\x1b$@", "iso2022_jp_2"),
        (b"\x1b(J", "iso2022_jp_2"),
        (b"\x1b(I", "iso2022_jp_3"),
        (b"\x1b$A", "iso2022_jp_2"),
        (b"~{", "hz"),
    ):
        if mark in raw:
            text = raw.decode(encoding, "replace")
            is_hz = encoding != "hz" or (raw.isascii() and len(_HAN.findall(text)) >= 4)
            if is_hz and text.count("\ufffd") * 50 <= len(text):
                return Decoded(text, encoding)
    return None


def _is_mostly_utf8(raw: bytes) -> bool:
    """Tell whether all but a few of the bytes beyond ASCII are well-formed UTF-8, as in a file that was cut."""
    good = sum(len(found) for found in _MULTIBYTE.findall(raw))
    beyond = sum(byte >= 0x80 for byte in raw) if len(raw) < 4096 else len(raw.translate(None, _ASCII))
    return good >= 4 and beyond - good <= max(3, good // 20) and good > 4 * (beyond - good)


_ASCII = bytes(range(128))
_TYPOGRAPHY = b"\x80\x85\x91\x92\x93\x94\x95\x96\x97\x99\xa0"
"""Quotes, dashes and the like in windows-1252: all that English text has beyond ASCII. Letters in other encodings."""
_BETWEEN_LETTERS = re.compile(rb"[A-Za-z][^\x00-\x7f\x92\x96\x97][A-Za-z]")


def _guess(raw: bytes, error: UnicodeDecodeError) -> Decoded:
    try:
        import chardet
    except ImportError:
        raise Unreadable(
            f"expected utf-8 text, found byte 0x{raw[error.start]:02x} at {error.start}; other encodings need "
            f"the extra formats: {INSTALL}"
        ) from None
    if not raw.translate(None, _ASCII + _TYPOGRAPHY) and not _BETWEEN_LETTERS.search(raw):
        return Decoded(raw.decode("cp1252"), "cp1252", guessed=True)
    sample = raw if len(raw) <= _GUESSED_BYTES else raw[: raw.rfind(b"\n", 0, _GUESSED_BYTES) + 1]
    sample = sample or raw[:_GUESSED_BYTES]
    encoding = known(str(chardet.detect(sample).get("encoding") or "")) or "cp1252"
    text = raw.decode(encoding, "replace")
    if _C1.search(text):
        # No text has those controls: the next best guess without them is the better one.
        names = (known(str(one.get("encoding") or "")) for one in chardet.detect_all(sample))
        whole = ((name, raw.decode(name, "replace")) for name in names if name)
        better = (pair for pair in whole if not _C1.search(pair[1]) and "\ufffd" not in pair[1])
        encoding, text = next(better, (encoding, text))
    broken = text.count("\ufffd")
    if broken > len(text) // 50:
        encoding, text = "cp1252", raw.decode("cp1252", "replace")
        broken = text.count("\ufffd")
        if broken > len(text) // 50:
            raise Unreadable(
                f"expected text, found bytes in no encoding that is known ({encoding} fails {broken} times)"
            )
    return Decoded(text, encoding, guessed=True)
