from __future__ import annotations

import pytest

from strata_rag.report import visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain, größer, 漢字, 👍", "plain, größer, 漢字, 👍"),
        ("lines\nand\ttabs stay", "lines\nand\ttabs stay"),
        ("\x1b[2Jgone", r"\x1b[2Jgone"),
        ("\x9b31m", r"\x9b31m"),
        ("a\rb", r"a\rb"),
        ("txt.\u202egpj", r"txt.\u202egpj"),
    ],
)
def test_what_could_steer_a_terminal_is_written_out(text: str, shown: str) -> None:
    assert visible(text) == shown
