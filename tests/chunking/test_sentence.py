from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strata_rag.chunking import SentenceChunker, SentenceWindowChunker
from strata_rag.documents import SourceDocument

TEXT = "One is here. Two is too. Three came late. Four left."


def shown(size: int, overlap: int, shared: int | None = None, text: str = TEXT) -> list[str]:
    chunker = SentenceChunker(size=size, overlap=overlap, overlap_sentences=shared)
    return [chunk.text for chunk in chunker.chunk(SourceDocument("d", text))]


@pytest.mark.parametrize(
    ("size", "overlap", "shared", "expected"),
    [
        (24, 0, None, ["One is here. Two is too.", "Three came late.", "Four left."]),
        (30, 12, None, ["One is here. Two is too.", "Two is too. Three came late.", "came late. Four left."]),
        (
            30,
            0,
            1,
            ["One is here. Two is too.", "Two is too. Three came late.", "Three came late. Four left."],
        ),
        (30, 12, 0, ["One is here. Two is too.", "Three came late. Four left."]),
        (800, 150, None, [TEXT]),
        (18, 0, 5, ["One is here.", "Two is too.", "Three came late.", "Four left."]),
    ],
)
def test_whole_sentences_are_packed_up_to_the_size(
    size: int, overlap: int, shared: int | None, expected: list[str]
) -> None:
    assert shown(size, overlap, shared) == expected


def test_a_sentence_longer_than_the_size_is_cut_between_words_and_keeps_the_overlap() -> None:
    text = "Short one. A very long sentence without any end to it"
    assert shown(20, 9, text=text) == [
        "Short one.",
        "one. A very long",
        "very long sentence",
        "sentence without any",
        "any end to it",
    ]


@given(
    st.lists(st.sampled_from(["Ab.", "Abc de.", "Abcd ef ghi."]), min_size=1, max_size=20),
    st.integers(12, 40),
)
def test_without_overlap_no_sentence_that_fits_is_ever_cut(sentences: list[str], size: int) -> None:
    parts = shown(size, 0, text=" ".join(sentences))
    assert " ".join(parts) == " ".join(sentences)
    assert all(part.endswith(".") for part in parts)


def window(text: str, n: int, size: int = 800) -> list[tuple[str, str]]:
    chunks = SentenceWindowChunker(size=size, overlap=0, window=n).chunk(SourceDocument("d", text))
    return [(text[chunk.start : chunk.end], chunk.text) for chunk in chunks]


def test_a_sentence_is_matched_and_shown_with_its_neighbours_on_both_sides() -> None:
    assert window("A one. B two. C three. D four.", 1) == [
        ("A one.", "A one. B two."),
        ("B two.", "A one. B two. C three."),
        ("C three.", "B two. C three. D four."),
        ("D four.", "C three. D four."),
    ]


def test_a_window_of_none_shows_what_is_matched() -> None:
    assert all(matched == text for matched, text in window(TEXT, 0))


def test_the_title_is_matched_with_the_sentence_alone() -> None:
    [first, _] = SentenceWindowChunker(size=99, overlap=0, window=1).chunk(
        SourceDocument("d", "A one. B two.", title="T")
    )
    assert (first.embed_text, first.text) == ("T\nA one.", "A one. B two.")


def test_a_sentence_longer_than_the_size_becomes_several_units() -> None:
    assert [matched for matched, _ in window("aaa bbb ccc.", 0, size=7)] == ["aaa bbb", "ccc."]


@pytest.mark.parametrize(("size", "overlap", "n"), [(0, 0, 1), (5, 5, 1), (5, 0, -1)])
def test_numbers_out_of_range_are_refused(size: int, overlap: int, n: int) -> None:
    with pytest.raises(ValueError, match=r"expected .* found"):
        SentenceWindowChunker(size=size, overlap=overlap, window=n)
