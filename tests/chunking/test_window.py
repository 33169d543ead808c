from __future__ import annotations

import unicodedata
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from strata_rag.chunking import WindowChunker
from strata_rag.documents import SourceDocument

CASE_13_BAD = [(100, 100), (100, 150), (0, 0), (-5, 0), (100, -1), (64, 64)]
CASE_13_GOOD = [(100, 99), (1, 0)]

words = st.text(st.sampled_from("ab.é漢字ж\u0301\0\U0001f600"), max_size=12)
gaps = st.text(st.sampled_from(" \n\t\u00a0\u2028\u3000"), min_size=1, max_size=4)
texts = st.one_of(
    st.text(max_size=80),
    st.lists(st.tuples(words, gaps), max_size=30).map(lambda pairs: "".join(a + b for a, b in pairs)),
    st.integers(0, 120).map(lambda length: "x" * length),
)
sizes = st.integers(1, 30).flatmap(lambda size: st.tuples(st.just(size), st.integers(0, size - 1)))


def spans(text: str, size: int, overlap: int) -> list[tuple[int, int]]:
    chunks = WindowChunker(size=size, overlap=overlap).chunk(SourceDocument("d", text))
    return [(chunk.start, chunk.end) for chunk in chunks]


def shown(text: str, size: int, overlap: int = 0) -> list[str]:
    return [text[start:end] for start, end in spans(text, size, overlap)]


@given(texts, sizes)
@example("a" + " " * 40 + "b", (3, 2))
@example("ab cd", (1, 0))
@example("a b c d e", (2, 1))
def test_windows_are_exact_slices_that_keep_to_size_and_overlap_and_leave_only_white_space(
    text: str, limits: tuple[int, int]
) -> None:
    size, overlap = limits
    chunks = WindowChunker(size=size, overlap=overlap).chunk(SourceDocument("d", text))
    covered = [False] * len(text)
    for chunk in chunks:
        assert chunk.text == chunk.embed_text == text[chunk.start : chunk.end]
        assert (chunk.text_start, chunk.text_end) == (chunk.start, chunk.end)
        assert 1 <= chunk.end - chunk.start <= size
        assert chunk.text.strip() == chunk.text
        covered[chunk.start : chunk.end] = [True] * (chunk.end - chunk.start)
    for before, after in pairwise(chunks):
        assert after.start > before.start
        assert after.end > before.end
        assert before.end - after.start <= overlap
    assert all(seen or character.isspace() for seen, character in zip(covered, text, strict=True))


@given(texts, sizes)
def test_the_same_text_is_cut_the_same_way_by_another_chunker(text: str, limits: tuple[int, int]) -> None:
    assert spans(text, *limits) == spans(text, *limits)


@given(st.lists(st.text("abc", min_size=1, max_size=5), max_size=40), st.integers(10, 20))
def test_words_of_at_most_half_a_window_are_never_cut(found: list[str], size: int) -> None:
    text = " ".join(found)
    assert [word for chunk in shown(text, size) for word in chunk.split()] == found


@pytest.mark.parametrize(
    ("text", "size", "overlap", "expected"),
    [
        ("one two three four", 9, 0, ["one two", "three", "four"]),
        ("one two three four", 9, 4, ["one two", "two three", "hree four"]),
        ("one two three four", 13, 5, ["one two three", "three four"]),
        ("abcdefghij", 5, 0, ["abcde", "fghij"]),
        ("abcdefghij", 5, 2, ["abcde", "defgh", "ghij"]),
        ("aaaa bbbbb", 9, 0, ["aaaa bbbb", "b"]),
        ("aaaaa bbbb", 9, 0, ["aaaaa", "bbbb"]),
        ("aaaaa bbbbb", 10, 0, ["aaaaa", "bbbbb"]),
        ("漢字漢字漢字", 4, 1, ["漢字漢字", "字漢字"]),
        ("a b c", 1, 0, ["a", "b", "c"]),
        ("a\0b c", 3, 0, ["a\0b", "c"]),
        ("  \n padded \n ", 100, 0, ["padded"]),
        ("a" + " " * 50 + "b", 10, 5, ["a", "b"]),
        ("short", 5, 4, ["short"]),
    ],
)
def test_windows_end_between_words_where_half_a_window_allows_it(
    text: str, size: int, overlap: int, expected: list[str]
) -> None:
    assert shown(text, size, overlap) == expected


def test_a_word_longer_than_a_window_is_cut_at_the_character() -> None:
    found = spans("x" * 10_000, 800, 150)
    assert found[:3] == [(0, 800), (650, 1450), (1300, 2100)]
    assert found[-1][1] == 10_000


@pytest.mark.parametrize("text", ["", " \n\t ", "\u00a0\u3000"])
def test_a_document_of_white_space_has_no_chunk(text: str) -> None:
    assert spans(text, 10, 2) == []


def test_offsets_count_code_points_of_the_text_as_it_is() -> None:
    text = unicodedata.normalize("NFD", "éé") + " \U0001f600 end"
    assert spans(text, 5, 0) == [(0, 4), (5, 10)]
    assert shown(text, 1) == list(text.replace(" ", ""))


@pytest.mark.parametrize(("size", "overlap"), CASE_13_BAD)
def test_case_13_sizes_that_can_not_move_are_refused_with_both_numbers(size: int, overlap: int) -> None:
    with pytest.raises(ValueError, match=f"0 <= overlap < size, found size {size}, overlap {overlap}$"):
        WindowChunker(size=size, overlap=overlap)


@pytest.mark.parametrize(("size", "overlap"), CASE_13_GOOD)
def test_case_13_the_narrowest_good_sizes_cut_a_kilobyte(size: int, overlap: int) -> None:
    text = "lorem ipsum " * 85
    found = spans(text, size, overlap)
    assert found[0][0] == 0
    assert found[-1][1] == len(text.rstrip())


def test_a_title_is_matched_with_every_window_and_shown_with_none() -> None:
    chunks = WindowChunker(size=5, overlap=0).chunk(SourceDocument("d", "alpha beta", title="Top"))
    assert [chunk.embed_text for chunk in chunks] == ["Top\nalpha", "Top\nbeta"]
    assert [chunk.text for chunk in chunks] == ["alpha", "beta"]
    assert [chunk.chunk_id for chunk in chunks] == ["d#0-5", "d#6-10"]
