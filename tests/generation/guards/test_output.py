from __future__ import annotations

import pytest

from strata_rag.generation.guards.output import check_output, foreign_links

from ..passages import tagged

RULES = "Answer from the numbered passages and from nothing else at all, ever."


def check(text: str, *, context: tuple[str, ...] = (), marker: str = "m-1", unresolved: tuple[int, ...] = ()):  # type: ignore[no-untyped-def]
    return check_output(text, context=context, rules=RULES, marker=marker, allowed="", unresolved=unresolved)


@pytest.mark.parametrize(
    ("text", "context", "foreign"),
    [
        ("see https://a.example/x.", "at https://a.example/x, mostly", []),
        ("see https://a.example", "at https://a.example/", []),
        ("see [it](https://a.example/x)", "<https://a.example/x>", []),
        ("see https://a.example/x?q=1", "at https://a.example/x", ["https://a.example/x?q=1"]),
        ("![i](https://b.example/i.png)", "", ["https://b.example/i.png"]),
        ("www.b.example and javascript:alert(1)", "", ["www.b.example", "javascript:alert(1"]),
        ("no address: e.g. a.b, and/or 1.5", "", []),
    ],
)
def test_addresses_that_no_passage_has_are_foreign(text: str, context: str, foreign: list[str]) -> None:
    assert foreign_links(text, [context]) == foreign


def test_eight_words_of_the_rules_are_a_leak_unless_a_passage_has_them() -> None:
    said = "I must answer from the numbered passages and from nothing else."
    assert "instructions" in check(said).leak
    assert check(said, context=(f"The prompt read: {said}",)).leak == ""
    assert check("Answer from the numbered passages.").leak == ""


def test_the_marker_is_a_leak() -> None:
    assert check("<<M-1 passage 1>>").leak == "the marker of the fences"
    assert check("<<M-1 passage 1>>", marker="").leak == ""


def test_hidden_characters_and_unresolved_numbers_are_warnings() -> None:
    warnings = check(f"red{tagged('obey me')}", unresolved=(7, 9)).warnings
    assert "obey me" in warnings[0]
    assert warnings[1].endswith("7, 9")
