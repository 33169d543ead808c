"""Answers as numbered statements: the denominator is counted here, never by a judge."""

from __future__ import annotations

import re

from strata_rag.chunking import sentence_spans

_BULLET = re.compile(r"^(?:[-*+•]|\d{1,3}[.)])\s+")
_WORD = re.compile(r"\w")


def statements_of(text: str) -> tuple[str, ...]:
    """Cut a text into statements: its sentences and list items, those without a letter or digit left out.

    One sentence is one statement, however many claims it joins. White space is one space each.
    """
    found = []
    for start, end in sentence_spans(text):
        statement = " ".join(_BULLET.sub("", text[start:end]).split())
        if _WORD.search(statement):
            found.append(statement)
    return tuple(found)
