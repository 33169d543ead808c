from __future__ import annotations

import pytest

from strata_rag.chunking import ByTypeChunker, DocumentChunker, WindowChunker, document_type
from strata_rag.documents import SourceDocument


@pytest.mark.parametrize(
    ("doc_id", "expected"),
    [
        ("a/b.md", "md"),
        ("a/B.MARKDOWN", "md"),
        ("a.tar.gz", "gz"),
        ("page.htm", "html"),
        ("no-ending", ""),
        (".hidden", ""),
        ("a.b/c", ""),
        ("https://x.example/en/api/#accessing", ""),
        ("471", ""),
        ("a. b", ""),
    ],
)
def test_a_type_is_the_ending_of_the_id(doc_id: str, expected: str) -> None:
    assert document_type(SourceDocument(doc_id, "")) == expected


def test_what_the_adapter_says_comes_first() -> None:
    assert document_type(SourceDocument("a.md", "", metadata={"type": "PDF"})) == "pdf"


def test_each_document_is_cut_by_the_strategy_of_its_type() -> None:
    chunker = ByTypeChunker(WindowChunker(size=2, overlap=0), {"md": DocumentChunker()})
    assert len(chunker.chunk(SourceDocument("a.md", "abcd"))) == 1
    assert len(chunker.chunk(SourceDocument("a.txt", "abcd"))) == 2
