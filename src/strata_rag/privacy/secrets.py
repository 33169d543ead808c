"""Secrets: by their shape, behind a label, in a table's column, or by chance-like characters near a telling word."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from strata_rag.privacy import secret_rules as rules
from strata_rag.privacy.network import find_url_credentials
from strata_rag.privacy.normalise import plain_text
from strata_rag.privacy.secret_values import is_random, is_secret_value, is_stand_in, label_kind
from strata_rag.privacy.span import SECRET, Span

SECRETS_VERSION = 1
"""Grows when the same text gives other findings; stands in every collection's record."""

_WORDS = ("pass", "secret", "token", "key", "pwd", "credential", "kennwort", "contrase")
_NAME_BEFORE = re.compile(r"[\w.-]{0,60}\Z")
_NAME_AFTER = re.compile(r"[\w.-]{0,60}")
_QUALIFIER = re.compile(r"([A-Za-z]{2,16})[ ]\Z")
_SIGN = re.compile(
    r"""["'`*\])]{0,3}(?:[ \t]*:[ \t]*(?:str|string|bytes)[ \t]*=[ \t]*|[ \t]*(?::=|=>|=(?!=)|:(?:\*\*|__)?|\|)[ \t]*"""
    r"""|[ \t]+(?:is|ist|lautet|was|set[ ]to)[ \t]*:?[ \t]+)(?:\n[ \t]*(?=\S+[ \t]*(?:\n|\Z)))?""",
    re.IGNORECASE,
)
_QUOTED = re.compile(
    r"""[rbuf]{0,2}(?P<quote>["'`]{1,3}|\*\*)(?P<value>(?:(?!(?P=quote))[^\n]){4,500})(?P=quote)"""
)
_BARE = re.compile(r"""(?P<value>[^\s"'`<|]{4,500})""")
_BARE_END = re.compile(r"[;&,](?=[\w-]+[=:])|&(?:quot|[lr][ds]quo|lt|gt|amp|nbsp|#\d+);?|[.,;:)}\]]+\Z")
_RANDOM = re.compile(r"(?<![\w/+.=%-])[A-Za-z0-9+/_-]{24,200}={0,2}(?![\w/+=%-])")
_TELLING = re.compile(
    r"\b(?:secret|(?:api|access)[ _-]?keys?|tokens?|credentials?|passwords?|private[ _-]key|bearer|authorization)\b",
    re.IGNORECASE,
)
_HARMLESS = re.compile(
    r"sha\d*|md5|integrity|checksum|digest|hash|commit|revision|etag|nonce|base64,|fingerprint|signature|uuid|https?:|publi[ck]"
    r"|example|import ",
    re.IGNORECASE,
)
_RULE_ROW = re.compile(r"[ \t]*\|?[ \t]*:?-{2,}:?[ \t]*(?:\|[ \t]*:?-{2,}:?[ \t]*)*\|?[ \t]*")


class SecretScanner:
    """Finds secrets; only their values, never the labels in front of them."""

    def detect(self, text: str) -> list[Span]:
        """Return findings sorted by start; they may overlap."""
        plain = plain_text(text)
        found = set(_shaped(plain.text)) | set(_labelled(plain.text)) | set(_in_tables(plain.text))
        found |= set(_in_urls(plain.text))
        found |= set(_random(plain.text))
        return sorted(map(plain.original, found))

    def describe(self) -> Mapping[str, Any]:
        return {"name": "secrets", "version": SECRETS_VERSION}


def _shaped(text: str) -> Iterator[Span]:
    """Yield what its own form gives away."""
    for match in rules.PROVIDER_TOKENS.finditer(text):
        yield Span(match.start(), match.end(), SECRET)
    for pattern, needed in rules.ANNOUNCED:
        if not any(map(text.__contains__, needed)):
            continue
        for match in pattern.finditer(text):
            group = next(name for name in match.groupdict() if name.startswith("value") and match[name])
            certain = pattern is rules.WEBHOOKS and not is_stand_in(match[group])
            if (
                certain
                or pattern is rules.KEY_BLOCK
                or is_secret_value(match[group], "password", quoted=True)
            ):
                yield Span(match.start(group), match.end(group), SECRET)


def _in_urls(text: str) -> Iterator[Span]:
    """Yield the passwords of URLs."""
    for span in find_url_credentials(text):
        password = text[span.start : span.end].partition(":")[2]
        if is_secret_value(password, "password", quoted=True):
            yield Span(span.end - len(password), span.end, SECRET)


def _labelled(text: str) -> Iterator[Span]:
    """Yield values behind names such as ``DB_PASSWORD=``, ``"client_secret": `` and ``API key is``."""
    small = text.lower()
    if len(small) != len(text):
        small = "".join(sign.lower() if len(sign.lower()) == 1 else sign for sign in text)
    seen = -1
    for word in _WORDS:
        at = small.find(word)
        while at >= 0:
            start, end = _name(text, at, at + len(word))
            at = small.find(word, end)
            if end == seen:
                continue
            seen = end
            sign = _SIGN.match(text, end)
            if sign and ("|" not in sign.group() or _is_row(text, start)):
                yield from _value(text, text[start:end], sign.end(), start)


def _name(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the whole name around a telling word."""
    before = _NAME_BEFORE.search(text, max(0, start - 60), start)
    after = _NAME_AFTER.match(text, end)
    return (before.start() if before else start), (after.end() if after else end)


def _is_row(text: str, at: int) -> bool:
    """Tell whether the line around `at` is a row of a Markdown table."""
    return text[text.rfind("\n", 0, at) + 1 : at].lstrip(" \t>").startswith("|")


def _value(text: str, name: str, at: int, name_start: int) -> Iterator[Span]:
    kind = label_kind(name)
    if not kind and (qualifier := _QUALIFIER.search(text, max(0, name_start - 20), name_start)):
        kind = label_kind(f"{qualifier[1]}_{name}")
    if not kind or text[max(0, name_start - 1) : name_start] in ("$", "{", "@"):
        return
    if quoted := _QUOTED.match(text, at):
        if is_secret_value(quoted["value"], kind, quoted=True):
            yield Span(quoted.start("value"), quoted.end("value"), SECRET)
    elif bare := _BARE.match(text, at):
        cut = _BARE_END.search(bare["value"])
        value = bare["value"][: cut.start()] if cut else bare["value"]
        if is_secret_value(value, kind, quoted=False):
            yield Span(bare.start("value"), bare.start("value") + len(value), SECRET)


def _in_tables(text: str) -> Iterator[Span]:
    """Yield cells below a heading such as ``password``, in Markdown tables, CSV and TSV."""
    if not any(map(text.lower().__contains__, _WORDS)):
        return
    at = width = 0
    columns: set[int] = set()
    separator = ""
    lines = text.splitlines(keepends=True)
    for line, below in zip(lines, [*lines[1:], ""], strict=True):
        cells = _cells(line, separator) if columns else []
        if columns and len(cells) == width:
            for start, cell in (cells[number] for number in columns):
                if is_secret_value(cell, "password", quoted=True):
                    yield Span(at + start, at + start + len(cell), SECRET)
        else:
            separator, width, columns = _heading(line, below)
        at += len(line)


def _heading(line: str, below: str) -> tuple[str, int, set[int]]:
    """Return separator, number of columns, and those that hold secrets, if a table begins with `line`."""
    if len(line) > 400 or not any(map(line.lower().__contains__, _WORDS)):
        return "", 0, set()
    for separator in "|\t;,":
        cells = _cells(line, separator)
        if len(cells) < 2 or any(len(cell) > 40 or _is_value(cell) for _, cell in cells):
            continue
        if separator == "|":
            is_table = bool(_RULE_ROW.fullmatch(below.rstrip("\r\n")))
        else:
            is_table = not line[0].isspace() and all(cell for _, cell in cells)
        if is_table:
            return separator, len(cells), {at for at, (_, cell) in enumerate(cells) if label_kind(cell)}
    return "", 0, set()


def _is_value(cell: str) -> bool:
    return any(map(cell.__contains__, "=:(){}\"'")) or cell.count(" ") > 2


def _cells(line: str, separator: str) -> list[tuple[int, str]]:
    """Return each cell's offset in the line and its text, without quotes and white space."""
    cells, at = [], 0
    for cell in line.rstrip("\r\n").split(separator):
        inner = cell.strip(" \t\"'`*")
        cells.append((at + cell.find(inner) if inner else at, inner))
        at += len(cell) + len(separator)
    return cells


def _random(text: str) -> Iterator[Span]:
    """Yield chance-like texts on a line, or below a line, that speaks of secrets."""
    for word in _TELLING.finditer(text):
        end = text.find("\n", text.find("\n", word.end()) + 1)
        stop = min(word.end() + 120, end if end > word.end() else len(text))
        for match in _RANDOM.finditer(text, word.end(), stop):
            line = text[text.rfind("\n", 0, match.start()) + 1 : match.end()]
            if is_random(match.group()) and not _HARMLESS.search(line):
                yield Span(match.start(), match.end(), SECRET)
