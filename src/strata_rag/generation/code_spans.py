"""Where a Markdown text holds code."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

_FENCE = re.compile(r"^ {0,3}(?P<fence>`{3,}|~{3,})(?P<info>[^\n]*)$", re.MULTILINE)
_TICKS = re.compile(r"`+")
_NOT_LINE_END = re.compile(r"[^\n]")


@dataclass(frozen=True, slots=True)
class CodeSpans:
    """Spans of code, fences and ticks included.

    Attributes:
        blocks: Fenced blocks; one that is not closed reaches to the end.
        inline: Stretches between back ticks.
    """

    blocks: tuple[tuple[int, int], ...]
    inline: tuple[tuple[int, int], ...]


def code_spans(text: str) -> CodeSpans:
    """Return where `text` holds code."""
    blocks = _blocks(text)
    return CodeSpans(tuple(blocks), tuple(_inline(blank(text, blocks))))


def blank(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """Return `text` with everything in `spans` but line ends turned into spaces; offsets stay."""
    parts, at = [], 0
    for start, end in sorted(spans):
        start = max(start, at)
        if end > start:
            parts += [text[at:start], _NOT_LINE_END.sub(" ", text[start:end])]
            at = end
    return "".join([*parts, text[at:]])


def _blocks(text: str) -> list[tuple[int, int]]:
    blocks: list[tuple[int, int]] = []
    opened: re.Match[str] | None = None
    for match in _FENCE.finditer(text):
        fence = match["fence"]
        if opened is None:
            opened = match if fence[0] == "~" or "`" not in match["info"] else None
        elif (
            fence[0] == opened["fence"][0]
            and len(fence) >= len(opened["fence"])
            and not match["info"].strip()
        ):
            blocks.append((opened.start(), match.end()))
            opened = None
    if opened is not None:
        blocks.append((opened.start(), len(text)))
    return blocks


def _inline(text: str) -> list[tuple[int, int]]:
    """Return spans between runs of equally many back ticks within one paragraph."""
    spans = []
    waiting: dict[int, int] = {}
    at = 0
    for match in _TICKS.finditer(text):
        if "\n\n" in text[at : match.start()]:
            waiting.clear()
        at = match.end()
        length = match.end() - match.start()
        if length in waiting:
            spans.append((waiting[length], match.end()))
            waiting.clear()
        else:
            waiting[length] = match.start()
    return spans
