"""From a corpus to the chunks that should be indexed, with what each document amounts to."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from strata_rag.chunking import Chunker
from strata_rag.corpus import (
    DocumentFigures,
    FileOutcome,
    Manifest,
    SourceAdapter,
    build_manifest,
    write_manifest,
)
from strata_rag.documents import Chunk, SourceDocument
from strata_rag.errors import CorpusError
from strata_rag.progress import Progress


@dataclass(frozen=True, slots=True)
class ChunkedCorpus:
    """Every document that was read, cut.

    Attributes:
        documents: In the source's order, texts included.
        chunks: By document id, in order; empty for an empty document.
        outcomes: What became of each file.
        cut: Whether the documents were cut; if not, every document's chunks are unknown.
        files: Digest of the files' names, sizes and times before they were read, or None.
    """

    documents: tuple[SourceDocument, ...]
    chunks: dict[str, list[Chunk]]
    outcomes: tuple[FileOutcome, ...]
    cut: bool = True
    files: str | None = None

    def all_chunks(self) -> list[Chunk]:
        """Return every chunk, document after document."""
        return [chunk for chunks in self.chunks.values() for chunk in chunks]

    def count(self, status: str) -> int:
        """Return the number of files with `status`."""
        return sum(outcome.status == status for outcome in self.outcomes)


def chunk_corpus(
    source: SourceAdapter, chunker: Chunker | None, *, limit: int | None, progress: Progress
) -> ChunkedCorpus:
    """Read `source` to its end and cut its documents; those past `limit` are read and left out.

    Without a chunker the documents are only read.

    Raises:
        CorpusError: Two documents have the same id.
    """
    progress.phase("reading")
    documents: list[SourceDocument] = []
    chunks: dict[str, list[Chunk]] = {}
    stream = source.discover()
    for document in itertools.islice(stream, limit):
        if document.doc_id in chunks:
            raise CorpusError(
                f"{document.doc_id}: expected document ids that stand once, found two documents with this one",
                hint="rename one of them",
            )
        documents.append(document)
        chunks[document.doc_id] = chunker.chunk(document) if chunker else []
        progress.advance()
    beyond = {document.doc_id for document in stream}
    outcomes = tuple(_within_limit(outcome, beyond, limit) for outcome in source.outcomes)
    return ChunkedCorpus(tuple(documents), chunks, outcomes, cut=chunker is not None)


def _within_limit(outcome: FileOutcome, beyond: set[str], limit: int | None) -> FileOutcome:
    """Return the outcome without the documents that the limit left out."""
    if not beyond.intersection(outcome.doc_ids):
        return outcome
    kept = tuple(doc_id for doc_id in outcome.doc_ids if doc_id not in beyond)
    if not kept:
        return FileOutcome(outcome.path, "excluded", f"past corpus.limit {limit}")
    note = f"{len(outcome.doc_ids) - len(kept)} documents past corpus.limit {limit} left out"
    return replace(outcome, doc_ids=kept, warnings=(*outcome.warnings, note))


def corpus_manifest(corpus: ChunkedCorpus, tokens: dict[str, int], limit: int | None) -> Manifest:
    """Return the manifest.

    Args:
        corpus: What was read.
        tokens: Tokens by chunk id; empty where no tokenizer was at hand.
        limit: Most tokens the model reads, or None.
    """
    figures = {}
    for document in corpus.documents:
        counts = [(chunk, tokens[chunk.chunk_id]) for chunk in corpus.chunks[document.doc_id] if tokens]
        figures[document.doc_id] = DocumentFigures(
            chunks=len(corpus.chunks[document.doc_id]) if corpus.cut else None,
            characters=len(document.text),
            max_tokens=max((count for _, count in counts), default=None),
            warnings=tuple(
                f"chunk {chunk.chunk_id} has {count} tokens, the model reads {limit}: {count - limit} not embedded"
                for chunk, count in counts
                if limit is not None and count > limit
            ),
            redactions=document.redactions,
            secrets=document.secrets,
        )
    return build_manifest(corpus.outcomes, figures)


def size_that_fits(chunks: Sequence[Chunk], tokens: dict[str, int], limit: int) -> int:
    """Return the largest chunk size, in characters, at which no chunk of this text would pass `limit` tokens.

    Judged by the densest chunk there is, in tokens per character.
    """
    return min(
        int(len(chunk.embed_text) * limit / tokens[chunk.chunk_id])
        for chunk in chunks
        if tokens[chunk.chunk_id] > limit
    )


def save_manifest(manifests: Path, collection: str, manifest: Manifest) -> Path:
    """Write the manifest into the folder `manifests`, under the collection's name."""
    path = manifests / f"{collection}.json"
    write_manifest(path, manifest)
    return path
