"""What every strategy promises, and one chunker of each to hold to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from strata_rag.chunking import (
    Chunker,
    DocumentChunker,
    MarkdownChunker,
    SemanticChunker,
    SentenceChunker,
    SentenceWindowChunker,
    TokenChunker,
    Tokenizer,
    WindowChunker,
    WordTokenizer,
)
from strata_rag.documents import Chunk, SourceDocument


class ByteTokenizer:
    """Every UTF-8 byte is a token, so that one character may be several; two special tokens more."""

    @property
    def additive(self) -> bool:
        return False

    def offsets(self, text: str) -> NDArray[np.int64]:
        places = [(at, at + 1) for at, one in enumerate(text) for _ in one.encode("utf-8", "surrogatepass")]
        return np.array(places, dtype=np.int64).reshape(-1, 2)

    def count(self, texts: Sequence[str]) -> list[int]:
        return [2 + len(text.encode("utf-8", "surrogatepass")) for text in texts]


class LetterEmbedder:
    """A quick fake: a text points where its length and its first letter say."""

    dimension = 3
    fingerprint = "letters"

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        raw = np.array([[1, len(text) % 7, ord(text[0]) % 5] for text in texts], dtype=np.float32)
        unit: NDArray[np.float32] = raw / np.linalg.norm(raw, axis=1, keepdims=True)
        return unit

    def embed_query(self, text: str) -> NDArray[np.float32]:
        vector: NDArray[np.float32] = self.embed_documents([text])[0]
        return vector


@dataclass(frozen=True, slots=True)
class Sized:
    """A chunker and the limit it was given.

    Attributes:
        chunker: The strategy.
        limit: Most characters of a matched unit, or tokens of `embed_text` where there is a tokenizer.
        tokenizer: What `limit` counts with.
    """

    chunker: Chunker
    limit: int | None
    tokenizer: Tokenizer | None = None


def strategies(size: int, overlap: int) -> Mapping[str, Sized]:
    """Return every strategy with units of at most `size`, of which neighbours share at most `overlap`."""
    words, in_bytes = WordTokenizer(), ByteTokenizer()
    limits = {"size": size, "overlap": overlap}
    return {
        "window": Sized(WindowChunker(**limits), size),
        "document": Sized(DocumentChunker(), None),
        "sentence": Sized(SentenceChunker(**limits), size),
        "sentence, one shared": Sized(SentenceChunker(**limits, overlap_sentences=1), size),
        "sentence-window": Sized(SentenceWindowChunker(**limits, window=2), size),
        "markdown": Sized(MarkdownChunker(**limits, prepend_headings=True), size),
        "semantic": Sized(SemanticChunker(embedder=LetterEmbedder(), **limits, percentile=70), size),
        "token": Sized(
            TokenChunker(tokenizer=words, size=size + 3, overlap=overlap, limit=None), size + 3, words
        ),
        "token in bytes": Sized(
            TokenChunker(tokenizer=in_bytes, size=2 * size + 8, overlap=overlap, limit=size + 8),
            size + 8,
            in_bytes,
        ),
    }


NAMES = tuple(strategies(10, 2))


def hold(sized: Sized, document: SourceDocument) -> list[Chunk]:
    """Cut `document`, assert every promise, and return the chunks."""
    chunks = sized.chunker.chunk(document)
    text = document.text
    covered = last_start = last_end = -1
    for chunk in chunks:
        assert chunk.start > last_start, "starts go back"
        assert chunk.end > last_end, "a unit lies inside another"
        assert not text[max(covered, 0) : chunk.start].strip(), "a character is not covered"
        assert chunk.text == text[chunk.text_start : chunk.text_end], "the text is no slice"
        assert chunk.text_start <= chunk.start < chunk.end <= chunk.text_end
        assert not text[chunk.start].isspace()
        assert not text[chunk.end - 1].isspace()
        assert chunk.embed_text.endswith(text[chunk.start : chunk.end])
        if sized.limit is not None and sized.tokenizer is None:
            assert chunk.end - chunk.start <= sized.limit, "a unit is too long"
        covered, last_start, last_end = chunk.end, chunk.start, chunk.end
    assert not text[max(covered, 0) :].strip(), "the end is not covered"
    if sized.limit is not None and sized.tokenizer is not None and chunks:
        assert max(sized.tokenizer.count([chunk.embed_text for chunk in chunks])) <= sized.limit
    return chunks
