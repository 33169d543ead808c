"""The seam sources stand behind, and what became of each file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

from strata_rag.documents import SourceDocument

Status = Literal["included", "excluded", "failed"]


@dataclass(frozen=True, slots=True)
class FileOutcome:
    """What became of one file under the corpus root.

    Attributes:
        path: Relative to the root, with ``/``.
        status: Whether its documents are in the corpus.
        reason: The rule that excluded it or that it stays by, or why it failed; empty where no rule spoke.
        doc_ids: The documents it gave.
        warnings: What a reader should know, such as an empty document.
        format: What it was read as, such as ``pdf``; empty where it was not read.
        encoding: Of its text, such as ``utf-8`` or ``cp1252``; empty where the format fixes it.
        pages: Number of its pages, or None where it has none.
        empty_pages: The pages without text, counted from 1.
    """

    path: str
    status: Status
    reason: str = ""
    doc_ids: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    format: str = ""
    encoding: str = ""
    pages: int | None = None
    empty_pages: tuple[int, ...] = ()


class SourceAdapter(Protocol):
    """Reads the documents of one source."""

    def discover(self) -> Iterator[SourceDocument]:
        """Yield every document, in an order that depends on the files alone."""

    @property
    def outcomes(self) -> Sequence[FileOutcome]:
        """Each file under the root exactly once, by name within each folder; complete when `discover` has ended."""


@runtime_checkable
class NotedSource(Protocol):
    """A source that has something to say about the corpus as a whole."""

    @property
    def notes(self) -> Sequence[str]:
        """One line per matter; complete when `discover` has ended."""
