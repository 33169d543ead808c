"""Whole sentences, packed up to a budget."""

from __future__ import annotations

from strata_rag.chunking.chunker import slice_chunk, whole_span
from strata_rag.chunking.cutting import NOTHING, CharacterRuler, Level, Ruler, SharedUnits, cut_spans
from strata_rag.chunking.sentences import sentence_spans
from strata_rag.documents import Chunk, SourceDocument


class SentenceChunker:
    """Packs as many whole sentences as fit into `size` characters.

    A chunk begins with the first sentence that fits into the overlap; where none does, it begins with the
    last words of the one before, so that the overlap never silently disappears. A sentence longer than
    `size` is cut between words, one longer word at a character.

    Args:
        size: Most code points in a chunk, at least 1.
        overlap: Most code points that neighbours share, at least 0 and below `size`.
        overlap_sentences: Whole sentences that neighbours share in place of `overlap`, as far as they leave room
            for the next one. The parts of a long sentence still share `overlap`.

    Raises:
        ValueError: `size` or `overlap` is out of range.
    """

    def __init__(self, *, size: int, overlap: int, overlap_sentences: int | None = None) -> None:
        self._ruler = CharacterRuler(size, overlap)
        self._shared = overlap_sentences

    def chunk(self, document: SourceDocument) -> list[Chunk]:
        """Return the document's chunks in order; none where it holds only white space."""
        text = document.text
        found = sentence_spans(text)
        sentences, whole = Level.of(found), NOTHING
        ruler: Ruler = self._ruler
        if self._shared is not None:
            ruler = SharedUnits(self._ruler, sentences, self._shared)
            whole = Level.of([(start, end) for start, end in found if end - start <= self._ruler.size])
        spans = cut_spans(text, whole_span(text), ruler, [sentences], whole=whole)
        return [slice_chunk(document, *span) for span in spans]


class SentenceWindowChunker:
    """Matches single sentences and shows each with its neighbours.

    A sentence longer than `size` is cut between words, with the overlap, into several matched units. The shown
    text reaches the same number of units to both sides, fewer at the document's ends.

    Args:
        size: Most code points in a matched unit, at least 1.
        overlap: Most code points that the parts of a long sentence share, at least 0 and below `size`.
        window: Units shown before and after the matched one, at least 0.

    Raises:
        ValueError: A number is out of range.
    """

    def __init__(self, *, size: int, overlap: int, window: int) -> None:
        if window < 0:
            raise ValueError(f"expected window >= 0, found {window}")
        self._ruler = CharacterRuler(size, overlap)
        self._window = window

    def chunk(self, document: SourceDocument) -> list[Chunk]:
        """Return one chunk a sentence, in order; none where the document holds only white space."""
        text = document.text
        units = [unit for span in sentence_spans(text) for unit in cut_spans(text, span, self._ruler)]
        last = len(units) - 1
        return [
            slice_chunk(
                document,
                start,
                end,
                shown=(units[max(at - self._window, 0)][0], units[min(at + self._window, last)][1]),
            )
            for at, (start, end) in enumerate(units)
        ]
