"""Inspect what is indexed: documents, coverage, and signs that a document is of little use."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from strata_rag.chunking.quality import quality_flags
from strata_rag.corpus import CorpusQuality, Manifest, corpus_quality, find_manifest, read_manifest
from strata_rag.documents import Chunk, SourceDocument
from strata_rag.errors import InputError
from strata_rag.experiment.build import Experiment
from strata_rag.experiment.inspect import require_document
from strata_rag.experiment.reconcile import TOKENS
from strata_rag.experiment.search_warnings import stale_corpus
from strata_rag.index import CollectionRecord, Index
from strata_rag.progress import Progress
from strata_rag.report import DocumentInspection, InspectedDocument

_FIELDS = [
    "doc_id",
    "start",
    "end",
    "text_start",
    "text_end",
    "text",
    "embed_text",
    "source",
    "project",
    TOKENS,
]


def inspect_documents(
    experiment: Experiment, *, document: str | None, progress: Progress
) -> DocumentInspection:
    """Look at the documents of the experiment's collection, as they are stored.

    Flags are given with the whole collection in view, also where one document is shown.

    Args:
        experiment: The components.
        document: Show this document only.
        progress: Shown the phases.

    Raises:
        CollectionError: There is no complete collection.
        InputError: There is no such document.
    """
    collection = experiment.collection
    with experiment.collections.reading(collection) as (record, index):
        progress.phase("reading the collection", record.chunks)
        stored = _StoredDocuments(index, record, progress)
    if document is not None:
        require_document(stored.texts, document)
    progress.phase("looking at documents")
    quality = corpus_quality(stored.texts, language=experiment.config.retrieval.lexical.language)
    chunk_flags = _chunk_flags(stored, record)
    progress.close()
    manifest, warnings = _manifest(experiment, record)
    return DocumentInspection(
        collection=collection,
        documents=_inspected(stored, quality, chunk_flags, document),
        quality=quality,
        chunk_flags=dict(Counter(flag for flags in chunk_flags.values() for flag in flags)),
        coverage=manifest.coverage if manifest else None,
        warnings=(*stale_corpus(experiment, record), *warnings),
    )


class _StoredDocuments:
    """The documents of a collection, put together from their chunks.

    Attributes:
        chunks: By document id, in order.
        texts: By document id; line ends stand for what no chunk shows, so that offsets hold.
        folders: Source and project by document id.
        tokens: By chunk id, where they were counted.
    """

    def __init__(self, index: Index, record: CollectionRecord, progress: Progress) -> None:
        chunks: defaultdict[str, list[Chunk]] = defaultdict(list)
        self.folders: dict[str, tuple[str, str]] = {}
        self.tokens: dict[str, int] = {}
        for _, payload in index.scroll(_FIELDS):
            text = payload["text"]
            chunk = Chunk(
                payload["doc_id"],
                payload["start"],
                payload["end"],
                text,
                payload["text_start"],
                payload["text_end"],
                payload.get("embed_text", text),
            )
            chunks[chunk.doc_id].append(chunk)
            self.folders[chunk.doc_id] = (payload["source"], payload["project"])
            if payload.get(TOKENS) is not None:
                self.tokens[chunk.chunk_id] = payload[TOKENS]
            progress.advance()
        self.chunks = {
            doc_id: sorted(chunks[doc_id], key=lambda one: (one.start, one.end)) for doc_id in sorted(chunks)
        }
        self.texts = {doc_id: _joined(of_document) for doc_id, of_document in self.chunks.items()}
        for doc_id in record.corpus.get("empty", ()):
            self.texts.setdefault(doc_id, "")
            self.chunks.setdefault(doc_id, [])


def _joined(chunks: Sequence[Chunk]) -> str:
    """Return a document's text from its chunks."""
    parts: list[str] = []
    at = 0
    for chunk in sorted(chunks, key=lambda one: (one.text_start, one.text_end)):
        parts.append("\n" * (chunk.text_start - at))
        parts.append(chunk.text[max(at - chunk.text_start, 0) :])
        at = max(at, chunk.text_end)
    return "".join(parts)


def _chunk_flags(stored: _StoredDocuments, record: CollectionRecord) -> dict[str, tuple[str, ...]]:
    documents = [SourceDocument(doc_id, text) for doc_id, text in stored.texts.items()]
    return quality_flags(documents, stored.chunks, stored.tokens, record.model.get("max_tokens"))


def _inspected(
    stored: _StoredDocuments,
    quality: CorpusQuality,
    chunk_flags: Mapping[str, Sequence[str]],
    document: str | None,
) -> tuple[InspectedDocument, ...]:
    shown = []
    for one in quality.documents:
        if document not in (None, one.doc_id):
            continue
        chunks = stored.chunks[one.doc_id]
        tokens = [stored.tokens[chunk.chunk_id] for chunk in chunks if chunk.chunk_id in stored.tokens]
        source, project = stored.folders.get(one.doc_id, ("", ""))
        shown.append(
            InspectedDocument(
                quality=one,
                source=source,
                project=project,
                chunks=len(chunks),
                tokens=sum(tokens) if len(tokens) == len(chunks) else None,
                max_tokens=max(tokens, default=None),
                chunk_flags=dict(Counter(flag for chunk in chunks for flag in chunk_flags[chunk.chunk_id])),
            )
        )
    return tuple(shown)


def _manifest(experiment: Experiment, record: CollectionRecord) -> tuple[Manifest | None, list[str]]:
    """Return the manifest of the collection's ingest, and what is wrong with it."""
    try:
        manifest = read_manifest(find_manifest(experiment.workspace.manifests, experiment.collection))
    except InputError as error:
        return None, [f"no coverage: {error.message}; the next ingest saves one"]
    if manifest.totals()["chunks"] != record.chunks:
        return manifest, [
            "the saved manifest counts other chunks than the collection holds: another machine or a later ingest "
            "made the collection; its coverage may differ"
        ]
    return manifest, []
