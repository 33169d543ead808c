"""JSON objects in what a model wrote: fences, prose, trailing commas and all."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

_FENCE = re.compile(r"```[A-Za-z]*[ \t]*\n?(.*?)```", re.DOTALL)
_STRING = r'"(?:[^"\\]|\\.)*"'
_STRING_OR_COMMA = re.compile(rf"({_STRING})|,(?=\s*[}}\]])", re.DOTALL)
_MOST_STARTS = 200  # braces at which an object may begin; prose full of them is no reply


def find_objects(text: str) -> Iterator[dict[str, Any]]:
    """Yield the JSON objects of `text`, the likeliest reading first.

    Tried in this order: the whole text, what stands in fences, then every place where an object may begin; of several
    the last comes first, since a model that thinks aloud ends with its answer. A list that holds one object counts as
    that object. Commas before a closing bracket and raw line breaks in strings are
    tolerated; braces inside strings are text.
    """
    for candidate in (text, *reversed(_FENCE.findall(text))):
        found = _as_object(_load(candidate.strip()))
        if found is not None:
            yield found
    yield from reversed(_objects_within(text))


def _objects_within(text: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    decoder = json.JSONDecoder(strict=False)
    cleaned = _without_trailing_commas(text)
    position = 0
    for _ in range(_MOST_STARTS):
        position = cleaned.find("{", position)
        if position < 0:
            break
        try:
            value, position = decoder.raw_decode(cleaned, position)
        except (ValueError, RecursionError):
            position += 1
            continue
        found.append(value)
    return found


def _load(text: str) -> Any:
    for candidate in (text, _without_trailing_commas(text)):
        try:
            return json.loads(candidate, strict=False)
        except (ValueError, RecursionError):
            continue
    return None


def _as_object(value: Any) -> dict[str, Any] | None:
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    return value if isinstance(value, dict) else None


def _without_trailing_commas(text: str) -> str:
    return _STRING_OR_COMMA.sub(lambda match: match[1] or "", text)
