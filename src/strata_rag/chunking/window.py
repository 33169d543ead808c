"""A window of characters that moves over the text and prefers to cut between words."""

from __future__ import annotations

from collections.abc import Iterator

from strata_rag.chunking.chunker import slice_chunk, whole_span
from strata_rag.documents import Chunk, SourceDocument


class WindowChunker:
    """Cuts windows of at most `size` characters, of which neighbours share at most `overlap`.

    A window that would end inside a word ends before it, unless that gives up more than half of the
    window; the next one begins at a word's start where the overlap holds one. Words longer than that,
    and scripts that write without spaces, are cut at the character.

    Args:
        size: Most code points in a chunk, at least 1.
        overlap: Most code points that neighbours share, at least 0 and below `size`.

    Raises:
        ValueError: `size` or `overlap` is out of range.
    """

    def __init__(self, *, size: int, overlap: int) -> None:
        if size < 1 or not 0 <= overlap < size:
            raise ValueError(
                f"expected size >= 1 and 0 <= overlap < size, found size {size}, overlap {overlap}"
            )
        self._size = size
        self._overlap = overlap

    def chunk(self, document: SourceDocument) -> list[Chunk]:
        """Return the document's windows in order; none where it holds only white space."""
        return [slice_chunk(document, start, end) for start, end in self._spans(document.text)]

    def _spans(self, text: str) -> Iterator[tuple[int, int]]:
        start, stop = whole_span(text)
        fresh = start  # first character that no window has covered yet; never white space
        while start < stop:
            end = self._end(text, start, stop, fresh)
            yield start, end
            if end == stop:
                return
            fresh = _skip_space(text, end)
            start = self._next_start(text, start, end, fresh)

    def _end(self, text: str, start: int, stop: int, fresh: int) -> int:
        """Return where the window from `start` ends: past `fresh`, never after white space."""
        end = start + self._size
        if end >= stop:
            return stop
        if not text[end].isspace():
            earliest = max(start + (self._size + 1) // 2, fresh + 1)
            end = next((at for at in range(end - 1, earliest - 1, -1) if text[at].isspace()), end)
        while text[end - 1].isspace():
            end -= 1
        return end

    def _next_start(self, text: str, start: int, end: int, fresh: int) -> int:
        """Return the next window's start: past `start`, not on white space, and near enough to reach `fresh`."""
        earliest = max(start + 1, end - self._overlap, fresh + 1 - self._size)
        candidate = earliest
        if candidate < end and not text[candidate - 1].isspace():
            candidate = next((at for at in range(earliest, end) if text[at].isspace()), earliest)
        return _skip_space(text, candidate)


def _skip_space(text: str, position: int) -> int:
    """Return the first position from `position` on that is not white space."""
    while text[position].isspace():
        position += 1
    return position
