"""A document's pages, sections and rows, brought to what its redacted text says."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable

from strata_rag.documents import Record, Scalar, Section, SourceDocument
from strata_rag.privacy import Redacted

Redact = Callable[[str], Redacted]


def moved_pages(document: SourceDocument, text: Redacted) -> tuple[int, ...]:
    """Return where each page begins in the redacted text."""
    return tuple(text.moved(document.pages))


def moved_sections(document: SourceDocument, text: Redacted, redact: Redact) -> tuple[Section, ...]:
    """Return where each section begins in the redacted text, its title redacted too."""
    starts = text.moved([section.start for section in document.sections])
    return tuple(
        Section(start, redact(section.title).text)
        for start, section in zip(starts, document.sections, strict=True)
    )


def moved_records(document: SourceDocument, text: Redacted, redact: Redact) -> tuple[Record, ...]:
    """Return the rows in the redacted text; a value is as hidden as it is there, or redacted by itself."""
    if not document.records:
        return ()
    starts = text.moved([record.start for record in document.records])
    ends = text.moved([record.end for record in document.records])
    edit_ends = [end for _, end, _ in text.edits]
    moved = []
    for record, start, end in zip(document.records, starts, ends, strict=True):
        first = bisect_left(edit_ends, record.start + 1)
        hidden = _hidden(document.text, text, record, first)
        shown = document.text[record.start : record.end]
        values = {name: _value(value, shown, hidden, redact) for name, value in record.values.items()}
        moved.append(Record(start, max(start, end), values))
    return tuple(moved)


def _hidden(before: str, text: Redacted, record: Record, first: int) -> list[tuple[str, str]]:
    """Return what was hidden in a row, each with its placeholder."""
    found = []
    for start, end, length in text.edits[first:]:
        if start >= record.end:
            break
        at = text.moved([start])[0]
        found.append((before[start:end], text.text[at : at + length]))
    return found


def _value(value: Scalar, shown: str, hidden: list[tuple[str, str]], redact: Redact) -> Scalar:
    if isinstance(value, bool):
        return value
    plain = str(value)
    for snippet, placeholder in hidden:
        if snippet in plain:
            plain = plain.replace(snippet, placeholder)
        elif plain and plain in snippet:
            plain = placeholder
    if plain == str(value) and plain not in shown:
        # What the text does not show was not looked at there.
        plain = redact(plain).text
    return value if plain == str(value) else plain
