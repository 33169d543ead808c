"""Long texts in overlapping windows, so that a detector with a limit sees every entity whole in one of them."""

from __future__ import annotations

from collections.abc import Iterable

from strata_rag.privacy.span import Span


def windows(text: str, *, size: int, overlap: int) -> list[tuple[int, int]]:
    """Return windows that cover `text`; whatever is at most half of `overlap` long lies whole in one of them.

    Windows begin and end between words where there is a gap within a quarter of the overlap.

    Args:
        text: Any text.
        size: Most code points in a window, more than twice `overlap`.
        overlap: Code points that neighbours share, about.
    """
    if len(text) <= size:
        return [(0, len(text))]
    step = size - overlap
    starts = [_gap(text, at, overlap // 4) for at in range(0, len(text) - overlap, step)]
    starts[0] = 0
    ends = [_gap(text, start + overlap - overlap // 4, overlap // 4) for start in starts[1:]]
    return list(zip(starts, [*ends, len(text)], strict=True))


def _gap(text: str, at: int, reach: int) -> int:
    """Return the position before white space nearest below `at`, or `at` where there is none in reach."""
    for position in range(min(at, len(text)), max(at - reach, 0), -1):
        if text[position - 1].isspace():
            return position
    return min(at, len(text))


def joined(parts: Iterable[tuple[int, Iterable[Span]]]) -> list[Span]:
    """Return the findings of windows in offsets of the whole text; what two windows found alike stands once."""
    best: dict[tuple[int, int, str], float] = {}
    for start, spans in parts:
        for span in spans:
            key = (span.start + start, span.end + start, span.entity)
            best[key] = max(best.get(key, 0.0), span.score)
    return sorted(Span(start, end, entity, score) for (start, end, entity), score in best.items())
