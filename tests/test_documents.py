from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest

from strata_rag.documents import Chunk, SourceDocument


def test_a_chunk_is_named_after_its_document_and_span() -> None:
    chunk = Chunk("a/b#c.md", 3, 17, "text", 0, 20, "text")
    assert chunk.chunk_id == "a/b#c.md#3-17"


def test_a_document_has_no_title_source_or_fields_unless_given() -> None:
    document = SourceDocument("d", "text")
    assert (document.title, document.source, document.project, dict(document.metadata)) == ("", "", "", {})


def test_documents_do_not_change() -> None:
    document = SourceDocument("d", "text")
    with pytest.raises(FrozenInstanceError):
        document.text = "other"  # type: ignore[misc]
