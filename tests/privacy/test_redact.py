from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from strata_rag.privacy import FakeDetector, Policy, Redactor, RegexDetector, Span, default_policy

ALPHABET = "ab é@.\n😀ﬁe\u0301\u200b"
KINDS = ["EMAIL_ADDRESS", "PERSON", "URL"]


class Given:
    """Gives the findings it was made with, and knows batches."""

    def __init__(self, spans: Sequence[Span]) -> None:
        self._spans = sorted(spans)
        self.batches = 0

    def detect(self, text: str) -> list[Span]:
        return self._spans

    def detect_many(self, texts: Sequence[str]) -> list[list[Span]]:
        self.batches += 1
        return [self._spans for _ in texts]

    def describe(self) -> dict[str, str]:
        return {"name": "given"}


@st.composite
def text_and_spans(draw: st.DrawFn) -> tuple[str, list[Span]]:
    text = draw(st.text(alphabet=ALPHABET, min_size=1, max_size=40))
    places = st.tuples(st.integers(0, len(text) - 1), st.integers(1, 12), st.sampled_from(KINDS))
    drawn = draw(st.lists(places, max_size=6))
    return text, [Span(at, min(at + length, len(text)), kind) for at, length, kind in drawn]


@given(text_and_spans())
def test_the_output_is_the_text_with_disjoint_spans_replaced(case: tuple[str, list[Span]]) -> None:
    text, spans = case
    redacted = Redactor(detector=Given(spans), policy=Policy(placeholders=dict.fromkeys(KINDS, "\0"))).redact(
        text
    )
    covered = {at for span in spans for at in range(span.start, span.end)}
    assert redacted.text.replace("\0", "") == "".join(
        sign for at, sign in enumerate(text) if at not in covered
    )
    assert redacted.text.count("\0") == redacted.redactions + redacted.secrets
    assert len(redacted.decisions) == len(spans)


@given(text_and_spans())
def test_kept_kinds_leave_every_character(case: tuple[str, list[Span]]) -> None:
    text, spans = case
    redacted = Redactor(detector=Given(spans), policy=Policy(entities=dict.fromkeys(KINDS, "keep"))).redact(
        text
    )
    assert (redacted.text, redacted.redactions) == (text, 0)


@given(st.text(max_size=60), st.sampled_from(["ada@example.com", "4111 1111 1111 1111", "+44 20 7946 0958"]))
def test_redacting_twice_changes_nothing(text: str, value: str) -> None:
    redactor = Redactor(detector=RegexDetector(), policy=default_policy())
    once = redactor.redact(f"{text} {value} {text}").text
    assert value not in once
    assert redactor.redact(once).text == once


def test_secrets_are_counted_apart_also_where_they_meet_personal_data() -> None:
    redactor = Redactor(
        detector=FakeDetector({"ada:hunter2": "URL_CREDENTIALS", "Bob": "PERSON"}),
        policy=default_policy(),
        secrets=FakeDetector({"hunter2": "SECRET", "k3y": "SECRET"}),
    )
    redacted = redactor.redact("https://ada:hunter2@x Bob k3y")
    assert redacted.text == "https://[CREDENTIALS]@x [PERSON] [SECRET]"
    assert (redacted.redactions, redacted.secrets) == (1, 2)


def test_many_texts_are_detected_in_one_batch() -> None:
    detector = Given([Span(0, 1, "PERSON")])
    redactor = Redactor(detector=detector, policy=Policy())
    assert [one.text for one in redactor.redact_many(["ab", "cd"], documents=["", ""])] == [
        "[PERSON]b",
        "[PERSON]d",
    ]
    assert detector.batches == 1


def test_the_description_tells_keys_apart_without_holding_them() -> None:
    one, two = (
        Redactor(detector=FakeDetector({}), policy=Policy(), key=key).describe()
        for key in (b"first", b"second")
    )
    assert one["key"] != two["key"]
    assert "first" not in str(one)
