"""The piece of a text that says most to a question, with the question's words marked."""

from __future__ import annotations

import re
from collections.abc import Sequence

from strata_rag.index import Analyser
from strata_rag.report import Snippet

_WORD = re.compile(r"\S+")
_CHARACTERS = 280
_LEAD = 40  # shown before the first marked word


def make_snippet(text: str, terms: frozenset[str], analyser: Analyser) -> Snippet:
    """Cut the window that holds the most different terms; of equal ones the first.

    Args:
        text: A chunk's text.
        terms: What `analyser` makes of the question.
        analyser: Of the experiment, so that a word is marked wherever lexical search would match it.
    """
    text = " ".join(text.split())
    words = [
        (match.start(), match.end(), terms.intersection(analyser.terms(match[0])))
        for match in _WORD.finditer(text)
    ]
    marked = [(start, end, found) for start, end, found in words if found]
    start = _start(marked)
    if start:
        start = text.rfind(" ", 0, start) + 1
    end = min(len(text), start + _CHARACTERS)
    if end < len(text):
        end = max(text.rfind(" ", start + 1, end), start + 1)
    parts: list[tuple[str, bool]] = []
    at = start
    for first, last, _ in marked:
        if first < start or last > end:
            continue
        if first > at:
            parts.append((text[at:first], False))
        parts.append((text[first:last], True))
        at = last
    if at < end:
        parts.append((text[at:end], False))
    return Snippet(tuple(parts), cut_before=start > 0, cut_after=end < len(text))


def _start(marked: Sequence[tuple[int, int, set[str] | frozenset[str]]]) -> int:
    best, most = 0, 0
    for place, (start, _, _) in enumerate(marked):
        held: set[str] = set()
        for first, _, found in marked[place:]:
            if first > start + _CHARACTERS - _LEAD:
                break
            held |= found
        if len(held) > most:
            best, most = start, len(held)
    return max(0, best - _LEAD) if best > _LEAD else 0
