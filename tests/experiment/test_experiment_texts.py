from __future__ import annotations

from strata_rag.chunking import HEADING_PATH, Chunker, MarkdownChunker, SentenceWindowChunker
from strata_rag.documents import SourceDocument
from strata_rag.experiment.reconcile import WantedPoint, wanted_points


def points(chunker: Chunker, text: str, title: str = "") -> list[WantedPoint]:
    document = SourceDocument("d.md", text, title=title, metadata={"author": "Ana"})
    return list(wanted_points([document], {"d.md": chunker.chunk(document)}, made_by={}).values())


def test_the_heading_path_is_stored_with_the_chunk() -> None:
    [point] = points(MarkdownChunker(size=99, overlap=0), "# A\n\n## B\n\ntext")
    assert (point.payload[HEADING_PATH], point.payload["author"]) == ("A > B", "Ana")


def test_titles_that_are_matched_alone_are_stored_apart_from_what_is_shown() -> None:
    [point] = points(MarkdownChunker(size=99, overlap=0, prepend_headings=True), "# A\n\ntext")
    assert (point.payload["text"], point.payload["embed_text"]) == ("# A\n\ntext", "A\n# A\n\ntext")


def test_lexical_search_reads_the_matched_unit_or_what_is_shown() -> None:
    first, _ = points(SentenceWindowChunker(size=99, overlap=0, window=1), "One here. Two there.", "Title")
    assert first.read("embed_text") == "Title\nOne here."
    assert first.read("text") == "Title\nOne here. Two there."
