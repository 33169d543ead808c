"""Another strategy for documents of another type."""

from __future__ import annotations

from collections.abc import Mapping

from strata_rag.chunking.chunker import Chunker
from strata_rag.documents import Chunk, SourceDocument

_ALIASES = {"markdown": "md", "mdown": "md", "text": "txt", "htm": "html", "jpg": "jpeg", "yml": "yaml"}
_LONGEST = 10


def document_type(document: SourceDocument) -> str:
    """Return what the adapter says (metadata ``type``), else the ending of the id in small letters; may be empty.

    Endings that mean the same have one name: ``markdown`` is ``md``, ``htm`` is ``html``.
    """
    stated = document.metadata.get("type")
    return normal_type(str(stated) if stated is not None else _ending(document.doc_id))


def normal_type(name: str) -> str:
    """Return the one name of a document type."""
    lower = name.lower().removeprefix(".")
    return _ALIASES.get(lower, lower)


def _ending(doc_id: str) -> str:
    name, stop, ending = doc_id.rpartition("/")[2].rpartition(".")
    return ending if stop and name and len(ending) <= _LONGEST and ending.isalnum() else ""


class ByTypeChunker:
    """Cuts each document with the strategy of its type.

    Args:
        default: For every other document.
        by_type: By normal type.
    """

    def __init__(self, default: Chunker, by_type: Mapping[str, Chunker]) -> None:
        self._default = default
        self._by_type = by_type

    def chunk(self, document: SourceDocument) -> list[Chunk]:
        """Return the chunks that the document's own strategy gives."""
        return self._by_type.get(document_type(document), self._default).chunk(document)
