from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strata_rag.generation.guards.normalise import Origin, normalise, plain


@given(st.text())
def test_normalising_again_changes_nothing(text: str) -> None:
    once = normalise(text)
    assert normalise(once) == once


@given(st.text())
def test_normalising_goes_letter_by_letter(text: str) -> None:
    assert normalise(text) == "".join(normalise(letter) for letter in text)


@given(st.text(min_size=1), st.data())
def test_a_stretch_is_found_where_it_came_from(text: str, data: st.DataObject) -> None:
    normalised = normalise(text)
    start = data.draw(st.integers(0, len(normalised)))
    end = data.draw(st.integers(start, len(normalised)))
    first, last = Origin(text).span(start, end)
    assert 0 <= first <= last <= len(text)
    assert normalised[start:end] in normalise(text[first:last])


@pytest.mark.parametrize(
    ("text", "normalised"),
    [
        ("IGNORE", "ignore"),
        ("Іgnоrе", "ignore"),
        ("ｉｇｎｏｒｅ", "ignore"),
        ("𝒊𝒈𝒏𝒐𝒓𝒆", "ignore"),
        ("ig\u200bno\u00adre\ufeff", "ignore"),
        ("précédentes", "precedentes"),
        ("Größe", "grosse"),
        ("漢字", "漢字"),
    ],
)
def test_one_spelling_stands_for_many(text: str, normalised: str) -> None:
    assert normalise(text) == normalised


@pytest.mark.parametrize(
    ("text", "is_honest"), [("précédentes", True), ("ﬁle", True), ("Іgnore", False), ("ｆｉｌｅ", False)]
)
def test_a_disguise_shows_in_the_difference_to_the_plain_reading(text: str, is_honest: bool) -> None:
    assert (plain(text) == normalise(text)) is is_honest
