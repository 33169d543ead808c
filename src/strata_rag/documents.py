"""The two values that travel from the corpus to the index: a document and a chunk of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

Scalar = str | int | float | bool
"""What a payload field holds."""


@dataclass(frozen=True, slots=True)
class Section:
    """Where a part of a document begins.

    Attributes:
        start: Its first code point.
        title: Heading path, sheet or slide: what a citation names.
    """

    start: int
    title: str


@dataclass(frozen=True, slots=True)
class Record:
    """One row of a table inside a document.

    Attributes:
        start: Its first code point.
        end: One past its last code point.
        values: By column name: numbers and booleans as such, all else as the text that the cell shows.
    """

    start: int
    end: int
    values: Mapping[str, Scalar]


@dataclass(frozen=True, slots=True)
class SourceDocument:
    """One document as extracted from its source.

    Attributes:
        doc_id: Path relative to the corpus root with ``/``, or the id the data set gives.
        text: The extracted text; every offset in the project counts its code points.
        title: What stands above the text when it is matched; empty where there is none.
        source: First folder under the corpus root, empty for files in the root.
        project: The next folder, or what the adapter says.
        metadata: Further payload fields.
        pages: First code point of each page, ascending; empty where it has no pages.
        sections: Where its parts begin, ascending; empty where none are known.
        records: The rows of its tables, ascending; empty where it has none.
        redactions: Placeholders that stand for personal data in it.
        secrets: Placeholders that stand for secrets in it.
        family: What a plugin registered it as; empty where none did.
    """

    doc_id: str
    text: str
    title: str = ""
    source: str = ""
    project: str = ""
    metadata: Mapping[str, Scalar] = field(default_factory=dict)
    pages: tuple[int, ...] = ()
    sections: tuple[Section, ...] = ()
    records: tuple[Record, ...] = ()
    redactions: int = 0
    secrets: int = 0
    family: str = ""


@dataclass(frozen=True, slots=True)
class Chunk:
    """A span of one document: what is indexed.

    Attributes:
        doc_id: The document it was cut from.
        start: First code point of the matched unit.
        end: One past its last code point.
        text: What is shown and generated from: the document's ``[text_start, text_end)``.
        text_start: First code point of the shown text.
        text_end: One past its last code point.
        embed_text: What is embedded and matched.
        metadata: Further payload fields of this chunk, such as ``heading_path``.
    """

    doc_id: str
    start: int
    end: int
    text: str
    text_start: int
    text_end: int
    embed_text: str
    metadata: Mapping[str, str] = field(default_factory=dict)

    @property
    def chunk_id(self) -> str:
        """``doc_id#start-end``, unique within a corpus."""
        return f"{self.doc_id}#{self.start}-{self.end}"
