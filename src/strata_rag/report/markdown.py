"""Markdown that holds whatever text a document or question brings."""

from __future__ import annotations

import re
from collections.abc import Sequence

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~&!])")


def escape(text: str) -> str:
    """Return `text` as Markdown shows it, on one line."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))


def table(headings: Sequence[str], rows: Sequence[Sequence[str]], *, text_columns: int = 1) -> str:
    """Return a table of cells that are already escaped; numbers to the right."""
    marks = ["---" if place < text_columns else "---:" for place in range(len(headings))]
    lines = [headings, marks, *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
