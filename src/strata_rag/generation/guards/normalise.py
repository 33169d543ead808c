"""One spelling for many: what a scan reads in place of the text as written."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from functools import cache
from itertools import accumulate

from strata_rag.generation.guards.hidden import HIDDEN

# Letters of other scripts that look like Latin ones (after Unicode Technical Standard 39), in lower case.
_LOOKALIKES = {
    "а": "a", "ӕ": "ae", "в": "b", "с": "c", "ԁ": "d", "е": "e", "ѐ": "e", "ё": "e", "є": "e", "һ": "h", "і": "i",
    "ї": "i", "ј": "j", "к": "k", "ӏ": "l", "м": "m", "н": "h", "о": "o", "р": "p", "ԛ": "q", "г": "r", "ѕ": "s",
    "т": "t", "у": "y", "ү": "y", "ѵ": "v", "ԝ": "w", "х": "x", "ҽ": "e", "ո": "n", "ս": "u", "օ": "o", "հ": "h",
    "α": "a", "β": "b", "ϲ": "c", "ε": "e", "η": "n", "ι": "i", "κ": "k", "ν": "v", "ο": "o", "ρ": "p", "τ": "t",
    "υ": "u", "χ": "x", "γ": "y", "ω": "w", "ɑ": "a", "ɡ": "g", "ı": "i", "ɪ": "i", "ʟ": "l", "ɴ": "n", "ʀ": "r",
    "ꜱ": "s", "ᴀ": "a", "ʙ": "b", "ᴄ": "c", "ᴅ": "d", "ᴇ": "e", "ꜰ": "f", "ɢ": "g", "ʜ": "h", "ᴊ": "j", "ᴋ": "k",
    "ᴍ": "m", "ᴏ": "o", "ᴘ": "p", "ᴛ": "t", "ᴜ": "u", "ᴠ": "v", "ᴡ": "w", "ʏ": "y", "ᴢ": "z", "ø": "o", "ł": "l",
}  # fmt: skip
_LIGATURES = re.compile("[\ufb00-\ufb06]")
_PLAIN_HIDDEN = "\u00ad"
_ROUNDS = 4


def normalise(text: str) -> str:
    """Return `text` without hidden characters and accents, lower case, look-alikes as the Latin letters they stand for.

    A fixed point: normalising again changes nothing.
    """
    if text.isascii():
        return text.lower()
    return "".join(map(_fold, text))


def plain(text: str) -> str:
    """Return `text` as an honest reader spells it: lower case, without accents, soft hyphens and ligatures.

    Where it differs from `normalise`, something was disguised.
    """
    if text.isascii():
        return text.lower()
    return "".join(map(_fold_plain, text))


class Origin:
    """Finds where in a text a stretch of its normalised form comes from.

    Args:
        text: The text as written.
    """

    def __init__(self, text: str) -> None:
        self._ends = None if text.isascii() else list(accumulate(len(_fold(letter)) for letter in text))

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the code points that the normalised ``[start, end)`` was made from."""
        if self._ends is None:
            return start, end
        first = bisect_right(self._ends, start)
        return first, bisect_right(self._ends, end - 1) + 1 if end > start else first


@cache
def _fold(letter: str) -> str:
    """Return one character's normalised form, folded until it stays."""
    folded = letter
    for _ in range(_ROUNDS):
        once = "".join(_fold_once(one) for one in folded)
        if once == folded:
            break
        folded = once
    return folded


def _fold_once(letter: str) -> str:
    if HIDDEN.match(letter):
        return ""
    parts = unicodedata.normalize("NFKD", letter).casefold()
    base = (one for one in parts if not unicodedata.combining(one))
    return "".join(_LOOKALIKES.get(one, one) for one in base)


@cache
def _fold_plain(letter: str) -> str:
    if letter == _PLAIN_HIDDEN:
        return ""
    is_ligature = _LIGATURES.match(letter) is not None
    parts = unicodedata.normalize("NFKD" if is_ligature else "NFD", letter).casefold()
    return "".join(one for one in parts if not unicodedata.combining(one))


def is_lookalike(letter: str) -> bool:
    """Tell whether a letter of another script passes for a Latin one."""
    return letter.lower() in _LOOKALIKES and letter not in "øØłŁ"
