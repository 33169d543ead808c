"""The output check: what a reply must not hold."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from strata_rag.generation.guards.hidden import find_hidden

_ADDRESS = re.compile(
    r"(?:https?|ftp)://[^\s<>\"'`)\]}]+|\bwww\.[^\s<>\"'`)\]}]+|\b(?:javascript|data|file):[^\s<>\"'`)\]}]{3,}",
    re.IGNORECASE,
)
_TRAILING = ".,;:!?*_~’”»"
_WORD = re.compile(r"\w+")
_SHINGLE = 8


@dataclass(frozen=True, slots=True)
class OutputCheck:
    """What a check of a reply came to.

    Attributes:
        warnings: What a reader should know.
        leak: What of the request's own rules the reply gave away, or an empty string.
    """

    warnings: tuple[str, ...]
    leak: str


def check_output(
    text: str,
    *,
    context: Sequence[str],
    rules: str,
    marker: str,
    allowed: str,
    unresolved: Sequence[int],
) -> OutputCheck:
    """Check a reply against what it was made from.

    Args:
        text: The reply.
        context: What may be quoted: question, passages and their labels.
        rules: The instructions, which may not.
        marker: The fences' marker, or an empty string.
        allowed: A stretch of the rules that a reply may hold.
        unresolved: Numbers it cites that no passage has.
    """
    warnings = [
        f"the answer holds an address that no passage has: {address}"
        for address in foreign_links(text, context)
    ]
    warnings += [
        f"the answer holds hidden characters ({finding.kind}), which read {finding.text!r}"
        for finding in find_hidden(text)
    ]
    if unresolved:
        numbers = ", ".join(map(str, unresolved))
        warnings.append(f"the answer cites numbers that no passage has: {numbers}")
    return OutputCheck(tuple(warnings), _leak(text, context, rules, marker, allowed))


def foreign_links(text: str, context: Sequence[str]) -> list[str]:
    """Return the addresses in `text` that stand in none of `context`, each once."""
    known = {address.rstrip("/") for part in context for address in _addresses(part)}
    return list(dict.fromkeys(one for one in _addresses(text) if one.rstrip("/") not in known))


def _addresses(text: str) -> list[str]:
    return [match.group().rstrip(_TRAILING) for match in _ADDRESS.finditer(text)]


def _leak(text: str, context: Sequence[str], rules: str, marker: str, allowed: str) -> str:
    """Return what the reply gives away of its instructions: the marker, or eight of their words in a row."""
    if marker and marker in text.lower():
        return "the marker of the fences"
    said = _shingles(text)
    secret = _shingles(rules) - _shingles(allowed)
    if shared := said & secret:
        free = set().union(*(_shingles(part) for part in context)) if context else set()
        if told := sorted(shared - free):
            return f"its instructions: {' '.join(told[0])!r}"
    return ""


def _shingles(text: str) -> set[tuple[str, ...]]:
    words = [match.group().lower() for match in _WORD.finditer(text)]
    return {tuple(words[at : at + _SHINGLE]) for at in range(len(words) - _SHINGLE + 1)}
