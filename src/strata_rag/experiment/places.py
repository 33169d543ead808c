"""Where in its document a chunk lies: page, section, row."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from typing import Any

from strata_rag.documents import Chunk, SourceDocument


def places(document: SourceDocument, chunk: Chunk) -> Mapping[str, Any]:
    """Return the payload fields that say where a chunk lies, as far as its document knows.

    ``page`` counts from 1, ``page_end`` stands where the chunk ends on another page, ``section`` is the one it begins
    in, and ``row`` holds the typed values of the one row that it touches.
    """
    found: dict[str, Any] = {}
    if document.pages:
        found["page"] = max(bisect_right(document.pages, chunk.start), 1)
        last = max(bisect_right(document.pages, chunk.end - 1), 1)
        if last != found["page"]:
            found["page_end"] = last
    if document.sections:
        at = bisect_right([section.start for section in document.sections], chunk.start)
        if at:
            found["section"] = document.sections[at - 1].title
    if document.records and (row := _only_row(document, chunk)) is not None:
        found["row"] = row
    return found


def _only_row(document: SourceDocument, chunk: Chunk) -> dict[str, Any] | None:
    """Return the values of the row that the chunk overlaps, if it is one alone."""
    records = document.records
    first = bisect_right([record.end for record in records], chunk.start)
    beyond = bisect_left([record.start for record in records], chunk.end)
    return dict(records[first].values) if beyond - first == 1 else None
