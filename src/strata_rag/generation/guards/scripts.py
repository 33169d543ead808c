"""Words that mix Latin letters with look-alikes of other scripts."""

from __future__ import annotations

import re

from strata_rag.generation.guards.finding import Finding
from strata_rag.generation.guards.normalise import is_lookalike, normalise

_FOREIGN = "\u0370-\u03ff\u0400-\u052f\u0530-\u058f\u13a0-\u13ff"
_WORD = re.compile(r"[^\W\d_]{3,60}")
_HAS_FOREIGN = re.compile(f"[{_FOREIGN}]")
_HAS_LATIN = re.compile("[A-Za-z]")


def mixed_words(text: str) -> list[Finding]:
    """Return words of three letters or more whose foreign letters all pass for Latin ones, folded."""
    if text.isascii() or not _HAS_FOREIGN.search(text):
        return []
    findings = []
    for match in _WORD.finditer(text):
        word = match.group()
        foreign = _HAS_FOREIGN.findall(word)
        if foreign and len(_HAS_LATIN.findall(word)) >= 2 and all(map(is_lookalike, foreign)):
            findings.append(
                Finding("mixed-script", "low", match.start(), match.end(), normalise(word), "disguise")
            )
    return findings
