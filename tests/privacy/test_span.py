from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from strata_rag.privacy import FakeDetector, Span, detect_all, merge_spans

ENTITIES = ["EMAIL_ADDRESS", "URL", "PERSON", "PHONE_NUMBER", "CREDIT_CARD"]
spans = st.builds(
    lambda start, length, entity, score: Span(start, start + length, entity, score),
    st.integers(0, 60),
    st.integers(1, 20),
    st.sampled_from(ENTITIES),
    st.sampled_from([0.3, 0.85, 1.0]),
)


def covered(found: list[Span]) -> set[int]:
    return {at for span in found for at in range(span.start, span.end)}


@given(st.lists(spans, max_size=12))
def test_merging_covers_the_same_characters_with_disjoint_sorted_spans(found: list[Span]) -> None:
    merged = merge_spans(found)
    assert covered(merged) == covered(found)
    assert all(left.end <= right.start for left, right in pairwise(merged))


@given(st.lists(spans, max_size=12), st.randoms())
def test_merging_does_not_depend_on_the_order(found: list[Span], random: object) -> None:
    shuffled = list(found)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert merge_spans(shuffled) == merge_spans(found)


@given(st.lists(spans, max_size=12))
def test_merging_twice_is_merging_once(found: list[Span]) -> None:
    assert merge_spans(merge_spans(found)) == merge_spans(found)


def test_the_longest_span_names_the_entity() -> None:
    merged = merge_spans([Span(9, 15, "URL"), Span(9, 30, "EMAIL_ADDRESS", 0.9), Span(19, 30, "URL")])
    assert merged == [Span(9, 30, "EMAIL_ADDRESS", 1.0)]


def test_among_equally_long_spans_the_stronger_kind_names_it() -> None:
    assert merge_spans([Span(0, 16, "PHONE_NUMBER"), Span(0, 16, "CREDIT_CARD")]) == [
        Span(0, 16, "CREDIT_CARD")
    ]


def test_spans_that_only_touch_stay_apart() -> None:
    assert len(merge_spans([Span(0, 3, "PERSON"), Span(3, 6, "PERSON")])) == 2


def test_the_fake_finds_every_occurrence_of_its_values() -> None:
    fake = FakeDetector({"Ada": "PERSON"})
    assert detect_all(fake, ["Ada met Ada", ""]) == [[Span(0, 3, "PERSON"), Span(8, 11, "PERSON")], []]
