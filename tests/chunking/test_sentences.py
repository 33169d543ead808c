from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strata_rag.chunking import SentenceWindowChunker, sentence_spans
from strata_rag.documents import SourceDocument

CASE_16 = [
    "Dr. Okafor paid $8.50 on 3.14.",
    "The U.S. team, e.g. Ana, left at 5 p.m. sharp and version 2.0.1 shipped!",
    "Really?",
    "Yes.",
    "Mail info@test.example for more.",
]


def split(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text)]


def test_case_16_abbreviations_decimals_versions_and_addresses_end_no_sentence(shared: Path) -> None:
    text = (shared / "cases/16-sentence-abbreviations/sentences.txt").read_text()
    assert split(text) == CASE_16
    chunks = SentenceWindowChunker(size=800, overlap=0, window=0).chunk(SourceDocument("d", text))
    assert [chunk.text for chunk in chunks] == CASE_16


@pytest.mark.parametrize(
    "sentences",
    [
        ["J. R. Smith et al. agree.", "So do we."],
        ['He said "Stop."', "Then he left."],
        ['"Really?" she asked.', "“Yes.”", "(See Fig. 3.)", "Done."],
        ["Wait… what?", "No...", "Maybe."],
        ["The U.S. Army came to the U.S.", "The end."],
        ["At 5 p.m.", "They left."],
        ["No. 5 is alive.", "I said no.", "Then see p. 12, vol. 3."],
        ["Use version 2.0.", "It was out in 1999.", "All good."],
        ["Yahoo! is big.", "What?!", "So it is."],
        ["See www.example.com.", "Then https://x.example/a.b?q=1.", "Done"],
        ["She has a Ph.D. in physics.", "He hasn't."],
        ["今日は晴れです。", "明日は雨？", "はい！", "「そうだ。」", "と言った。"],
        ["यह एक है।", "यह दो है।"],
        ["هل هذا صحيح؟", "نعم."],
        ["the boundary layer .", "a simple flow is assumed .", "so it is"],
        ["all of this is small.", "really?", "yes."],
        ["¿De verdad?", "¡Sí!", "Bien."],
        ["Das ist z.B. gut.", "Das auch."],
    ],
)
def test_sentences_are_told_apart(sentences: list[str]) -> None:
    assert split(" ".join(sentences)) == sentences
    assert split("\n".join(sentences)) == sentences
    assert split("\r\n\r\n".join(sentences)) == sentences


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" \n\t", []),
        ("no marks at all", ["no marks at all"]),
        ("one line\nand the next", ["one line\nand the next"]),
        ("one paragraph\n\nand the next", ["one paragraph", "and the next"]),
        ("one paragraph\r\n \r\nand the next", ["one paragraph", "and the next"]),
        ("# Heading\ntext below", ["# Heading", "text below"]),
        ("a list\n- of this\n- and that", ["a list", "- of this", "- and that"]),
        ("1. First. Two.\n2. Second\n 10) Tenth", ["1. First.", "Two.", "2. Second", "10) Tenth"]),
        ("|a|b|\n|1|2|", ["|a|b|", "|1|2|"]),
        ("...", ["..."]),
        (". . .", [".", ".", "."]),
        ("A.", ["A."]),
    ],
)
def test_text_with_few_or_no_marks_is_cut_at_its_structure(text: str, expected: list[str]) -> None:
    assert split(text) == expected


@given(st.text(st.sampled_from("aB .!?…。\n\r\"')-#|1\u2028é\u0301\0\U0001f44d"), max_size=60))
def test_every_character_but_white_space_lies_in_one_sentence(text: str) -> None:
    spans = sentence_spans(text)
    end_before = 0
    for start, end in spans:
        assert end_before <= start < end
        assert text[start:end].strip() == text[start:end]
        assert not text[end_before:start].strip()
        end_before = end
    assert not text[end_before:].strip()
