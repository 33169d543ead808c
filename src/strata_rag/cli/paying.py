"""Options of every command that asks a language model for many things, and how it says what that costs."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

MaxCost = Annotated[
    float | None,
    typer.Option(
        "--max-cost", min=0, metavar="DOLLARS", help="Stop before more than this is spent on language models."
    ),
]
MaxCalls = Annotated[
    int | None,
    typer.Option(
        "--max-calls", min=0, metavar="N", help="Stop before more calls to language models than this."
    ),
]


def announce_cost(line: str) -> None:
    """Say on stderr what is about to be asked and what it may cost."""
    print(line, file=sys.stderr, flush=True)
