"""The one form that every text takes, and a builder that knows where its parts begin."""

from __future__ import annotations

import re
import unicodedata

from strata_rag.documents import Record, Scalar, Section

_LINE_ENDS = re.compile("\r\n|[\r\x0b\x0c\x1c-\x1e\x85]")
_FOLDED = re.compile("[\ufb00-\ufb4f\ufb50-\ufbb1\ufbd3-\ufd3d\ufd50-\ufdfb\ufe70-\ufefc]+")
_DROPPED = re.compile("[\xad\ufeff]")
_CONTROLS = re.compile("[\x00-\x08\x0e-\x1b\x1f\x7f-\x84\x86-\x9f]")
_BROKEN = re.compile("[\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")
_PRIVATE = re.compile("[\ue000-\uf8ff]")
_ODD = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\ud800-\uf8ff\ufb00-\ufdff\ufe70-\ufeff\ufffd-\uffff]")
_SPACES = re.compile("[ \t\n\r\f\v]+")
REPLACEMENT = "\ufffd"


class Cleaner:
    """Brings texts into one form and counts what that cost.

    Line ends become ``\\n``. Soft hyphens and byte order marks go. Presentation forms (ligatures such as U+FB01,
    positional Arabic letters) become the letters they show. Other control characters go, or become U+FFFD.

    Args:
        mark_controls: Whether control and private characters stand for something unreadable and become U+FFFD.
    """

    def __init__(self, *, mark_controls: bool = False) -> None:
        self._stand_in = REPLACEMENT if mark_controls else ""
        self.controls = 0
        self.unreadable = 0

    def clean(self, text: str) -> str:
        """Return `text` in that form."""
        if not _ODD.search(text):
            return text
        text = _LINE_ENDS.sub("\n", text)
        text = _DROPPED.sub("", text)
        text = _FOLDED.sub(lambda found: unicodedata.normalize("NFKC", found.group()), text)
        text, controls = _CONTROLS.subn(self._stand_in, text)
        text = _BROKEN.sub(REPLACEMENT, text)
        if self._stand_in:
            text = _PRIVATE.sub(REPLACEMENT, text)
        self.controls += controls
        self.unreadable += text.count(REPLACEMENT)
        return text

    @property
    def warnings(self) -> list[str]:
        """What was lost."""
        found = []
        if self.controls and not self._stand_in:
            found.append(f"{_counted(self.controls, 'control character')} left out")
        if self.unreadable:
            found.append(f"{_counted(self.unreadable, 'character')} could not be read (U+FFFD)")
        return found


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


class TextBuilder:
    """Puts a text together and remembers where pages, sections and records begin.

    Args:
        mark_controls: See `Cleaner`.
    """

    def __init__(self, *, mark_controls: bool = False) -> None:
        self.cleaner = Cleaner(mark_controls=mark_controls)
        self.sections: list[Section] = []
        self.pages: list[int] = []
        self.records: list[Record] = []
        self._parts: list[str] = []
        self._length = 0
        self._gap = 0
        self._space = False
        self._waiting: list[str] = []

    @property
    def length(self) -> int:
        """Code points so far, without white space that only matters if more follows."""
        return self._length

    def flow(self, text: str) -> None:
        """Add running text: runs of white space become one space."""
        text = _SPACES.sub(" ", self.cleaner.clean(text))
        if not text:
            return
        if text[0] == " ":
            self._space = True
            text = text[1:]
        if not text:
            return
        ends_in_space = text[-1] == " "
        self._emit(text[:-1] if ends_in_space else text)
        self._space = ends_in_space

    def exact(self, text: str) -> None:
        """Add text as it is, white space included."""
        text = self.cleaner.clean(text)
        if text:
            self._emit(text)

    def line(self, text: str) -> None:
        """Add text as a line of its own."""
        self.end_line()
        self.exact(text)
        self.end_line()

    def end_line(self, *, blank: bool = False) -> None:
        """End the line, with a blank one after it if `blank`; nothing happens before the first text."""
        self._gap = max(self._gap, 2 if blank else 1)
        self._space = False

    def section(self, title: str) -> None:
        """Say that what comes next stands under `title`."""
        title = " ".join(self.cleaner.clean(title).split())
        if title:
            self._waiting.append(title)

    def page(self) -> None:
        """Begin a page here."""
        if self._length and self._gap:
            self._put("\n" * self._gap)
        self._gap = 0
        self._space = False
        self.pages.append(self._length)

    def record(self, text: str, values: dict[str, Scalar]) -> None:
        """Add a row as a line of its own, with its typed values."""
        self.end_line()
        text = self.cleaner.clean(text)
        if text:
            self._emit(text)
            self.records.append(Record(self._length - len(text), self._length, values))
        self.end_line()

    def append(self, text: str, sections: tuple[Section, ...], records: tuple[Record, ...]) -> None:
        """Add a text that was read already, with its parts."""
        if not text:
            return
        self._emit(text)
        offset = self._length - len(text)
        self.sections += [Section(one.start + offset, one.title) for one in sections]
        self.records += [Record(one.start + offset, one.end + offset, one.values) for one in records]

    def build(self) -> str:
        """Return the text."""
        return "".join(self._parts)

    def _emit(self, text: str) -> None:
        if self._gap:
            if self._length and not (self.pages and self.pages[-1] == self._length):
                self._put("\n" * self._gap)
        elif self._space and self._length:
            self._put(" ")
        self._gap, self._space = 0, False
        self.sections += [Section(self._length, title) for title in self._waiting[-1:]]
        self._waiting.clear()
        self._put(text)

    def _put(self, text: str) -> None:
        self._parts.append(text)
        self._length += len(text)
