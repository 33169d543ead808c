"""From a corpus to the chunks that should be indexed, with what each document amounts to."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from strata_rag.cache import digest_request
from strata_rag.chunking import Chunker
from strata_rag.corpus import (
    DocumentFigures,
    FileOutcome,
    Manifest,
    NotedSource,
    SourceAdapter,
    build_manifest,
    pages_without_text,
    text_digest,
)
from strata_rag.documents import Chunk, SourceDocument
from strata_rag.errors import AnswerIsNo, CorpusError
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
        notes: What the source says of the corpus as a whole.
    """

    documents: tuple[SourceDocument, ...]
    chunks: dict[str, list[Chunk]]
    outcomes: tuple[FileOutcome, ...]
    cut: bool = True
    files: str | None = None
    notes: tuple[str, ...] = ()

    def all_chunks(self) -> list[Chunk]:
        """Return every chunk, document after document."""
        return [chunk for chunks in self.chunks.values() for chunk in chunks]

    def count(self, status: str) -> int:
        """Return the number of files with `status`."""
        return sum(outcome.status == status for outcome in self.outcomes)

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to index."""
        if self.cut:
            return not any(self.chunks.values())
        return not any(document.text.strip() for document in self.documents)


def nothing_to_index(root: Path, corpus: ChunkedCorpus, *, indexed_before: int = 0) -> AnswerIsNo:
    """Return the error that says that no file under `root` gave a document with text.

    Args:
        root: The corpus root.
        corpus: What was read.
        indexed_before: Chunks of an earlier ingest, which stay.
    """
    kept = f"; the {indexed_before} chunks indexed before are left as they are" if indexed_before else ""
    return AnswerIsNo(
        f"{root}: expected documents with text, found none in {len(corpus.outcomes)} files "
        f"({corpus.count('excluded')} excluded, {corpus.count('failed')} failed){kept}",
        hint="check corpus.root; `strata ingest CONFIG --dry-run` lists every file with the reason",
    )


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
    notes = tuple(source.notes) if isinstance(source, NotedSource) else ()
    return ChunkedCorpus(tuple(documents), chunks, outcomes, cut=chunker is not None, notes=notes)


def _within_limit(outcome: FileOutcome, beyond: set[str], limit: int | None) -> FileOutcome:
    """Return the outcome without the documents that the limit left out."""
    if not beyond.intersection(outcome.doc_ids):
        return outcome
    kept = tuple(doc_id for doc_id in outcome.doc_ids if doc_id not in beyond)
    if not kept:
        return FileOutcome(outcome.path, "excluded", f"past corpus.limit {limit}")
    note = f"{len(outcome.doc_ids) - len(kept)} documents past corpus.limit {limit} left out"
    return replace(outcome, doc_ids=kept, warnings=(*outcome.warnings, note))


def corpus_manifest(
    corpus: ChunkedCorpus, tokens: dict[str, int], limit: int | None, *, redacted_by: Mapping[str, Any]
) -> Manifest:
    """Return the manifest.

    Args:
        corpus: What was read.
        tokens: Tokens by chunk id; empty where no tokenizer was at hand.
        limit: Most tokens the model reads, or None.
        redacted_by: What decided the redaction of its documents.
    """
    figures = {document.doc_id: _figures(document, corpus, tokens, limit) for document in corpus.documents}
    privacy = digest_request(redacted_by).hex()[:16]
    return build_manifest(corpus.outcomes, figures, privacy=privacy)


def _figures(
    document: SourceDocument, corpus: ChunkedCorpus, tokens: dict[str, int], limit: int | None
) -> DocumentFigures:
    chunks = corpus.chunks[document.doc_id]
    counts = [(chunk, tokens[chunk.chunk_id]) for chunk in chunks if tokens]
    return DocumentFigures(
        chunks=len(chunks) if corpus.cut else None,
        characters=len(document.text),
        max_tokens=max((count for _, count in counts), default=None),
        tokens=sum(count for _, count in counts) if tokens else None,
        warnings=tuple(
            f"chunk {chunk.chunk_id} has {count} tokens, the model reads {limit}: {count - limit} not embedded"
            for chunk, count in counts
            if limit is not None and count > limit
        ),
        redactions=document.redactions,
        secrets=document.secrets,
        digest=text_digest(document.text),
        empty_pages=pages_without_text(document.text, document.pages),
    )


def size_that_fits(chunks: Sequence[Chunk], tokens: dict[str, int], limit: int) -> int:
    """Return the largest chunk size, in characters, at which no chunk of this text would pass `limit` tokens.

    Judged by the densest chunk there is, in tokens per character.
    """
    return min(
        int(len(chunk.embed_text) * limit / tokens[chunk.chunk_id])
        for chunk in chunks
        if tokens[chunk.chunk_id] > limit
    )
