"""Cutting a stretch of text into spans of bounded size, at the coarsest boundary that fits.

Every strategy that bounds its chunks cuts here, so that they all keep the same promises: starts and ends
rise, every character that is not white space is in some span, no span passes its ruler's reach, and
neighbours share what the ruler allows whatever boundary they were cut at.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

Span = tuple[int, int]

_SPACE = re.compile(r"\s*+")
_JOINER = "\u200d"
_LONGEST_CHARACTER = 32


class Ruler(Protocol):
    """Measures chunks; each method rises with its argument."""

    def reach(self, start: int) -> int:
        """Return the furthest end of a chunk that begins at `start`; beyond `start`."""

    def earliest(self, end: int) -> int:
        """Return the first start from which a chunk reaches `end`."""

    def back(self, end: int) -> int:
        """Return the first start at which a chunk shares no more than allowed with one that ends at `end`."""


@dataclass(frozen=True, slots=True)
class CharacterRuler:
    """At most `size` code points a chunk, of which neighbours share at most `overlap`.

    Raises:
        ValueError: `size` or `overlap` is out of range.
    """

    size: int
    overlap: int = 0

    def __post_init__(self) -> None:
        require_moving(self.size, self.overlap)

    def reach(self, start: int) -> int:
        return start + self.size

    def earliest(self, end: int) -> int:
        return end - self.size

    def back(self, end: int) -> int:
        return end - self.overlap


@dataclass(frozen=True, slots=True)
class SharedUnits:
    """A ruler whose chunks share their last whole units; a torn unit shares what `characters` says.

    Attributes:
        characters: Bounds the size.
        units: Spans in order, apart from each other.
        count: How many units neighbours share, as far as the next one still fits.
    """

    characters: CharacterRuler
    units: Level
    count: int

    def reach(self, start: int) -> int:
        return self.characters.reach(start)

    def earliest(self, end: int) -> int:
        return self.characters.earliest(end)

    def back(self, end: int) -> int:
        if self.count == 0:
            return end
        beyond = bisect_left(self.units.starts, end)
        first = self.units.starts[max(beyond - self.count, 0)]
        torn = self.units.ends[beyond - 1] > end or end - first > self.characters.size
        return self.characters.back(end) if torn else first


@dataclass(frozen=True, slots=True)
class Level:
    """The boundaries of one kind of unit: in order, apart from each other, without white space at their ends.

    Attributes:
        starts: Where units begin.
        ends: Where they end.
        fill: Least share of a chunk's reach that it must use to end at this boundary rather than a finer one.
    """

    starts: Sequence[int]
    ends: Sequence[int]
    fill: float = 0.0

    @classmethod
    def of(cls, spans: Sequence[Span], fill: float = 0.0) -> Level:
        return cls([start for start, _ in spans], [end for _, end in spans], fill)

    def last_end(self, low: int, high: int) -> int | None:
        """Return the last end in ``(low, high]``, or None."""
        at = bisect_right(self.ends, high) - 1
        return self.ends[at] if at >= 0 and self.ends[at] > low else None

    def first_start(self, low: int, high: int) -> int | None:
        """Return the first start in ``[low, high)``, or None."""
        at = bisect_left(self.starts, low)
        return self.starts[at] if at < len(self.starts) and self.starts[at] < high else None

    def around(self, position: int) -> Span | None:
        """Return the unit that holds `position`, or None."""
        at = bisect_right(self.starts, position) - 1
        return (self.starts[at], self.ends[at]) if at >= 0 and position < self.ends[at] else None


NOTHING = Level((), ())


def require_moving(size: int, overlap: int) -> None:
    """Raise ValueError unless a window of `size` that shares `overlap` moves on."""
    if size < 1 or not 0 <= overlap < size:
        raise ValueError(f"expected size >= 1 and 0 <= overlap < size, found size {size}, overlap {overlap}")


def cut_spans(
    text: str, span: Span, ruler: Ruler, levels: Sequence[Level] = (), *, whole: Level = NOTHING
) -> Iterator[Span]:
    """Yield the spans that ``text[start:end]`` is cut into.

    Args:
        text: The document's text.
        span: The stretch to cut, without white space at its ends; empty gives nothing.
        ruler: Bounds spans and overlaps.
        levels: Boundaries, coarsest first. Where none is in reach, words end a span, then characters.
        whole: Units that no overlap may begin inside of; each must fit the ruler and end at a level's end.
    """
    start, stop = span
    fresh = start  # first character that no span has covered yet; never white space
    while start < stop:
        end = _end(text, start, fresh, stop, ruler, levels)
        yield start, end
        if end >= stop:
            return
        fresh = skip_space(text, end)
        start = _next_start(text, start, end, fresh, ruler, levels)
        torn = whole.around(start)
        if torn is not None and torn[0] < start < fresh:
            start = min(skip_space(text, torn[1]), fresh)
        if ruler.reach(start) <= fresh:
            start = fresh


def _end(text: str, start: int, fresh: int, stop: int, ruler: Ruler, levels: Sequence[Level]) -> int:
    """Return where the span from `start` ends: past `fresh`, never after white space."""
    furthest = ruler.reach(start)
    if furthest >= stop:
        return stop
    for level in levels:
        end = level.last_end(fresh, furthest)
        if end is not None and end - start >= level.fill * (furthest - start):
            return end
    end = furthest
    if not text[end].isspace():
        lowest = max(start + (furthest - start + 1) // 2, fresh + 1)
        end = next((at for at in range(end - 1, lowest - 1, -1) if text[at].isspace()), 0)
        end = end or before_character(text, furthest, fresh + 1)
    while text[end - 1].isspace():
        end -= 1
    return end


def _next_start(text: str, start: int, end: int, fresh: int, ruler: Ruler, levels: Sequence[Level]) -> int:
    """Return the next start: past `start`, not on white space, and such that the unit at `fresh` fits if it can."""
    needed = fresh + 1
    for level in levels:
        unit = level.around(fresh)
        if unit is not None and unit[0] == fresh and unit[1] <= ruler.reach(fresh):
            needed = unit[1]
            break
    low = max(start + 1, ruler.back(end), ruler.earliest(needed))
    if low >= end:
        return fresh
    for level in levels:
        found = level.first_start(low, end)
        if found is not None:
            return found
    if not text[low - 1].isspace():
        word = next((at for at in range(low, end) if text[at].isspace()), None)
        low = after_character(text, low, end) if word is None else word
    return skip_space(text, low)


def skip_space(text: str, position: int) -> int:
    """Return the first position from `position` on that is not white space, or the text's length."""
    return _SPACE.match(text, position).end()  # type: ignore[union-attr]


def before_character(text: str, position: int, lowest: int) -> int:
    """Return the nearest position up to `position`, not below `lowest`, that tears no character from its marks."""
    for at in range(position, max(lowest, position - _LONGEST_CHARACTER) - 1, -1):
        if not _joined(text, at):
            return at
    return position


def after_character(text: str, position: int, highest: int) -> int:
    """Return the nearest position from `position` on, below `highest`, that tears no character from its marks."""
    for at in range(position, min(highest, position + _LONGEST_CHARACTER)):
        if not _joined(text, at):
            return at
    return position


def _joined(text: str, at: int) -> bool:
    """Tell whether the characters on both sides of `at` are seen as one: marks, joined emoji, skin tones, CRLF."""
    if not 0 < at < len(text):
        return False
    here = text[at]
    if here < "\u0300":
        return here == "\n" and text[at - 1] == "\r"
    return (
        here == _JOINER
        or text[at - 1] == _JOINER
        or unicodedata.category(here) in ("Mn", "Me", "Mc")
        or "\U0001f3fb" <= here <= "\U0001f3ff"
    )
