from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from strata_rag.chunking import DocumentChunker
from strata_rag.documents import SourceDocument


@given(st.text(max_size=60))
def test_the_one_chunk_is_the_document_without_the_white_space_at_its_ends(text: str) -> None:
    chunks = DocumentChunker().chunk(SourceDocument("d", text))
    assert [chunk.text for chunk in chunks] == ([text.strip()] if text.strip() else [])
    assert all(text[chunk.start : chunk.end] == chunk.text for chunk in chunks)


def test_the_title_is_matched_and_not_shown() -> None:
    [chunk] = DocumentChunker().chunk(SourceDocument("d", "\n body ", title="Title"))
    assert (chunk.start, chunk.end, chunk.text, chunk.embed_text) == (2, 6, "body", "Title\nbody")


def test_a_document_without_a_title_is_matched_by_its_text_alone() -> None:
    [chunk] = DocumentChunker().chunk(SourceDocument("d", "body"))
    assert chunk.embed_text == "body"


def test_a_title_alone_makes_no_chunk() -> None:
    assert DocumentChunker().chunk(SourceDocument("d", " \n", title="Title")) == []
