"""What must change in a collection so that it equals a fresh one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from strata_rag.cache import digest_request
from strata_rag.documents import Chunk, SourceDocument
from strata_rag.experiment.places import places
from strata_rag.index import Index, point_id
from strata_rag.report import DocumentChanges
from strata_rag.retrieval import titled

DIGEST, AVG_LEN, LENGTH, TOKENS = "_digest", "_avg_len", "_length", "_tokens"
"""Payload fields of our own: digest of the content, and what the lexical weights were made with."""


@dataclass(frozen=True, slots=True)
class WantedPoint:
    """A chunk as it should be stored.

    Attributes:
        chunk: The chunk.
        payload: Its fields, without those of our own.
        digest: Of the payload, the text that is matched, the model and our stages.
    """

    chunk: Chunk
    payload: Mapping[str, Any]
    digest: str

    def read(self, which: Literal["text", "embed_text"]) -> str:
        """Return what is matched, or what is shown under the document's title."""
        return self.chunk.embed_text if which == "embed_text" else titled(self.payload, self.chunk.text)


@dataclass(frozen=True, slots=True)
class StoredPoint:
    """What is known of a stored point without reading its text.

    Attributes:
        doc_id: Its document.
        digest: Digest of the content it was made from.
        avg_len: Average length in its lexical weights.
        length: Terms in the chunk.
        tokens: Tokens in the chunk, or None.
    """

    doc_id: str
    digest: str
    avg_len: float
    length: int
    tokens: int | None


@dataclass(frozen=True, slots=True)
class Plan:
    """What to write.

    Attributes:
        fresh: Points to embed and write, by point id.
        kept: Ids of stored points whose content stands.
        obsolete: Ids of points to delete.
        documents: The same, counted in documents.
    """

    fresh: Mapping[str, WantedPoint]
    kept: tuple[str, ...]
    obsolete: tuple[str, ...]
    documents: DocumentChanges


def wanted_points(
    documents: Iterable[SourceDocument], chunks: Mapping[str, list[Chunk]], *, made_by: Mapping[str, Any]
) -> dict[str, WantedPoint]:
    """Return what should be stored, by point id.

    Args:
        documents: Every document.
        chunks: By document id.
        made_by: Whatever else decides a point: model fingerprint, versions of our stages.
    """
    wanted = {}
    for document in documents:
        for chunk in chunks[document.doc_id]:
            payload = _payload(document, chunk)
            digest = digest_request(
                {"payload": payload, "embed_text": chunk.embed_text, "made_by": made_by}
            ).hex()
            wanted[point_id(chunk.chunk_id)] = WantedPoint(chunk, payload, digest[:32])
    return wanted


def _payload(document: SourceDocument, chunk: Chunk) -> dict[str, Any]:
    payload: dict[str, Any] = {
        **document.metadata,
        **chunk.metadata,
        **places(document, chunk),
        "doc_id": chunk.doc_id,
        "start": chunk.start,
        "end": chunk.end,
        "text_start": chunk.text_start,
        "text_end": chunk.text_end,
        "text": chunk.text,
        "source": document.source,
        "project": document.project,
    }
    if document.family:
        payload["family"] = document.family
    if document.title:
        payload["title"] = document.title
    if chunk.embed_text != chunk.text:
        payload["embed_text"] = chunk.embed_text
    return payload


def stored_points(index: Index) -> dict[str, StoredPoint]:
    """Return what is stored, by point id."""
    return {
        key: StoredPoint(
            payload["doc_id"], payload[DIGEST], payload[AVG_LEN], payload[LENGTH], payload.get(TOKENS)
        )
        for key, payload in index.scroll(["doc_id", DIGEST, AVG_LEN, LENGTH, TOKENS])
    }


def plan_changes(wanted: Mapping[str, WantedPoint], stored: Mapping[str, StoredPoint]) -> Plan:
    """Compare by point id and content."""
    fresh = {
        key: point for key, point in wanted.items() if key not in stored or stored[key].digest != point.digest
    }
    return Plan(
        fresh=fresh,
        kept=tuple(key for key in wanted if key not in fresh),
        obsolete=tuple(key for key in stored if key not in wanted),
        documents=_document_changes(wanted, stored),
    )


def _document_changes(
    wanted: Mapping[str, WantedPoint], stored: Mapping[str, StoredPoint]
) -> DocumentChanges:
    wants: defaultdict[str, set[str]] = defaultdict(set)
    has: defaultdict[str, set[str]] = defaultdict(set)
    for key, point in wanted.items():
        wants[point.chunk.doc_id].add(f"{key} {point.digest}")
    for key, old in stored.items():
        has[old.doc_id].add(f"{key} {old.digest}")
    both = wants.keys() & has.keys()
    changed = sum(wants[doc_id] != has[doc_id] for doc_id in both)
    return DocumentChanges(
        added=len(wants.keys() - has.keys()),
        changed=changed,
        removed=len(has.keys() - wants.keys()),
        unchanged=len(both) - changed,
    )
