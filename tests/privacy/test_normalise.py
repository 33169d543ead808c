from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strata_rag.privacy.normalise import plain_text
from strata_rag.privacy.span import Span

# ASCII, ligatures, full-width, combining marks, emoji with joiners, tags, bidi marks, digits of other scripts.
CHARACTERS = (
    "aZ09@. \n-éßﬁ…½①ｂ＠０e\u0301\u0308😀👩\u200d🚀"
    "\u200b\u202e\u00ad\ufe0f\U000e0041٣۴㎏\u3000\u2011\u115f한글漢"
)
texts = st.text(
    alphabet=st.one_of(st.sampled_from(CHARACTERS), st.characters(exclude_categories=["Cs"])), max_size=40
)


@given(texts, st.data())
def test_a_span_of_the_plain_text_maps_to_whole_characters_that_read_the_same(
    text: str, data: st.DataObject
) -> None:
    plain = plain_text(text)
    if not plain.text:
        return
    start = data.draw(st.integers(0, len(plain.text) - 1))
    end = data.draw(st.integers(start + 1, len(plain.text)))
    original = plain.original(Span(start, end, "X", 0.5))
    assert 0 <= original.start < original.end <= len(text)
    assert plain.text[start:end] in plain_text(text[original.start : original.end]).text
    assert (original.entity, original.score) == ("X", 0.5)


@given(texts)
def test_the_plain_text_is_the_pieces_read_one_by_one(text: str) -> None:
    plain = plain_text(text)
    whole = plain.original(Span(0, len(plain.text), "X"))
    assert plain_text(text[whole.start : whole.end]).text == plain.text


@given(st.text(alphabet=st.characters(max_codepoint=127)))
def test_ascii_stays_as_it_is(text: str) -> None:
    assert plain_text(text).text == text


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("ｂｏｂ＠ｅｘａｍｐｌｅ．ｃｏｍ", "bob@example.com"),
        ("a\u200bd\u2060a\ufeff", "ada"),
        ("\U000e0061da", "da"),
        ("e\u0301te\u0301", "été"),
        ("٠١٢ ۳۴", "012 34"),
        ("30\u00a012\u201134", "30 12-34"),
        ("4️1️", "41"),
        ("日本語", "日本語"),
    ],
)
def test_what_hides_a_value_is_taken_away(text: str, plain: str) -> None:
    assert plain_text(text).text == plain
