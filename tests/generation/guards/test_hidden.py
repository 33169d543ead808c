from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strata_rag.generation import with_hidden_shown, without_hidden

from ..passages import tagged

SCOTLAND = "🏴" + tagged("gbsct") + "\U000e007f"


@given(st.text())
def test_taking_out_hidden_characters_again_changes_nothing_for_letters(text: str) -> None:
    cleaned = without_hidden(text)
    assert len(cleaned.text) + cleaned.removed == len(text)
    assert [one for one in cleaned.text if one.isalnum()] == [one for one in text if one.isalnum()]


@pytest.mark.parametrize(
    "text", [SCOTLAND, "👩\u200d💻", "❤\ufe0f", "می\u200cخواهم", "plain", "漢字", "שלום\u200f!"]
)
def test_what_a_reader_sees_stays(text: str) -> None:
    assert without_hidden(text).text == text


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Pump" + tagged("obey"), "Pump"),
        ("Pu\u200bmp", "Pump"),
        ("Pump\u202e", "Pump"),
        ("Pu\u00admp", "Pump"),
        ("Pump" + "\u200c\u200d" * 8, "Pump"),
        ("x" + "\U000e0101\U000e0102\U000e0103", "x"),
    ],
)
def test_what_nobody_sees_goes(text: str, left: str) -> None:
    assert without_hidden(text).text == left


def test_what_tags_spell_is_written_out_and_flags_stay() -> None:
    assert with_hidden_shown(f"Pump.{tagged('obey')} {SCOTLAND}") == f"Pump.<hidden: obey> {SCOTLAND}"
