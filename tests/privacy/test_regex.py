from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strata_rag.privacy import REGEX_ENTITIES, RegexDetector, Span
from strata_rag.privacy.numbers import luhn
from strata_rag.privacy.regex import REGEX_VERSION

DETECTOR = RegexDetector()
VALUES = {
    "ada.finch@example.com": "EMAIL_ADDRESS",
    "o'neil+news@mail.example.co.uk": "EMAIL_ADDRESS",
    "jürgen@münchen.example": "EMAIL_ADDRESS",
    "ada@[192.0.2.7]": "EMAIL_ADDRESS",
    '"ada finch"@example.com': "EMAIL_ADDRESS",
    "+44 20 7946 0958": "PHONE_NUMBER",
    "(415) 555-2671": "PHONE_NUMBER",
    "GB82 WEST 1234 5698 7654 32": "IBAN_CODE",
    "de89370400440532013000": "IBAN_CODE",
    "4111 1111 1111 1111": "CREDIT_CARD",
    "378282246310005": "CREDIT_CARD",
    "5500-0000-0000-0004": "CREDIT_CARD",
    "203.0.113.77": "IP_ADDRESS",
    "2001:db8:85a3::8a2e:370:7334": "IP_ADDRESS",
}


def found(text: str, detector: RegexDetector = DETECTOR) -> list[tuple[str, str]]:
    return [(text[span.start : span.end], span.entity) for span in detector.detect(text)]


def wide(value: str) -> str:
    return "".join(chr(ord(sign) + 0xFEE0) if "!" <= sign <= "~" else sign for sign in value)


def hidden(value: str) -> str:
    return "\u200b".join(value)


def tagged(value: str) -> str:
    return "\U000e0041".join(value)


@pytest.mark.parametrize(("value", "entity"), VALUES.items())
@pytest.mark.parametrize("disguise", [str, wide, hidden, tagged], ids=lambda one: one.__name__)
@pytest.mark.parametrize(
    "around",
    [
        "{}",
        "see {}.",
        "({})",
        "<{}>",
        "**{}**",
        "| name | {} |",
        '"{}"',
        "a: {}, b",
        "ﬁn… {}! 👩‍🚀",
        "été\n{}\n",
        "`{}`",
    ],
)
def test_a_value_is_found_whole_in_any_surroundings(
    value: str, entity: str, disguise: type, around: str
) -> None:
    if around == '"{}"' and value.startswith('"'):
        return
    disguised = disguise(value)
    assert found(around.format(disguised)) == [(disguised, entity)]


@given(
    st.lists(
        st.tuples(st.sampled_from(sorted(VALUES)), st.sampled_from([str, wide, hidden])),
        min_size=1,
        max_size=5,
    ),
    st.lists(
        st.sampled_from([" and ", "; ", " | ", "\n", " 😀 ", " été, ", " ﬁn… "]), min_size=6, max_size=6
    ),
)
def test_offsets_are_code_points_of_the_original(values: list[tuple[str, type]], gaps: list[str]) -> None:
    text, expected = gaps[0], []
    for (value, disguise), gap in zip(values, gaps[1:], strict=False):
        disguised = disguise(value)
        expected.append(Span(len(text), len(text) + len(disguised), VALUES[value]))
        text += disguised + gap
    assert DETECTOR.detect(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("https://example.com/?email=ada@example.com&x=1", [("ada@example.com", "EMAIL_ADDRESS")]),
        ("https://example.com/u/ada%40example.com/", [("ada%40example.com", "EMAIL_ADDRESS")]),
        ("[write](mailto:ada@example.com)", [("ada@example.com", "EMAIL_ADDRESS")]),
        (
            "a@example.com,b@example.com",
            [("a@example.com", "EMAIL_ADDRESS"), ("b@example.com", "EMAIL_ADDRESS")],
        ),
        ("postgres://ada:s3cr@t@db.example.com/x", [("ada:s3cr@t", "URL_CREDENTIALS")]),
        ("redis://:hunter22@cache:6379", [(":hunter22", "URL_CREDENTIALS")]),
        ("http://203.0.113.7:8080/a", [("203.0.113.7", "IP_ADDRESS")]),
        ("203.0.113.0/24", [("203.0.113.0", "IP_ADDRESS")]),
        ("[2001:db8::1]:443", [("2001:db8::1", "IP_ADDRESS")]),
        ("Tel. 030/1234567", [("030/1234567", "PHONE_NUMBER")]),
        ("phone:\n467 3395", [("467 3395", "PHONE_NUMBER")]),
        ("paid with 4111 1111 1111 1111 12/27", [("4111 1111 1111 1111", "CREDIT_CARD")]),
        ("call 4111111111111111", [("4111111111111111", "CREDIT_CARD")]),
    ],
)
def test_values_inside_other_things(text: str, expected: list[tuple[str, str]]) -> None:
    assert found(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "@dataclass", "user@localhost", "a @ b.com", "icon@2x.png", "lodash@4.17.21", "x@",
        "@example.com", "\"@example.com",
        "https://${USER}:${PASSWORD}@db.example.com", "https://user:<password>@host.example", "https://user:***@host",
        "version 1.2.3.4", "pkg==1.2.3.4", "Chrome/120.0.1.2", "999.1.1.1", "1.2.3.4.5", "12:30:45", "std::vector",
        "a::b",
        "de:ad:be:ef:00:01", "call on 2012-10-01", "phone (2012-2013)", "call us in 1999", "ISBN 978-3-16-148410-0",
        "order 60333910", "GB82 WEST 1234 5698 7654 33", "XX89370400440532013000", "4111111111111112",
        "0000000000000000",
        "9.4111111111111111", "4111111111111111.5", "id_4111111111111111", "hotel 1234567", "#1234567",
        "text is 800,000.00 wide",
    ],
)  # fmt: skip
def test_what_only_looks_like_a_value_stays(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize("entity", REGEX_ENTITIES)
def test_each_kind_can_be_switched_off_and_on(entity: str) -> None:
    text = "Call +44 20 7946 0958, ada@example.com, de89370400440532013000, 4111111111111111, 203.0.113.7, http://a:b1@c"
    without = RegexDetector(entities=[other for other in REGEX_ENTITIES if other != entity])
    assert entity not in {span.entity for span in without.detect(text)}
    assert {span.entity for span in RegexDetector(entities=[entity]).detect(text)} == {entity}


def test_national_numbers_count_where_their_country_is_asked_for() -> None:
    assert found("dans 01 42 68 53 00 ici") == []
    assert found("dans 01 42 68 53 00 ici", RegexDetector(phone_regions=["FR"]))[0][0] == "01 42 68 53 00"


def test_the_description_holds_all_that_decides_findings() -> None:
    assert DETECTOR.describe() == {
        "name": "regex",
        "version": REGEX_VERSION,
        "entities": list(REGEX_ENTITIES),
        "phone_regions": ["US"],
    }


@given(st.integers(10**11, 10**18).filter(lambda number: len(set(str(number))) > 2))
def test_one_wrong_digit_breaks_the_luhn_sum(number: int) -> None:
    right = next(f"{number}{last}" for last in range(10) if luhn(f"{number}{last}"))
    for at in (0, len(right) // 2, len(right) - 1):
        wrong = right[:at] + str((int(right[at]) + 1) % 10) + right[at + 1 :]
        assert not luhn(wrong)


def test_case_73_one_span_where_an_address_holds_urls(shared: Path) -> None:
    first, second = (shared / "cases/73-pii-nested-spans/mail.txt").read_text(encoding="utf-8").splitlines()
    assert DETECTOR.detect(first) == [Span(9, 30, "EMAIL_ADDRESS")]
    assert DETECTOR.detect(second) == [Span(23, 46, "EMAIL_ADDRESS")]


def test_case_76_cards(shared: Path) -> None:
    folder = shared / "cases/76-pii-card-forms"
    lines = (folder / "cards.txt").read_text(encoding="utf-8").splitlines()
    for row in json.loads((folder / "expected.json").read_text(encoding="utf-8")):
        expected = [Span(*row["span"], "CREDIT_CARD")] if row["span"] else []
        assert DETECTOR.detect(lines[row["line"] - 1]) == expected


def test_case_79_offsets_of_the_original(shared: Path) -> None:
    text = (shared / "cases/79-pii-normalised-offsets/ligatures.txt").read_text(encoding="utf-8")
    assert [(span.start, span.end) for span in DETECTOR.detect(text)] == [(19, 40), (44, 59)]


@pytest.mark.parametrize(
    ("entity", "least"),
    [("EMAIL_ADDRESS", 0.98), ("IBAN_CODE", 0.98), ("CREDIT_CARD", 0.95), ("PHONE_NUMBER", 0.80)],
)
def test_the_labelled_set_is_found(shared: Path, entity: str, least: float) -> None:
    right = wrong = missed = 0
    with (shared / "data/pii/synthetic-dev.jsonl").open(encoding="utf-8", newline="\n") as lines:
        for row in map(json.loads, lines):
            gold = [(span["start"], span["end"]) for span in row["spans"] if span["type"] == entity]
            mine = [(span.start, span.end) for span in DETECTOR.detect(row["text"]) if span.entity == entity]
            hits = [any(a < d and c < b for c, d in gold) for a, b in mine]
            right, wrong = right + sum(hits), wrong + len(hits) - sum(hits)
            missed += sum(not any(a < d and c < b for a, b in mine) for c, d in gold)
    assert 2 * right / (2 * right + wrong + missed) >= least
