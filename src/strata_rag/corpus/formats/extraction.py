"""What reading one file gives, and what it may cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from strata_rag.documents import Record, Scalar, Section

INSTALL = "pip install 'strata-rag[formats]'"


class Unreadable(Exception):
    """A file that holds nothing this project can read; the message says why."""


class NoReader(Unreadable):
    """A file of a kind that this project does not read."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one file may cost.

    Attributes:
        max_bytes: Largest file.
        max_unpacked: Most bytes that a packed file may unpack to.
        max_ratio: Most bytes that one packed byte may unpack to, for parts beyond a megabyte.
        max_pages: Most pages of a PDF, or sheets of a workbook.
        max_members: Most files in one archive.
        seconds: Longest time that reading one file may take.
        memory_mb: Most memory of a process that reads files.
    """

    max_bytes: int = 100_000_000
    max_unpacked: int = 1_000_000_000
    max_ratio: int = 200
    max_pages: int = 5_000
    max_members: int = 10_000
    seconds: float = 60.0
    memory_mb: int = 2048


@dataclass(frozen=True, slots=True)
class Options:
    """What is a reader's choice.

    Attributes:
        id_column: Column that holds a row's document id, or None: the whole table is one document.
        text_column: With `id_column`, the column that is a row's text; None takes all.
        title_column: With `id_column`, the column that is a row's title.
        hidden_sheets: Whether hidden sheets are read.
        comments: Whether reviewers' comments are read.
        zip: Whether the files inside archives are read.
    """

    id_column: str | None = None
    text_column: str | None = None
    title_column: str | None = None
    hidden_sheets: bool = False
    comments: bool = False
    zip: bool = False


@dataclass(frozen=True, slots=True)
class Extraction:
    """One file, read.

    Attributes:
        text: Line ends are ``\\n``; no control character but that and the tab.
        format: What it was read as, such as ``pdf``.
        title: What the file calls itself; empty where it does not.
        metadata: What it says about itself, such as its front matter.
        pages: First code point of each page, ascending.
        sections: Where its headings, sheets or attachments begin, ascending.
        records: The rows of its tables, each with its span and its typed values.
        encoding: Of its text; empty where the format fixes it.
        warnings: What a reader should know.
        parts: Where it holds several documents, such as an archive: those, and `text` is empty.
    """

    text: str
    format: str
    title: str = ""
    metadata: Mapping[str, Scalar] = field(default_factory=dict)
    pages: tuple[int, ...] = ()
    sections: tuple[Section, ...] = ()
    records: tuple[Record, ...] = ()
    encoding: str = ""
    warnings: tuple[str, ...] = ()
    parts: tuple[Part, ...] = ()


@dataclass(frozen=True, slots=True)
class Part:
    """One document of a file that holds several.

    Attributes:
        name: Its id: of a row what the id column says, of an archive's file ``<archive>/<path inside>``.
        extraction: What it holds.
    """

    name: str
    extraction: Extraction


def list_some(places: list[str] | list[int], most: int = 10) -> str:
    """Return places as a text, runs of numbers as ranges, at most `most` of them."""
    shown: list[str] = []
    at = 0
    while at < len(places):
        end = at
        while end + 1 < len(places) and _follows(places[end], places[end + 1]):
            end += 1
        shown.append(f"{places[at]}" if end == at else f"{places[at]}-{places[end]}")
        at = end + 1
    more = f" and {len(shown) - most} more" if len(shown) > most else ""
    return ", ".join(shown[:most]) + more


def _follows(one: str | int, other: str | int) -> bool:
    return isinstance(one, int) and isinstance(other, int) and other == one + 1
