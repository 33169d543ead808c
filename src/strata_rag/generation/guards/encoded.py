"""Stretches that are text in another spelling: Base64, hexadecimal, percent signs, entities, ROT13, reversed."""

from __future__ import annotations

import base64
import binascii
import codecs
import html
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from urllib.parse import unquote

from strata_rag.generation.guards.normalise import normalise
from strata_rag.generation.guards.phrases import find_phrases

_BASE64 = re.compile(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{20,}(?:\r?\n[A-Za-z0-9+/_-]{4,})*={0,2}")
_HEX = re.compile(r"[0-9A-Fa-f]{2}[\s:,-](?:[0-9A-Fa-f]{2}[\s:,-]){10,}[0-9A-Fa-f]{2}(?!\w)")
_HEX_ESCAPES = re.compile(r"\\x[0-9A-Fa-f]{2}(?:\\x[0-9A-Fa-f]{2}){7,}")
_HEX_NUMBERS = re.compile(r"0x[0-9A-Fa-f]{2}(?:[\s,]{1,2}0x[0-9A-Fa-f]{2}){7,}")
_ALL_HEX = re.compile(r"[0-9A-Fa-f]+")
_PERCENT = re.compile(r"%[0-9A-Fa-f]{2}(?:[\w.+~-]{0,40}%[0-9A-Fa-f]{2})*[\w.+~-]{0,40}")
_ENTITY = r"&\#(?:\d{2,7}|[xX][0-9A-Fa-f]{2,6});"
_ENTITIES = re.compile(rf"{_ENTITY}(?:[\w ]{{0,10}}{_ENTITY}){{3,}}[\w ]{{0,10}}")
_CODE_POINT = r"\\u(?:[0-9A-Fa-f]{4}|\{[0-9A-Fa-f]{1,6}\})"
_ESCAPES = re.compile(rf"{_CODE_POINT}(?:[\w ]{{0,10}}{_CODE_POINT}){{3,}}[\w ]{{0,10}}")
_WORD_BEFORE = re.compile(r"[\w.+~-]{0,20}\Z")
_ESCAPE = re.compile(r"\\u(?:([0-9A-Fa-f]{4})|\{([0-9A-Fa-f]{1,6})\})")
_BITS = re.compile(r"(?:[01]{8}[^\S\n]?){8,}")
_SPACED = re.compile(r"(?<![^\W\d_])(?:[^\W\d_][ ._*|\-·]{1,2}){7,}[^\W\d_](?![^\W\d_])")
_GAP = re.compile(r"[ ._*|\-·]{2}")
_GLUE = re.compile(r"[ ._*|\-·]")
_LEET = str.maketrans("013457@$!", "oieastasi")
_NOT_HEX = re.compile(r"\\x|0x|[\s:,-]")
_MARKS_INSIDE = re.compile(r"(?<=[a-z])[*~`\\^|]{1,4}(?=[a-z])")
_LEET_SIGNS = re.compile(r"[A-Za-z][013457@$!][A-Za-z]")
_ORDER_WORDS = ("instru", "prompt", "anweisung", "consigne", "istruzion", "the user", "regeln", "the rules")
_IN_ROT13 = tuple(codecs.encode(word, "rot13") for word in _ORDER_WORDS)
_BACKWARDS = tuple(word[::-1] for word in _ORDER_WORDS)
_VOCABULARY = re.compile(
    "(ignore|disregard|forget|override|bypass|all|any|your|the|of|previous|prior|above|earlier|system"
    "|instructions?|prompts?|rules?|reveal|print|output|show|donot|dont|tell|user)"
)
_HALF_PLAIN = ("percent", "entities", "escapes")  # what is no letter is encoded, the rest need not be
_LONGEST = 20_000
_PRINTABLE = 0.9


@dataclass(frozen=True, slots=True)
class Encoded:
    """A stretch that reads as text once decoded.

    Attributes:
        start: First code point.
        end: One past the last.
        encoding: What it is written in.
        text: Decoded.
    """

    start: int
    end: int
    encoding: str
    text: str


def find_encoded(text: str) -> Iterator[Encoded]:
    """Yield the stretches that decode to text; one more layer inside each is decoded as well."""
    for one in _layer(text):
        yield one
        for inner in _layer(one.text):
            yield Encoded(one.start, one.end, f"{one.encoding}, {inner.encoding}", inner.text)
    yield from _whole(text)


def _layer(text: str) -> Iterator[Encoded]:
    for encoding, pattern, trigger, decode in _DECODERS:
        if trigger and trigger not in text:
            continue
        for match in pattern.finditer(text):
            start = _word_start(text, match.start()) if encoding in _HALF_PLAIN else match.start()
            decoded = decode(text[start : match.end()][:_LONGEST])
            if decoded and _reads_as_text(decoded):
                yield Encoded(start, match.end(), encoding, decoded)


def _word_start(text: str, at: int) -> int:
    """Return where the word that ends at `at` begins, at most 20 characters before."""
    match = _WORD_BEFORE.search(text, max(0, at - 20), at)
    return match.start() if match else at


def _whole(text: str) -> Iterator[Encoded]:
    """Yield phrases of the text read by ROT13, backwards or with digits as letters."""
    lower = normalise(text)
    for encoding, reading in _readings(lower):
        for phrase in find_phrases(reading):
            said = reading[phrase.start : phrase.end]
            if phrase.severity != "low" and said not in lower:
                yield Encoded(*_place(phrase.start, phrase.end, lower, text, encoding), encoding, said)


def _readings(lower: str) -> Iterator[tuple[str, str]]:
    """Yield the readings in which one of the words stands that every serious order holds."""
    if any(word in lower for word in _IN_ROT13):
        yield "rot13", codecs.encode(lower, "rot13")
    if any(word in lower for word in _BACKWARDS):
        yield "reversed", lower[::-1]
    if "&" in lower and (unescaped := html.unescape(lower)) != lower:
        yield "entities", normalise(unescaped)
    if _MARKS_INSIDE.search(lower):
        yield "marks inside words", _MARKS_INSIDE.sub("", lower)
    if _LEET_SIGNS.search(lower):
        letters = lower.translate(_LEET)
        if any(word in letters for word in _ORDER_WORDS):
            yield "digits for letters", letters


def _place(start: int, end: int, lower: str, text: str, encoding: str) -> tuple[int, int]:
    """Return where in the text a phrase of a reading stands; all of it where spelling moved the offsets."""
    if len(lower) != len(text) or encoding in ("entities", "marks inside words"):
        return 0, len(text)
    return (len(text) - end, len(text) - start) if encoding == "reversed" else (start, end)


def _reads_as_text(text: str) -> bool:
    readable = sum(letter.isprintable() or letter.isspace() for letter in text)
    return len(text) >= 8 and readable >= _PRINTABLE * len(text) and any(map(str.isalpha, text))


def _from_digits(text: str) -> str:
    """Return what an unbroken run of letters and digits holds in hexadecimal or Base64."""
    return (_from_hex(text) if _ALL_HEX.fullmatch(text) else "") or _from_base64(text)


def _from_base64(text: str) -> str:
    packed = "".join(text.split()).replace("-", "+").replace("_", "/").rstrip("=")
    packed = packed[: len(packed) - (len(packed) % 4 == 1)]
    try:
        return base64.b64decode(packed + "=" * (-len(packed) % 4)).decode("utf-8")
    except (binascii.Error, UnicodeDecodeError):
        return ""


def _from_hex(text: str) -> str:
    digits = _NOT_HEX.sub("", text)
    try:
        return bytes.fromhex(digits[: len(digits) // 2 * 2]).decode("utf-8")
    except (ValueError, UnicodeDecodeError):
        return ""


def _from_bits(text: str) -> str:
    bits = "".join(text.split())
    return bytes(int(bits[at : at + 8], 2) for at in range(0, len(bits) - 7, 8)).decode("utf-8", "replace")


def _from_escapes(text: str) -> str:
    def letter(match: re.Match[str]) -> str:
        code = int(match.group(1) or match.group(2), 16)
        return chr(code) if code <= 0x10FFFF else ""

    return _ESCAPE.sub(letter, text)


def _from_spaced(text: str) -> str:
    """Return letters that were set apart as words: two separators end one, or a known word does."""
    words = [_GLUE.sub("", word) for word in _GAP.split(text)]
    if len(words) > 1:
        return " ".join(words)
    return " ".join(_VOCABULARY.sub(r" \1 ", words[0].lower()).split())


_DECODERS: tuple[tuple[str, re.Pattern[str], str, Callable[[str], str]], ...] = (
    ("base64 or hexadecimal", _BASE64, "", _from_digits),
    ("hexadecimal", _HEX, "", _from_hex),
    ("hexadecimal", _HEX_ESCAPES, "\\x", _from_hex),
    ("hexadecimal", _HEX_NUMBERS, "0x", _from_hex),
    ("percent", _PERCENT, "%", unquote),
    ("entities", _ENTITIES, "&#", html.unescape),
    ("escapes", _ESCAPES, "\\u", _from_escapes),
    ("bits", _BITS, "0101", _from_bits),
    ("spaced letters", _SPACED, "", _from_spaced),
)
