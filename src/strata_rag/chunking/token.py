"""A window that is measured in the embedding model's own tokens."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from strata_rag.chunking.chunker import slice_chunk, whole_span, with_title
from strata_rag.chunking.cutting import Span, cut_spans, require_moving
from strata_rag.documents import Chunk, SourceDocument

_MOST_CHARACTERS_A_TOKEN = 64
_SAFE = " \t\n\r"
_WORD_OR_MARK = re.compile(r"\w+|[^\w\s]")


class Tokenizer(Protocol):
    """The embedding model's tokenizer."""

    @property
    def additive(self) -> bool:
        """Whether texts joined by a space have together as many tokens as apart, special ones aside."""

    def offsets(self, text: str) -> NDArray[np.int64]:
        """Return first and past-the-last code point of each token, shape (tokens, 2), without special ones."""

    def count(self, texts: Sequence[str]) -> list[int]:
        """Return tokens per text as the model reads them: special ones and the model's prompt included."""


class WordTokenizer:
    """A fake that needs no model: words and single marks are tokens, and every text has two special ones more."""

    @property
    def additive(self) -> bool:
        return True

    def offsets(self, text: str) -> NDArray[np.int64]:
        places = [match.span() for match in _WORD_OR_MARK.finditer(text)]
        return np.array(places, dtype=np.int64).reshape(-1, 2)

    def count(self, texts: Sequence[str]) -> list[int]:
        return [2 + len(self.offsets(text)) for text in texts]


@dataclass(frozen=True, slots=True)
class TokenRuler:
    """At most `size` tokens a chunk, of which neighbours share at most `overlap`.

    Attributes:
        starts: First code point of each token, never falling.
        ends: One past its last code point, never falling.
        size: Most tokens in a chunk, at least 1.
        overlap: Most tokens that neighbours share.
    """

    starts: Sequence[int]
    ends: Sequence[int]
    size: int
    overlap: int

    def reach(self, start: int) -> int:
        most = start + self.size * _MOST_CHARACTERS_A_TOKEN
        first = bisect_right(self.ends, start)  # the first token that is not wholly before `start`
        beyond = first + self.size
        if beyond >= len(self.starts):
            return most
        # A character of several tokens is left whole: the chunk ends before the token that does not fit.
        end = self.starts[beyond]
        return min(most, end) if end > start else start + 1

    def earliest(self, end: int) -> int:
        least = end - self.size * _MOST_CHARACTERS_A_TOKEN
        before = bisect_left(self.starts, end)  # tokens that begin before `end`
        return max(least, self.starts[before - self.size] if before >= self.size else 0)

    def back(self, end: int) -> int:
        if self.overlap == 0:
            return end
        before = bisect_left(self.starts, end)
        least = end - self.overlap * _MOST_CHARACTERS_A_TOKEN
        return max(least, self.starts[before - self.overlap] if before >= self.overlap else 0)


class TokenChunker:
    """Cuts windows of at most `size` tokens, title and special tokens included, between words where it can.

    A chunk is never longer than the model reads, and never ends inside a character. A title that would take more
    than half of the window is shortened in `embed_text`.

    Args:
        tokenizer: The embedding model's.
        size: Most tokens in a chunk, at least 1; no more than `limit` are used.
        overlap: Most tokens that neighbours share, at least 0 and below both.
        limit: Most tokens of a text that the model reads, or None where it doesn't tell.

    Raises:
        ValueError: `size` or `overlap` is out of range, or leaves no room beside the special tokens.
    """

    def __init__(self, *, tokenizer: Tokenizer, size: int, overlap: int, limit: int | None) -> None:
        self._size = size if limit is None else min(size, limit)
        require_moving(self._size, overlap)
        self._tokenizer = tokenizer
        self._overlap = overlap
        [self._special] = tokenizer.count([""])
        if self._size - self._special < 1:
            raise ValueError(f"expected size > {self._special} special tokens, found size {self._size}")

    def chunk(self, document: SourceDocument) -> list[Chunk]:
        """Return the document's windows in order; none where it holds only white space."""
        document = replace(document, title=self._fitting_title(document.title))
        [beside] = self._tokenizer.count([f"{document.title}\n"]) if document.title else [self._special]
        offsets = self._tokenizer.offsets(document.text)
        starts = np.maximum.accumulate(offsets[:, 0]).tolist()
        ends = np.maximum.accumulate(offsets[:, 1]).tolist()
        budget = self._size - beside
        while True:
            ruler = TokenRuler(starts, ends, budget, min(self._overlap, budget - 1))
            spans = list(cut_spans(document.text, whole_span(document.text), ruler))
            excess = self._excess(document, spans)
            if excess <= 0 or budget == 1:
                return [slice_chunk(document, *span) for span in spans]
            budget = max(1, budget - excess)

    def _fitting_title(self, title: str) -> str:
        room = (self._size - self._special) // 2
        if not title or self._tokenizer.count([f"{title}\n"])[0] - self._special <= room:
            return title
        offsets = self._tokenizer.offsets(title)
        cut = title[: offsets[room - 1, 1]].rstrip() if room > 0 and len(offsets) >= room else ""
        while cut and self._tokenizer.count([f"{cut}\n"])[0] - self._special > room:
            cut = cut[:-1].rstrip()
        return cut

    def _excess(self, document: SourceDocument, spans: Sequence[Span]) -> int:
        """Return by how many tokens the longest chunk is too long, counting those that may have more than planned."""
        text = document.text
        unsure = [span for span in spans if not (self._tokenizer.additive and _between_words(text, *span))]
        texts = [with_title(document.title, text[start:end]) for start, end in unsure]
        return max(self._tokenizer.count(texts), default=0) - self._size if texts else 0


def _between_words(text: str, start: int, end: int) -> bool:
    """Tell whether both ends lie beside a space or line break, which every tokenizer cuts at."""
    return (start == 0 or text[start - 1] in _SAFE) and (end == len(text) or text[end] in _SAFE)
