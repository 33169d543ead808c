from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strata_rag.errors import InputError
from strata_rag.privacy import (
    Agreement,
    Decision,
    EntityFigures,
    LabelledText,
    PiiComparison,
    Policy,
    Span,
    compare,
    count_entities,
    read_labels,
    score,
)
from strata_rag.report import pii_document, pii_page

spans = st.lists(
    st.builds(
        lambda start, length, entity: Span(start, start + length, entity),
        st.integers(0, 30),
        st.integers(1, 8),
        st.sampled_from(["PERSON", "EMAIL_ADDRESS"]),
    ),
    max_size=5,
    unique=True,
)


def decide(found: list[Span]) -> list[list[Decision]]:
    return [Policy().decide(found, "x" * 50)]


def test_agreement_tells_equal_partly_overlapping_and_lone_findings_apart() -> None:
    one = [Span(0, 5, "PERSON"), Span(10, 20, "PERSON"), Span(30, 35, "EMAIL_ADDRESS")]
    two = [Span(0, 5, "PERSON"), Span(12, 22, "PERSON"), Span(40, 45, "PERSON")]
    agreement, equal, findings = compare(["a.md"], {"regex": decide(one), "presidio": decide(two)})
    assert agreement == {
        "EMAIL_ADDRESS": Agreement(0, 0, {"regex": 1, "presidio": 0}),
        "PERSON": Agreement(1, 1, {"regex": 0, "presidio": 1}),
    }
    assert equal == (1, 1)
    assert [(one.offset, one.length, one.relation) for one in findings] == [
        (0, 5, "equal"),
        (10, 10, "partial"),
        (30, 5, "only"),
        (40, 5, "only"),
    ]


@given(spans, spans)
def test_comparing_is_symmetric_and_equal_spans_are_decided_alike(
    left: list[Span], right: list[Span]
) -> None:
    agreement, (equal, alike), _ = compare(["a"], {"x": decide(left), "y": decide(right)})
    back, (equal_back, _), _ = compare(["a"], {"y": decide(right), "x": decide(left)})
    assert equal == alike == equal_back == len(set(left) & set(right))
    assert {
        kind: (one.equal, one.only) for kind, one in agreement.items() if one.equal or any(one.only.values())
    } == {kind: (one.equal, one.only) for kind, one in back.items() if one.equal or any(one.only.values())}


@given(spans)
def test_a_detector_agrees_with_itself(found: list[Span]) -> None:
    agreement, (equal, alike), _ = compare(["a"], {"x": decide(found), "y": decide(found)})
    assert equal == alike == len(found)
    assert all(not one.partial and not any(one.only.values()) for one in agreement.values())


def test_kinds_are_counted_by_what_became_of_them() -> None:
    policy = Policy(entities={"PERSON": "keep"})
    decisions = [policy.decide([Span(0, 1, "PERSON"), Span(2, 3, "IBAN_CODE")], "xxxx")]
    assert count_entities(decisions) == {"IBAN_CODE": (0, 1), "PERSON": (1, 0)}


LABELLED = [
    LabelledText("Ada met Bob", (Span(0, 3, "PERSON"), Span(8, 11, "PERSON"))),
    LabelledText("nobody", ()),
]


def test_scores_by_hand() -> None:
    found = [[Span(0, 3, "PERSON"), Span(7, 11, "PERSON")], [Span(0, 6, "PERSON")]]
    exact = score(found, LABELLED, "PERSON", exact=True, seed=0)
    assert (exact.precision, exact.recall, exact.f1) == (1 / 3, 1 / 2, pytest.approx(0.4))
    overlap = score(found, LABELLED, "PERSON", exact=False, seed=0)
    assert (overlap.precision, overlap.recall, overlap.f1) == (2 / 3, 1.0, pytest.approx(0.8))
    assert overlap.low <= overlap.f1 <= overlap.high
    assert score(found, LABELLED, "PERSON", exact=False, seed=0) == overlap


def test_what_was_missed_scores_zero_and_what_is_not_there_is_undefined() -> None:
    missed = score([[], []], LABELLED, "PERSON", exact=False, seed=0)
    assert (missed.recall, missed.f1) == (0.0, 0.0)
    absent = score([[], []], LABELLED, "IBAN_CODE", exact=False, seed=0)
    assert math.isnan(absent.f1)


def test_labels_are_read_with_their_names_mapped(tmp_path: Path) -> None:
    row = {"text": "a\u2028b Oslo", "spans": [{"type": "GPE", "start": 4, "end": 8, "value": "Oslo"}]}
    (tmp_path / "l.jsonl").write_text(json.dumps(row, ensure_ascii=False) + "\n\n", encoding="utf-8")
    assert read_labels(tmp_path / "l.jsonl") == [LabelledText("a\u2028b Oslo", (Span(4, 8, "LOCATION"),))]


@pytest.mark.parametrize(
    "line",
    [
        "",
        "no json: zenobia",
        "[]",
        '{"text": "zenobia"}',
        '{"text": "ab", "spans": [{"type": "X", "start": 1, "end": 9}]}',
    ],
)
def test_faulty_labels_are_told_by_line_and_without_their_text(tmp_path: Path, line: str) -> None:
    (tmp_path / "l.jsonl").write_text(line, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_labels(tmp_path / "l.jsonl")
    assert "zenobia" not in caught.value.message
    assert "l.jsonl" in caught.value.message


def test_the_page_is_escaped_asks_nothing_of_the_network_and_the_json_has_no_nan() -> None:
    found = [Span(0, 5, "PERSON")]
    agreement, equal, findings = compare(["<b>&.md"], {"regex": decide(found), "presidio": decide(found)})
    figures = EntityFigures(1, 0, 1, overlap=score([[], []], LABELLED, "IBAN_CODE", exact=False, seed=0))
    result = PiiComparison(
        "digest", 1, 0.1, {"regex": {"PERSON": figures}, "presidio": {}}, agreement, equal, tuple(findings),
        {"regex": 4.0}, 2, {"presidio": "run <pip>"}, labelled=2,
    )  # fmt: skip
    page = pii_page(result)
    assert "<b>&.md" not in page
    assert "&lt;b&gt;&amp;.md" in page
    assert "run &lt;pip&gt;" in page
    assert not any(outside in page for outside in ("http", "src=", "href=", "@import", "url("))
    document = pii_document(result)
    json.dumps(document, allow_nan=False)
    assert document["detectors"]["regex"]["PERSON"]["overlap"]["f1"] is None
    assert document["detectors"]["regex"]["PERSON"]["exact"] is None
    assert document["equal_findings"] == {"count": 1, "decided_alike": 1}
