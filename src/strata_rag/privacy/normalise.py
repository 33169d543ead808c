"""A plain reading of a text that keeps track of where each character stood.

Full-width letters, ligatures, digits of other scripts, combining marks and characters that show nothing hide an
address from a pattern. Detectors look at the plain reading; their spans are mapped back to the original.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from dataclasses import dataclass

from strata_rag.privacy.span import Span


@dataclass(frozen=True, slots=True)
class PlainText:
    """A text as detectors read it.

    Attributes:
        text: NFKC per character with its marks; decimal digits as 0-9, dashes as ``-``; what shows nothing is gone.
    """

    text: str
    _plain_starts: tuple[int, ...] = ()
    _plain_ends: tuple[int, ...] = ()
    _starts: tuple[int, ...] = ()
    _ends: tuple[int, ...] = ()

    def original(self, span: Span) -> Span:
        """Return `span` of the plain text in code points of the original, whole characters only."""
        if not self._starts or span.start >= span.end:
            return span
        return Span(self._at(span.start)[0], self._at(span.end - 1)[1], span.entity, span.score)

    def _at(self, position: int) -> tuple[int, int]:
        """Return the original range of the character at `position`."""
        piece = bisect_right(self._plain_starts, position) - 1
        if piece < 0:
            return position, position + 1
        if position < self._plain_ends[piece]:
            return self._starts[piece], self._ends[piece]
        start = self._ends[piece] + position - self._plain_ends[piece]
        return start, start + 1


def plain_text(text: str) -> PlainText:
    """Return the plain reading of `text`; a text that is plain already comes back as it is."""
    if text.isascii():
        return PlainText(text)
    characters = {character for character in set(text) if character > "\x7f"}
    marks = {character for character in characters if unicodedata.category(character)[0] == "M"}
    changing = {character for character in characters - marks if _plain(character) != character}
    if not marks and not changing:
        return PlainText(text)
    patterns = [f"[^{_class(marks)}]?[{_class(marks)}]+"] if marks else []
    patterns += [f"[{_class(changing)}]"] if changing else []
    parts: list[str] = []
    pieces: list[tuple[int, int, int, int]] = []
    done = length = 0
    for match in re.finditer("|".join(patterns), text, re.DOTALL):
        start, end = match.span()
        plain = _plain(match.group())
        parts += (text[done:start], plain)
        length += start - done
        pieces.append((length, length + len(plain), start, end))
        length += len(plain)
        done = end
    parts.append(text[done:])
    plain_starts, plain_ends, starts, ends = zip(*pieces, strict=True)
    return PlainText("".join(parts), plain_starts, plain_ends, starts, ends)


def _plain(cluster: str) -> str:
    """Return the plain reading of a character with its marks."""
    return "".join(map(_plain_character, unicodedata.normalize("NFKC", cluster)))


def _plain_character(character: str) -> str:
    if character <= "\x7f":
        return character
    category = unicodedata.category(character)
    if category == "Cf" or _is_variation_selector(character) or character in _FILLERS:
        return ""
    if category == "Nd":
        return str(unicodedata.decimal(character))
    if category == "Pd" or character == "\u2212":
        return "-"
    return " " if category == "Zs" else character


_FILLERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0")


def _is_variation_selector(character: str) -> bool:
    return "\ufe00" <= character <= "\ufe0f" or "\U000e0100" <= character <= "\U000e01ef"


def _class(characters: set[str]) -> str:
    return "".join(re.escape(character) for character in sorted(characters))
