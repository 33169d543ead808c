from __future__ import annotations

from strata_rag.chunking import DocumentChunker
from strata_rag.chunking.likeness import Likeness, near_duplicates
from strata_rag.chunking.quality import quality_flags
from strata_rag.documents import SourceDocument

LONG = "The pump in the north hall was replaced in spring because its bearings had worn out after nine years of use. "
FOOTER = "Copyright of the port authority, all rights reserved, do not copy"


def flags(
    *texts: str, tokens: dict[str, int] | None = None, limit: int | None = None
) -> list[tuple[str, ...]]:
    documents = [SourceDocument(str(at), text) for at, text in enumerate(texts)]
    chunks = {document.doc_id: DocumentChunker().chunk(document) for document in documents}
    return list(quality_flags(documents, chunks, tokens or {}, limit).values())


def test_a_chunk_of_few_letters_is_too_short() -> None:
    assert flags("--- 12 ---", LONG) == [("too short",), ()]


def test_a_text_that_was_there_before_is_a_near_duplicate() -> None:
    other = LONG.replace("pump", "crane").replace("north", "south").replace("nine", "two")
    assert flags(LONG * 2, other * 2, LONG.upper() * 2) == [(), (), ("near-duplicate",)]


def test_one_word_more_does_not_hide_a_duplicate() -> None:
    words = " ".join(f"word{number}" for number in range(200))
    assert near_duplicates({"a": words, "b": f"{words} more", "c": words[: len(words) // 2]}) == {
        "b": Likeness("a", 196 / 197)
    }


def test_a_text_longer_than_the_model_reads_is_flagged() -> None:
    chunk_id = f"0#0-{len(LONG.strip())}"
    assert flags(LONG, tokens={chunk_id: 300}, limit=256) == [("over the model's limit",)]
    assert flags(LONG, tokens={chunk_id: 300}) == [()]


def test_lines_that_three_documents_share_are_boilerplate() -> None:
    texts = [f"{FOOTER}\nfile {number}" for number in range(3)]
    assert all("mostly boilerplate" in found for found in flags(*texts))
    assert all("mostly boilerplate" not in found for found in flags(*texts[:2]))
    assert "mostly boilerplate" not in flags(*texts, f"{FOOTER}\n{LONG * 3}")[3]


def test_texts_without_words_are_no_duplicates() -> None:
    assert near_duplicates({"a": "---", "b": "---", "c": ""}) == {}
