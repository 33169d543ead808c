from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from strata_rag.llm import fence_marker
from strata_rag.llm.fence import MARKER

TEXTS = st.lists(st.text(max_size=5), max_size=4)


@given(TEXTS, TEXTS)
def test_a_marker_is_the_same_for_the_same_texts_alone(first: list[str], second: list[str]) -> None:
    assert (fence_marker(b"k", first) == fence_marker(b"k", second)) is (first == second)


def test_a_marker_can_not_be_known_without_the_key() -> None:
    assert fence_marker(b"k", ["a"]) != fence_marker(b"l", ["a"])


@given(TEXTS)
def test_a_marker_is_found_by_its_form(texts: list[str]) -> None:
    assert MARKER.fullmatch(fence_marker(b"k", texts))
