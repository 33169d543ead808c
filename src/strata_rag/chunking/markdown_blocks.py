"""Reads Markdown into blocks, line by line: headings of both styles, fences, tables, lists, paragraphs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from strata_rag.chunking.cutting import skip_space

Kind = Literal["heading", "fence", "table", "list", "paragraph"]

_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*))?$")
_UNDERLINE = re.compile(r" {0,3}(=+|-+)\s*+$")
_FENCE = re.compile(r"\s*+(`{3,}(?=[^`]*+$)|~{3,})")
_ITEM = re.compile(r"\s*+(?:[-*+]|\d{1,9}[.)])(?:\s|$)")
_LINK = re.compile(r"!?\[([^\[\]]{0,300})\]\([^()\s]{0,1000}\)")
_LONGEST_RULE = 2000


@dataclass(frozen=True, slots=True)
class Block:
    """A stretch of whole lines.

    Attributes:
        kind: What it is.
        start: First code point.
        end: One past the last character that is not white space.
        level: Of a heading, 1 to 6; otherwise 0.
        title: Of a heading, without its marks; otherwise empty.
    """

    kind: Kind
    start: int
    end: int
    level: int = 0
    title: str = ""


class _Line(NamedTuple):
    start: int
    text: str
    blank: bool

    @property
    def end(self) -> int:
        return self.start + len(self.text.rstrip())


def read_blocks(text: str) -> list[Block]:
    """Return the blocks of `text` in order; every character that is not white space lies in exactly one."""
    lines = list(_lines(text))
    blocks: list[Block] = []
    at = 0
    while at < len(lines):
        if lines[at].blank:
            at += 1
            continue
        kind, beyond = _extent(lines, at)
        block = _heading(lines, at, beyond) if kind == "heading" else None
        blocks.append(block or Block(kind, lines[at].start, _last_end(lines, at, beyond)))
        at = beyond
    return [_trimmed(block, text) for block in blocks]


def _lines(text: str) -> Iterator[_Line]:
    start = 0
    for line in text.split("\n"):
        yield _Line(start, line, not line or line.isspace())
        start += len(line) + 1


def _extent(lines: list[_Line], at: int) -> tuple[Kind, int]:
    """Return the kind of the block that begins at line `at`, and the line after its last."""
    text = lines[at].text
    if at == 0 and text.rstrip() == "---" and (closing := _front_matter(lines)):
        return "fence", closing + 1
    if _ATX.match(text):
        return "heading", at + 1
    if fence := _FENCE.match(text):
        return "fence", _after_fence(lines, at, fence[1])
    if _is_table(lines, at):
        return "table", _after_table(lines, at)
    if _ITEM.match(text):
        return "list", _after_list(lines, at)
    return _paragraph(lines, at)


def _front_matter(lines: list[_Line]) -> int | None:
    """Return the line that closes the front matter which the first line opens, or None."""
    return next((at for at in range(1, min(len(lines), 200)) if lines[at].text.rstrip() == "---"), None)


def _after_fence(lines: list[_Line], at: int, mark: str) -> int:
    for beyond in range(at + 1, len(lines)):
        closing = _FENCE.match(lines[beyond].text)
        same = closing is not None and closing[1].startswith(mark)
        if same and closing is not None and not lines[beyond].text[closing.end() :].strip():
            return beyond + 1
    return len(lines)


def _is_table(lines: list[_Line], at: int) -> bool:
    if "|" not in lines[at].text or at + 1 >= len(lines):
        return False
    rule = lines[at + 1].text.strip()
    return len(rule) <= _LONGEST_RULE and "|" in rule and "-" in rule and set(rule) <= set("|:- \t")


def _after_list(lines: list[_Line], at: int) -> int:
    """Return the line after a list: it goes on over blank lines if an item or an indented line follows."""
    beyond = at + 1
    while beyond < len(lines):
        line = lines[beyond]
        if line.blank:
            following = next(
                (n for n in range(beyond, min(beyond + 3, len(lines))) if not lines[n].blank), None
            )
            if following is None or not (_ITEM.match(lines[following].text) or _indented(lines[following])):
                return beyond
            beyond = following
        elif fence := _FENCE.match(line.text):
            if not _indented(line):
                return beyond
            beyond = _after_fence(lines, beyond, fence[1])
        elif _ATX.match(line.text):
            return beyond
        else:
            beyond += 1
    return beyond


def _indented(line: _Line) -> bool:
    return line.text.startswith(("  ", "\t"))


def _paragraph(lines: list[_Line], at: int) -> tuple[Kind, int]:
    """Return a paragraph's extent; one that ends in an underline is a heading."""
    beyond = at + 1
    while beyond < len(lines):
        text = lines[beyond].text
        if _UNDERLINE.match(text):
            return "heading", beyond + 1
        ends = lines[beyond].blank or _ATX.match(text) or _FENCE.match(text) or _ITEM.match(text)
        if ends or _is_table(lines, beyond):
            break
        beyond += 1
    return "paragraph", beyond


def _after_table(lines: list[_Line], at: int) -> int:
    beyond = at + 1
    while beyond < len(lines) and not lines[beyond].blank and not _ATX.match(lines[beyond].text):
        beyond += 1
    return beyond


def _heading(lines: list[_Line], at: int, beyond: int) -> Block:
    atx = _ATX.match(lines[at].text) if beyond == at + 1 else None
    if atx is not None:
        level, title = len(atx[1]), (atx[2] or "").rstrip()
        closed = title.rstrip("#")
        title = closed if closed != title and (not closed or closed[-1] in " \t") else title
    else:
        level = 1 if "=" in lines[beyond - 1].text else 2
        title = " ".join(line.text.strip() for line in lines[at : beyond - 1])
    title = _LINK.sub(r"\1", title).replace("**", "").replace("`", "").strip()
    return Block("heading", lines[at].start, _last_end(lines, at, beyond), level, title)


def _last_end(lines: list[_Line], at: int, beyond: int) -> int:
    return next(lines[n].end for n in range(beyond - 1, at - 1, -1) if not lines[n].blank)


def _trimmed(block: Block, text: str) -> Block:
    """Return the block without the white space before its first line."""
    return replace(block, start=skip_space(text, block.start))
