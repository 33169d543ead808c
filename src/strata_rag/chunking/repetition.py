"""Lines that many documents have: navigation, footers, legal notices."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

DOCUMENTS_SHARING = 3
"""A line that this many documents have is boilerplate."""


def repeated_lines(texts: Iterable[str]) -> dict[str, int]:
    """Return the lines that three or more texts have, each with their number; white space around it does not count."""
    counts = Counter(line for text in texts for line in set(_lines(text)))
    return {line: texts for line, texts in counts.items() if texts >= DOCUMENTS_SHARING}


def boilerplate_share(text: str, repeated: Mapping[str, int]) -> float:
    """Return the share of a text's characters that stand in `repeated` lines, 0 to 1; lines of signs don't count."""
    lines = _lines(text)
    total = sum(map(len, lines))
    return sum(len(line) for line in lines if line in repeated) / total if total else 0.0


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if any(map(str.isalnum, line))]
