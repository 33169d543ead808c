"""A judge's reply as values: tolerant of its form, strict about its numbers."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from strata_rag.evaluation.judge.json_text import find_objects
from strata_rag.evaluation.judge.verdicts import SEVERITIES, JudgeMeasure, Severity, Verdict
from strata_rag.generation import ContextPassage

QUOTE_NOT_FOUND = "quote not found"
_OF_FIVE = re.compile(r"\s*([1-5])(?:\.0+)?\s*(?:/\s*5|out of 5|of 5)?\s*", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+")
_YES = {"true": True, "yes": True, "false": False, "no": False}


class Unparsable(ValueError):
    """The reply holds no object of the form asked for."""


class Mismatch(ValueError):
    """The verdicts are not those of the numbered things that were asked about."""


@dataclass(frozen=True, slots=True)
class ParsedReply:
    """What a reply says.

    Attributes:
        verdicts: One for each numbered thing, in the order of the numbers.
        raw: The score from 1 to 5, or None where verdicts were given without one.
        severity: As the judge put it, or None where it did not.
        reason: The judge's reason, or an empty string.
    """

    verdicts: tuple[Verdict, ...]
    raw: int | None
    severity: Severity | None
    reason: str


def parse_reply(
    measure: JudgeMeasure, text: str, *, things: Sequence[str], passages: Sequence[ContextPassage]
) -> ParsedReply:
    """Read a reply.

    Args:
        measure: What was judged.
        text: What the judge wrote.
        things: The statements or passages that were numbered for it, from 1; empty for answer relevance.
        passages: What a verdict may name as support.

    Raises:
        Unparsable: No object in it has the form asked for.
        Mismatch: A verdict is missing, doubled or of a number that nothing has, or a statement is called supported
            without a passage that exists.
    """
    key = "score" if measure == "AnswerRelevance" else "verdicts"
    found = next((one for one in find_objects(text) if key in one), None)
    if found is None:
        raise Unparsable(f"a JSON object with {key} was expected")
    raw = _score(found.get("score"), needed=measure == "AnswerRelevance")
    severity = _severity(found.get("severity"))
    reason = found.get("reason")
    verdicts: tuple[Verdict, ...] = ()
    if measure != "AnswerRelevance":
        decided = "relevant" if measure == "ContextPrecision" else "supported"
        verdicts = _verdicts(found["verdicts"], decided, things, passages)
    return ParsedReply(verdicts, raw, severity, reason.strip() if isinstance(reason, str) else "")


def _verdicts(
    given: Any, decided: str, things: Sequence[str], passages: Sequence[ContextPassage]
) -> tuple[Verdict, ...]:
    if not isinstance(given, list) or not all(isinstance(one, dict) for one in given):
        raise Unparsable("a list of verdicts was expected")
    by_id: dict[int, Verdict] = {}
    for one in given:
        number = _whole(one.get("id"))
        holds = _decision(one.get(decided))
        if number is None or holds is None:
            raise Unparsable(f"verdicts with id and {decided} were expected")
        if number in by_id:
            raise Mismatch(f"one verdict for each of {len(things)} was expected, found two for {number}")
        if not 1 <= number <= len(things):
            raise Mismatch(f"verdicts numbered 1 to {len(things)} were expected, found one for {number}")
        by_id[number] = _verdict(number, holds, one, things[number - 1], passages, decided)
    missing = [str(number) for number in range(1, len(things) + 1) if number not in by_id]
    if missing:
        raise Mismatch(f"{len(things)} verdicts were expected, found none for {', '.join(missing)}")
    return tuple(by_id[number] for number in sorted(by_id))


def _verdict(
    number: int,
    holds: bool,
    given: Mapping[str, Any],
    thing: str,
    passages: Sequence[ContextPassage],
    decided: str,
) -> Verdict:
    if decided == "relevant" or not holds:
        return Verdict(number, thing, holds)
    texts = {passage.number: passage.text for passage in passages}
    named = _numbers(given.get("passages", given.get("passage")))
    existing = tuple(one for one in named if one in texts)
    if not existing:
        raise Mismatch(f"statement {number}: a supporting passage that exists was expected, found {named}")
    quote = given.get("quote")
    quote = quote.strip() if isinstance(quote, str) else ""
    flags = []
    if len(existing) < len(named):
        flags.append("names a passage that does not exist")
    if quote and not any(_stands_in(quote, texts[one]) for one in existing):
        flags.append(QUOTE_NOT_FOUND)
    return Verdict(number, thing, holds, existing, quote, tuple(flags))


def _score(value: Any, *, needed: bool) -> int | None:
    if value is None and not needed:
        return None
    written = _OF_FIVE.fullmatch(str(value)) if not isinstance(value, bool) else None
    if written is None:
        raise Unparsable(f"a score from 1 to 5 was expected, found {value!r:.40}")
    return int(written[1])


def _severity(value: Any) -> Severity | None:
    if not isinstance(value, str):
        return None
    return next((known for known in SEVERITIES if known == value.strip().lower()), None)


def _whole(value: Any) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, str) and value.strip().isdecimal():
        return int(value)
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, int) else None


def _decision(value: Any) -> bool | None:
    if isinstance(value, str):
        return _YES.get(value.strip().lower())
    return value if isinstance(value, bool) else None


def _numbers(value: Any) -> tuple[int, ...]:
    values = value if isinstance(value, list) else [value]
    found = (_whole(one) for one in values)
    return tuple(dict.fromkeys(number for number in found if number is not None))


def _stands_in(quote: str, text: str) -> bool:
    """Tell whether the words of a quote stand in a text; case, white space, marks and an ellipsis do not count."""
    words = _plain(text)
    parts = (_plain(part) for part in re.split(r"\.\.\.|…", quote))
    return all(part in words for part in parts if part.strip())


@lru_cache(maxsize=64)  # each verdict on an answer looks into the same passages
def _plain(text: str) -> str:
    """Return the words of a text, each between single spaces."""
    words = _WORD.findall(unicodedata.normalize("NFKC", text).casefold())
    return f" {' '.join(words)} "
