"""Patterns of paths: what ``*``, ``?``, ``[...]`` and ``**`` mean, the same on every machine."""

from __future__ import annotations

import re
import unicodedata
from functools import cache

_BRACKET = re.compile(r"\[(?P<not>!?)(?P<set>[^/\]\[]+|\])\]")


def glob_fault(pattern: str, *, segment: bool = False) -> str:
    """Return what is wrong with a pattern, or an empty text.

    Args:
        pattern: The pattern.
        segment: Whether it is for one name alone, without ``/``.
    """
    if not pattern.strip("/"):
        return "expected a pattern, found nothing"
    if "\\" in pattern or "{" in pattern:
        return f"expected / between names, and a list instead of braces; found {pattern!r}"
    parts = pattern.removeprefix("/").split("/")
    if segment and (len(parts) > 1 or "**" in pattern):
        return f"expected one name without /, found {pattern!r}"
    if any(part in ("", ".", "..") for part in parts):
        return f"expected names between single slashes, found {pattern!r}"
    if any("**" in part and part != "**" for part in parts):
        return f"expected ** to stand alone between slashes, found {pattern!r}"
    if "[" in _BRACKET.sub("", pattern):
        return f"expected ] after [, found {pattern!r}"
    try:
        _compiled(pattern)
    except re.error:
        return f"expected characters in rising order in [...], found {pattern!r}"
    return ""


def glob_matches(pattern: str, path: str) -> bool:
    """Tell whether the whole of `path` meets `pattern`.

    ``*`` is any characters but ``/``, ``?`` one of them, ``[a-c]`` one of a set, ``[!a-c]`` one outside it; ``**``
    between slashes is any number of folders, none included, and at the end everything below. Small and capital
    letters differ; accented letters are the same however they are composed.
    """
    plain = path if path.isascii() else unicodedata.normalize("NFC", path)
    return _compiled(pattern).fullmatch(plain) is not None


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    parts = unicodedata.normalize("NFC", pattern).split("/")
    expression = ""
    for at, part in enumerate(parts):
        last = at == len(parts) - 1
        if part == "**":
            expression += ".+" if last else "(?:[^/]+/)*"
        else:
            expression += _segment(part) + ("" if last else "/")
    return re.compile(expression, re.DOTALL)


def _segment(part: str) -> str:
    out, at = "", 0
    while at < len(part):
        bracket = _BRACKET.match(part, at)
        if bracket:
            inside = re.sub(r"([\\^\[\]&~|])", r"\\\1", bracket["set"])
            out += f"(?!/)[{'^' if bracket['not'] else ''}{inside}]"
            at = bracket.end()
            continue
        out += {"*": "[^/]*", "?": "[^/]"}.get(part[at], re.escape(part[at]))
        at += 1
    return out
