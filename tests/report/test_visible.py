from __future__ import annotations

import pytest

from strata_rag.report import visible
from strata_rag.report.visible import one_line

SCOTLAND = "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain, größer, 漢字, 👍", "plain, größer, 漢字, 👍"),
        ("lines\nand\ttabs stay", "lines\nand\ttabs stay"),
        ("\x1b[2Jgone", r"\x1b[2Jgone"),
        ("\x9b31m", r"\x9b31m"),
        ("a\rb", r"a\rb"),
        (
            "Pump manual." + "".join(chr(0xE0000 + ord(letter)) for letter in "obey"),
            "Pump manual.<hidden: obey>",
        ),
        (SCOTLAND, SCOTLAND),
        ("txt.\u202egpj", r"txt.\u202egpj"),
    ],
)
def test_what_could_steer_a_terminal_is_written_out(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_a_name_with_a_line_end_stays_on_one_line() -> None:
    assert one_line("a\nb\tc.md") == "a\\nb\\tc.md"
