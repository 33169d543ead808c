"""Characters that a reader does not see: where they stand, what they say, and the text without them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from strata_rag.generation.guards.finding import Finding, Severity

# A flag of a subdivision (Unicode Technical Standard 51): black flag, three to six small letters or digits, cancel tag.
# A longer run, or one with capitals or spaces, is no flag whatever it starts and ends with.
_FLAG = "\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{3,6}\U000e007f"
_TAGS = "[\U000e0000-\U000e007f]"
_SELECTORS = "[\ufe00-\ufe0f\U000e0100-\U000e01ef]"
_ZERO_WIDTH = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2060-\u2064\u206a-\u206f"
    "\u3164\ufeff\uffa0\ufff9-\ufffb"
)
_BIDI = "\u202a-\u202e\u2066-\u2069"

HIDDEN = re.compile(
    rf"(?P<flag>{_FLAG})"
    rf"|(?P<tags>{_TAGS}+)"
    rf"|(?P<selectors>{_SELECTORS}+)"
    rf"|(?P<zero>[{_ZERO_WIDTH}]+)"
    rf"|(?P<bidi>[{_BIDI}])"
)
_OVERRIDE = re.compile("[\u202d\u202e]([^\u202c\n]*)")
_LEFT_TO_RIGHT_LETTER = re.compile(r"[A-Za-z]")
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]")
_LONGEST = 300
_MANY_ZERO_WIDTH = 8
_MOST_SPLIT_WORDS = 100


@dataclass(frozen=True, slots=True)
class Cleaned:
    """A text without what can't be seen in it.

    Attributes:
        text: What is left.
        removed: Code points taken out.
    """

    text: str
    removed: int


def find_hidden(text: str) -> list[Finding]:
    """Return the runs of characters that show nothing and yet say something, decoded."""
    if text.isascii():
        return []
    findings: list[Finding] = []
    split_words = 0
    for match in HIDDEN.finditer(text):
        if match.lastgroup == "zero" and match.end() - match.start() < _MANY_ZERO_WIDTH:
            if split_words == _MOST_SPLIT_WORDS:
                continue
            split_words += _splits_a_word(text, match)
        if found := _finding(text, match):
            findings.append(found)
    return findings + _reversed_stretches(text)


def without_hidden(text: str) -> Cleaned:
    """Return `text` without hidden characters; emoji, and joiners of scripts that need them, stay whole."""
    if text.isascii():
        return Cleaned(text, 0)
    clean = HIDDEN.sub(lambda match: _kept(text, match), text)
    return Cleaned(clean, len(text) - len(clean))


def with_hidden_shown(text: str) -> str:
    """Return `text` with what invisible characters spell written as ``<hidden: ...>``."""
    if text.isascii():
        return text
    return HIDDEN.sub(lambda match: _shown(text, match), text)


def decode_tags(run: str) -> str:
    """Return the ASCII that tag characters copy; those that copy no printable character are left out."""
    return "".join(chr(ord(tag) - 0xE0000) for tag in run if 0xE0020 <= ord(tag) < 0xE007F)


def _kept(text: str, match: re.Match[str]) -> str:
    run = match.group()
    if match.lastgroup == "flag" or (match.lastgroup == "selectors" and len(run) == 1):
        return run
    if match.lastgroup == "zero" and _is_needed(text, match):
        return run
    return ""


def _shown(text: str, match: re.Match[str]) -> str:
    found = _finding(text, match) if match.lastgroup in ("tags", "selectors") else None
    return f"<hidden: {found.text}>" if found else match.group()


def _is_needed(text: str, match: re.Match[str]) -> bool:
    """Tell whether a single joiner or mark stands where a script or an emoji needs it."""
    start, end = match.span()
    if end - start > 1:
        return False
    around = text[start - 1 : start] + text[end : end + 1]
    beyond_latin = bool(around) and any(letter > "\u052f" for letter in around)
    return match.group() in "\u200c\u200d\u200e\u200f\u061c\u180e" and beyond_latin


def _finding(text: str, match: re.Match[str]) -> Finding | None:
    start, end = match.span()
    run = match.group()
    match match.lastgroup:
        case "tags":
            said = decode_tags(run)[:_LONGEST]
            severity: Severity = "high" if sum(letter.isalpha() for letter in said) >= 4 else "medium"
            return Finding("tag-characters", severity, start, end, said, "hidden")
        case "selectors" if len(run) > 2:
            return Finding("variation-selectors", "high", start, end, _decode_selectors(run), "hidden")
        case "zero" if len(run) >= _MANY_ZERO_WIDTH:
            return Finding("zero-width", "medium", start, end, _decode_bits(run), "hidden")
        case "zero" if _splits_a_word(text, match):
            return Finding("zero-width", "low", start, end, _around(text, start, end), "hidden")
        case _:  # an override of direction is found with what it turns around: `_reversed_stretches`
            return None


def _splits_a_word(text: str, match: re.Match[str]) -> bool:
    """Tell whether it stands inside a Latin word, and is no soft hyphen, which honest texts have there."""
    before, after = text[match.start() - 1 : match.start()], text[match.end() : match.end() + 1]
    return (
        match.group() != "\u00ad" and before.isalpha() and after.isalpha() and max(before, after) < "\u0250"
    )


def _around(text: str, start: int, end: int) -> str:
    clean = HIDDEN.sub("", text[max(0, start - 20) : start] + text[end : end + 20])
    return " ".join(clean.split())


def _decode_selectors(run: str) -> str:
    """Return the bytes that variation selectors number, as text: U+FE00 is 0, U+E0100 is 16."""
    values = bytes(ord(one) - 0xFE00 if ord(one) < 0xFE10 else ord(one) - 0xE0100 + 16 for one in run)
    said = values.decode("utf-8", "replace")
    return said[:_LONGEST] if said.isprintable() else f"{len(run)} variation selectors"


def _decode_bits(run: str) -> str:
    """Return what a run of zero-width characters spells as bits, or how many there are."""
    alphabet = sorted(set(run))
    for zero in alphabet if len(alphabet) == 2 else ():
        bits = "".join("0" if one == zero else "1" for one in run)
        octets = bytes(int(bits[at : at + 8], 2) for at in range(0, len(bits) - 7, 8))
        said = octets.decode("latin-1")
        if said.isascii() and said.isprintable():
            return said[:_LONGEST]
    return f"{len(run)} zero-width characters"


def _reversed_stretches(text: str) -> list[Finding]:
    """Return what stands behind an override of direction, in the order it is read."""
    findings = []
    for match in _OVERRIDE.finditer(text):
        inside = match.group(1)
        if _LEFT_TO_RIGHT_LETTER.search(inside) and not _RIGHT_TO_LEFT.search(inside):
            shown = HIDDEN.sub("", inside)[:_LONGEST]
            said = shown[::-1] if match.group()[0] == "\u202e" else shown
            findings.append(Finding("bidi-control", "medium", match.start(), match.end(), said, "hidden"))
    return findings
