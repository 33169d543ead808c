from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from strata_rag.privacy import FakeDetector, Span
from strata_rag.privacy.windows import joined, windows

texts = st.text(alphabet=st.sampled_from("ab \n😀"), max_size=400)
sizes = st.sampled_from([(40, 16), (50, 20), (100, 40)])


@given(texts, sizes)
def test_windows_cover_the_text_and_are_no_longer_than_asked(text: str, sizes: tuple[int, int]) -> None:
    size, overlap = sizes
    found = windows(text, size=size, overlap=overlap)
    assert found[0][0] == 0
    assert found[-1][1] == len(text)
    for (_, end), (start, _) in pairwise(found):
        assert start < end
    assert all(end - start <= size + overlap for start, end in found)


@given(texts, sizes, st.data())
def test_no_entity_is_lost_on_a_border(text: str, sizes: tuple[int, int], data: st.DataObject) -> None:
    size, overlap = sizes
    value = "Ada Fin"[: overlap // 2]
    at = data.draw(st.integers(0, len(text)))
    whole = text[:at] + value + text[at:]
    detector = FakeDetector({value: "PERSON"})
    parts = [
        (start, detector.detect(whole[start:end]))
        for start, end in windows(whole, size=size, overlap=overlap)
    ]
    assert joined(parts) == detector.detect(whole)


def test_what_two_windows_found_stands_once_with_the_better_score() -> None:
    parts = [(0, [Span(10, 13, "PERSON", 0.5)]), (8, [Span(2, 5, "PERSON", 0.9)])]
    assert joined(parts) == [Span(10, 13, "PERSON", 0.9)]
