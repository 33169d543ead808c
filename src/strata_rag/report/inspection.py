"""What an inspection of chunks found, as text and as JSON values."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from strata_rag.documents import Chunk

_BEGINNING = 60


@dataclass(frozen=True, slots=True)
class InspectedChunk:
    """One chunk with what is known of it.

    Attributes:
        chunk: The chunk.
        tokens: Tokens of what is embedded, or None where no tokenizer tells.
        heading_path: The titles above it; empty where the strategy knows none.
        flags: Signs that it will be of little use.
    """

    chunk: Chunk
    tokens: int | None
    heading_path: str
    flags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ChunkInspection:
    """The chunks of a corpus, or of one of its documents.

    Attributes:
        collection: Where an ingest would put them.
        strategy: How they were cut.
        max_tokens: Most tokens the model reads, or None.
        documents: Documents looked at.
        chunks: Document after document.
    """

    collection: str
    strategy: str
    max_tokens: int | None
    documents: int
    chunks: tuple[InspectedChunk, ...]

    def flag_counts(self) -> dict[str, int]:
        """Return how many chunks have each flag that any has."""
        return dict(Counter(flag for one in self.chunks for flag in one.flags))


def inspection_document(found: ChunkInspection) -> dict[str, Any]:
    """Return what ``strata inspect --chunks --json`` prints."""
    return {
        "collection": found.collection,
        "strategy": found.strategy,
        "max_tokens": found.max_tokens,
        "documents": found.documents,
        "flags": found.flag_counts(),
        "chunks": [
            {
                "chunk_id": one.chunk.chunk_id,
                "doc_id": one.chunk.doc_id,
                "start": one.chunk.start,
                "end": one.chunk.end,
                "text_start": one.chunk.text_start,
                "text_end": one.chunk.text_end,
                "text": one.chunk.text,
                "embed_text": one.chunk.embed_text,
                "tokens": one.tokens,
                "heading_path": one.heading_path,
                "flags": list(one.flags),
            }
            for one in found.chunks
        ],
    }


def print_inspection(found: ChunkInspection) -> None:
    """Print each chunk's place, size and boundaries on two lines, then the flags in figures."""
    doc_id = None
    for one in found.chunks:
        chunk = one.chunk
        if chunk.doc_id != doc_id:
            doc_id = chunk.doc_id
            print(f"{doc_id}")
        tokens = "" if one.tokens is None else f", {one.tokens} tokens"
        wider = chunk.text_start < chunk.start or chunk.end < chunk.text_end
        shown = f", shows {chunk.text_start}-{chunk.text_end}" if wider else ""
        path = f"  [{one.heading_path}]" if one.heading_path else ""
        flags = f"  !! {', '.join(one.flags)}" if one.flags else ""
        print(
            f"  {chunk.start}-{chunk.end}: {chunk.end - chunk.start} characters{tokens}{shown}{path}{flags}"
        )
        print(f"    {_boundaries(chunk)}")
    print(f"\n{found.documents} documents, {len(found.chunks)} chunks, strategy {found.strategy}")
    for flag, count in found.flag_counts().items():
        print(f"{count} {flag}")


def _boundaries(chunk: Chunk) -> str:
    """Return the beginning and the end of the matched unit on one line."""
    unit = chunk.text[chunk.start - chunk.text_start : chunk.end - chunk.text_start]
    if len(unit) <= 2 * _BEGINNING:
        return " ".join(unit.split())
    return f"{' '.join(unit[:_BEGINNING].split())} ... {' '.join(unit[-_BEGINNING:].split())}"
