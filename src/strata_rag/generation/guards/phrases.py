"""What orders to a model sound like, in several languages.

The rules stand in ``orders.txt``. Gaps between words are bounded, so that the time is linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from strata_rag.generation.guards.finding import Severity
from strata_rag.generation.guards.normalise import normalise


@dataclass(frozen=True, slots=True)
class Phrase:
    """A stretch of text that sounds like an order to a model.

    Attributes:
        start: First code point of the normalised text.
        end: One past the last.
        sort: What it asks for.
        severity: How rarely an honest text says it.
        is_latin: Whether it is looked for in Latin letters; look-alikes disguise no other phrase.
    """

    start: int
    end: int
    sort: str
    severity: Severity
    is_latin: bool = True


@dataclass(frozen=True, slots=True)
class _Rule:
    sort: str
    severity: Severity
    triggers: tuple[str, ...]
    pattern: re.Pattern[str]
    is_latin: bool


# Between two words: at most a few signs or line ends. A gap: up to some words; the wide one ends with its sentence.
_JOIN = r"[\W_]{1,6}"
_GAPS = {
    "{0-3}": r"(?:[\W_]{1,6}\w{1,24}){0,3}?[\W_]{1,6}",
    "{0-6}": r"(?:[^\w.!?;]{1,6}\w{1,24}){0,6}?[^\w.!?;]{1,6}",
}
_NOT = r"(?<!not )(?<!never )(?<!n't )"  # what is forbidden is not asked for


def _compiled(line: str) -> _Rule:
    sort, severity, words, pattern = (part.strip() for part in line.split(" | ", 3))
    triggers = tuple(normalise(word) for word in words.split(","))
    source = pattern
    for gap, expression in _GAPS.items():
        source = source.replace(f"(?:{gap})?", f"(?:{expression})?").replace(f"(?:{gap})", expression)
    source = _joined(source).replace("{not}", _NOT)
    return _Rule(sort, severity, triggers, re.compile(_folded(source)), pattern.isascii())  # type: ignore[arg-type]


def _joined(source: str) -> str:
    """Turn each space of a pattern into what may stand between two words; not inside brackets of a class."""
    parts, depth = [], 0
    for at, sign in enumerate(source):
        escaped = at > 0 and source[at - 1] == "\\"
        depth += (sign == "[" and not escaped) - (sign == "]" and not escaped and depth > 0)
        parts.append(_JOIN if sign == " " and not depth and source[at + 1 : at + 2] != "?" else sign)
    return "".join(parts)


def _folded(source: str) -> str:
    """Fold the letters of a pattern that are not ASCII, as the text's are."""
    return "".join(sign if sign.isascii() else normalise(sign) for sign in source)


@cache
def _rules() -> tuple[_Rule, ...]:
    lines = (files("strata_rag.generation.guards") / "orders.txt").read_text(encoding="utf-8").splitlines()
    return tuple(_compiled(line) for line in lines if line and not line.startswith("#"))


def find_phrases(text: str) -> Iterator[Phrase]:
    """Yield what sounds like an order to a model in normalised text, rule by rule."""
    for rule in _rules():
        if any(trigger in text for trigger in rule.triggers):
            for match in rule.pattern.finditer(text):
                yield Phrase(match.start(), match.end(), rule.sort, rule.severity, rule.is_latin)
