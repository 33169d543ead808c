from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strata_rag.corpus.formats.texts import Cleaner, TextBuilder

anything = st.text(st.characters(codec=None))


@given(anything)
def test_a_cleaned_text_has_no_control_character_but_line_feed_and_tab(text: str) -> None:
    clean = Cleaner().clean(text)
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\ufeff\ufffe\uffff\ud800-\udfff]", clean)
    clean.encode("utf-8")


@given(anything)
def test_cleaning_twice_changes_nothing_more(text: str) -> None:
    clean = Cleaner().clean(text)
    assert Cleaner().clean(clean) == clean


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("eﬃcient ﬂow", "efficient flow"),
        ("op\xadtional", "optional"),
        ("a\ufeffb", "ab"),
        ("m² ½ ™ Ⅳ", "m² ½ ™ Ⅳ"),
        ("\ufefb", "لا"),
        ("a\x0cb\x0bc\x85d", "a\nb\nc\nd"),
    ],
)
def test_what_only_looks_different_becomes_one_and_what_means_something_stays(text: str, clean: str) -> None:
    assert Cleaner().clean(text) == clean


@given(
    st.lists(
        st.tuples(st.sampled_from(["flow", "exact", "line", "end", "page", "section", "record"]), anything)
    )
)
def test_offsets_point_into_the_text(steps: list[tuple[str, str]]) -> None:
    builder = TextBuilder()
    for kind, text in steps:
        if kind == "end":
            builder.end_line(blank=len(text) % 2 == 0)
        elif kind == "page":
            builder.page()
        elif kind == "record":
            builder.record(text, {})
        else:
            getattr(builder, kind)(text)
    built = builder.build()
    assert len(built) == builder.length
    assert builder.pages == sorted(builder.pages)
    assert [one.start for one in builder.sections] == sorted(one.start for one in builder.sections)
    assert all(
        0 <= one <= len(built) for one in [*builder.pages, *(section.start for section in builder.sections)]
    )
    assert all(0 <= one.start < one.end <= len(built) for one in builder.records)


def test_running_text_is_spaced_once_and_lines_are_borders() -> None:
    builder = TextBuilder()
    builder.flow("  one ")
    builder.flow("\n two")
    builder.end_line()
    builder.end_line(blank=True)
    builder.flow(" three")
    assert builder.build() == "one two\n\nthree"
