"""Cuts where the meaning turns: between sentences whose embeddings part."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from strata_rag.chunking.chunker import slice_chunk
from strata_rag.chunking.cutting import CharacterRuler, Level, Span, cut_spans
from strata_rag.chunking.sentences import sentence_spans
from strata_rag.documents import Chunk, SourceDocument
from strata_rag.embedding import Embedder

_PLACES = 5


class SemanticChunker:
    """Cuts between neighbouring sentences whose distance is among the document's largest.

    The distance of two neighbours is 1 - cosine of their embeddings. Those at or above the document's percentile
    end a chunk; chunks share nothing there. What is longer than `size` is cut between sentences, with the overlap.
    Distances are rounded to five places, so that the last bits of a model's arithmetic don't move a boundary.

    Args:
        embedder: Embeds single sentences as documents; behind a cache each is embedded once.
        size: Most code points in a chunk, at least 1.
        overlap: Most code points that the parts of a longer stretch share, at least 0 and below `size`.
        percentile: Share of a document's distances, in percent, that lie below a boundary's, from 0 to 100.

    Raises:
        ValueError: A number is out of range.
    """

    def __init__(self, *, embedder: Embedder, size: int, overlap: int, percentile: float) -> None:
        if not 0 <= percentile <= 100:
            raise ValueError(f"expected percentile from 0 to 100, found {percentile}")
        self._embedder = embedder
        self._ruler = CharacterRuler(size, overlap)
        self._percentile = percentile

    def chunk(self, document: SourceDocument) -> list[Chunk]:
        """Return the document's chunks in order; none where it holds only white space."""
        text = document.text
        sentences = sentence_spans(text)
        level = Level.of(sentences)
        return [
            slice_chunk(document, *span)
            for stretch in self._stretches(text, sentences)
            for span in cut_spans(text, stretch, self._ruler, [level])
        ]

    def _stretches(self, text: str, sentences: Sequence[Span]) -> list[Span]:
        if len(sentences) < 2:
            return list(sentences)
        most = self._ruler.size  # of a longer sentence the model would not read the rest
        vectors = self._embedder.embed_documents([text[a : min(b, a + most)] for a, b in sentences])
        turns = turning_points(vectors, self._percentile)
        firsts = [0, *(turn + 1 for turn in turns)]
        lasts = [*turns, len(sentences) - 1]
        return [(sentences[first][0], sentences[last][1]) for first, last in zip(firsts, lasts, strict=True)]


def turning_points(vectors: NDArray[np.floating], percentile: float) -> list[int]:
    """Return the positions i where vector i and the next one part, in order.

    Args:
        vectors: Unit vectors in reading order, shape (n, dimension), n >= 2.
        percentile: From 0 (every position) to 100 (the largest distance alone); equal neighbours never part.
    """
    distances = np.round(1.0 - np.einsum("ij,ij->i", vectors[:-1], vectors[1:], dtype=np.float64), _PLACES)
    threshold = np.percentile(distances, percentile, method="higher")
    return [int(at) for at in np.flatnonzero((distances >= threshold) & (distances > 0))]
