from __future__ import annotations

import pytest

from strata_rag.chunking import TokenChunker, WordTokenizer
from strata_rag.documents import SourceDocument

from .promises import ByteTokenizer

WORDS = WordTokenizer()
FAMILY = "\U0001f468\u200d\U0001f469"


def shown(text: str, size: int, overlap: int, limit: int | None = None, title: str = "") -> list[str]:
    chunker = TokenChunker(tokenizer=WORDS, size=size, overlap=overlap, limit=limit)
    return [chunk.embed_text for chunk in chunker.chunk(SourceDocument("d", text, title=title))]


def test_special_tokens_and_the_title_count() -> None:
    assert shown("a b c d e f", 5, 0) == ["a b c", "d e f"]
    assert shown("a b c d e f", 6, 0, title="T") == ["T\na b c", "T\nd e f"]


def test_neighbours_share_tokens() -> None:
    assert shown("a b c d e f", 5, 1) == ["a b c", "c d e", "e f"]


def test_no_more_than_the_model_reads_is_used() -> None:
    assert shown("a b c d e f", 800, 1, limit=5) == shown("a b c d e f", 5, 1)


def test_a_long_title_gives_way() -> None:
    chunks = shown("a b c d e f", 8, 0, title="one two three four five six")
    assert chunks[0] == "one two three\na b c"
    assert max(WORDS.count(chunks)) <= 8


def test_a_character_of_several_tokens_is_never_cut() -> None:
    chunker = TokenChunker(tokenizer=ByteTokenizer(), size=7, overlap=0, limit=None)
    assert [chunk.text for chunk in chunker.chunk(SourceDocument("d", "é漢字é"))] == ["é漢", "字é"]


def test_what_is_seen_as_one_character_is_not_cut() -> None:
    chunker = TokenChunker(tokenizer=ByteTokenizer(), size=2 + 20, overlap=0, limit=None)
    text = "ab" + FAMILY * 3
    assert [chunk.text for chunk in chunker.chunk(SourceDocument("d", text))] == [
        "ab" + FAMILY,
        FAMILY,
        FAMILY,
    ]


@pytest.mark.parametrize(
    ("size", "overlap", "limit"), [(64, 64, None), (800, 150, 128), (0, 0, None), (2, 0, None), (9, -1, 5)]
)
def test_sizes_that_leave_no_room_are_refused(size: int, overlap: int, limit: int | None) -> None:
    with pytest.raises(ValueError, match=r"expected size .* found size"):
        TokenChunker(tokenizer=WORDS, size=size, overlap=overlap, limit=limit)
