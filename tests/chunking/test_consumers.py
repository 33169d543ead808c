from __future__ import annotations

import json
from pathlib import Path

import pytest

from strata_rag.chunking import Chunker, DocumentChunker, WindowChunker
from strata_rag.documents import SourceDocument
from strata_rag.retrieval import titled


@pytest.mark.parametrize("name", ["cranfield", "anthropic-docs"])
@pytest.mark.parametrize("chunker", [DocumentChunker(), WindowChunker(size=800, overlap=150)])
def test_where_a_chunk_shows_what_it_matches_a_reranker_reads_the_same_from_both_texts(
    name: str, chunker: Chunker, shared: Path
) -> None:
    corpus = (shared / "data/beir" / name / "corpus.jsonl").read_text(encoding="utf-8")
    rows = [json.loads(line) for line in corpus.split("\n") if line]
    for row in rows:
        payload = {"title": row["title"]} if row["title"] else {}
        for chunk in chunker.chunk(SourceDocument(row["_id"], row["text"], title=row["title"])):
            assert titled(payload, chunk.text) == chunk.embed_text
