"""From the marks in an answer to the passages they name.

A mark is ``[1]``, ``[1, 3]``, ``[1-3]``, ``[1][2]``, ``[passage 1]`` or the same in 【】. What looks alike and is none:

- an index in code (``items[3]``), and anything else in code,
- a link (``[1](address)``), a footnote (``[^1]``), a year (``[2024]``).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from strata_rag.chunking import sentence_spans
from strata_rag.generation.code_spans import blank, code_spans

MarkKind = Literal["citation", "index", "year", "link"]

_MARK = re.compile(
    r"[\[【][^\S\n]?(?i:passages?[^\S\n])?(?P<body>\d{1,9}(?:[^\S\n]?[,;–—-][^\S\n]?\d{1,9})*+)[^\S\n]?[\]】]"
)
_ITEM = re.compile(r"(\d+)(?:\s?[–—-]\s?(\d+))?")
_WORD_BEFORE = re.compile(r"[\w.$]+\Z")
_PLAIN_WORD = re.compile(r"[^\W\d_]+\.?\Z")
_CLAUSE_END = re.compile(r"""[\])】»”"'*_]*(?:[.,;:!?)。，；：！？、\[【]|\s*\Z|[^\S\n]*\n)""")
_DEFINITION = re.compile(r":\s+<?\w+://")
_ARRAYS = """
a arr array arrays args argv b buf buffer bytes c cells cols columns data dict elements entries fields files i index
items j k keys lines list lists m map match matches matrix names nodes nums numbers obj object objects params parts
points record result results row rows self stack string strings table tensor tokens tuple users v val value values vec
vector weights words x xs y z
"""
_ARRAY_NAMES = frozenset(_ARRAYS.split())
_LOOK_BEHIND = 60
_WIDEST = 20
_YEARS = range(1000, 3000)


@dataclass(frozen=True, slots=True)
class Mark:
    """One pair of brackets with numbers.

    Attributes:
        kind: What it is; only a ``citation`` names passages.
        start: First code point.
        end: One past the last.
        numbers: The numbers it names that a passage has.
        unresolved: The numbers it names that none has.
    """

    kind: MarkKind
    start: int
    end: int
    numbers: tuple[int, ...] = ()
    unresolved: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class CitedText:
    """What an answer's text cites.

    Attributes:
        marks: Every mark, in order.
        sentences: Spans of its sentences, without what stands in code blocks.
        uncited: Those of them that name no passage.
    """

    marks: tuple[Mark, ...]
    sentences: tuple[tuple[int, int], ...]
    uncited: tuple[tuple[int, int], ...]

    @property
    def citations(self) -> tuple[tuple[int, tuple[int, int]], ...]:
        """Each number that resolves, with the span of its mark."""
        return tuple((number, (mark.start, mark.end)) for mark in self.marks for number in mark.numbers)

    @property
    def unresolved(self) -> tuple[int, ...]:
        """Cited numbers that no passage has, each once, in order."""
        return tuple(dict.fromkeys(number for mark in self.marks for number in mark.unresolved))


def read_citations(text: str, numbers: Collection[int]) -> CitedText:
    """Return what `text` cites.

    Args:
        text: An answer.
        numbers: Of the passages there are.
    """
    code = code_spans(text)
    prose = blank(text, [*code.blocks, *code.inline])
    marks: list[Mark] = []
    for match in _MARK.finditer(prose):
        marks.append(_read_mark(prose, match, marks[-1] if marks else None, numbers))
    cited = [mark for mark in marks if mark.kind == "citation"]
    bare = blank(text, [*code.blocks, *((mark.start, mark.end) for mark in cited)])
    sentences = [span for span in sentence_spans(bare) if any(map(str.isalnum, bare[span[0] : span[1]]))]
    covered = {_sentence_of(mark, prose, sentences) for mark in cited if mark.numbers}
    uncited = tuple(span for place, span in enumerate(sentences) if place not in covered)
    return CitedText(tuple(marks), tuple(sentences), uncited)


def _read_mark(text: str, match: re.Match[str], before: Mark | None, numbers: Collection[int]) -> Mark:
    start, end = match.span()
    if text.startswith("(", end) or (_begins_line(text, start) and _DEFINITION.match(text, end)):
        return Mark("link", start, end)
    follows = before is not None and before.end == start
    if before.kind == "index" if before and follows else _is_index(text, match, numbers):
        return Mark("index", start, end)
    resolved, unresolved, years = _numbers_of(match["body"], numbers)
    if years and not resolved and not unresolved:
        return Mark("year", start, end)
    return Mark("citation", start, end, resolved, unresolved)


def _is_index(text: str, match: re.Match[str], numbers: Collection[int]) -> bool:
    """Tell whether brackets that stand right behind a word are an index.

    Models also set marks without a space. Such a mark names a passage that exists, stands behind an ordinary word and
    before the end of a clause.
    """
    start, end = match.span()
    items = _ITEM.findall(match["body"])
    if len(items) > 1 and any(int(first) == 0 for first, _ in items):
        return True  # an interval, such as [0, 1]
    word = _WORD_BEFORE.search(text, max(0, start - _LOOK_BEHIND), start)
    if word is None:
        return text[start - 1 : start] == ")" and _is_call(text, start)
    if not word.group()[-1].isascii():
        return False
    if word.group().endswith("."):
        return False
    plain = _PLAIN_WORD.match(word.group()) and not _is_camel(word.group())
    exists = any(int(first) in numbers for first, _ in items)
    is_mark = (
        plain
        and exists
        and word.group().lower() not in _ARRAY_NAMES
        and _CLAUSE_END.match(text, end) is not None
    )
    return not is_mark


def _is_camel(word: str) -> bool:
    return any(letter.isupper() for letter in word[1:]) and not word.isupper()


def _is_call(text: str, end: int) -> bool:
    """Tell whether the bracket that closes before `end` belongs to a call, such as ``f(x)``."""
    opening = text.rfind("(", max(0, end - _LOOK_BEHIND), end)
    return opening > 0 and (text[opening - 1].isalnum() or text[opening - 1] == "_")


def _numbers_of(body: str, known: Collection[int]) -> tuple[tuple[int, ...], tuple[int, ...], bool]:
    """Return the numbers that resolve, those that do not, and whether any is a year."""
    resolved: dict[int, None] = {}
    unresolved: dict[int, None] = {}
    years = False
    for first, last in _ITEM.findall(body):
        for number in _spread(int(first), int(last or first), known):
            if number in known:
                resolved[number] = None
            elif number in _YEARS:
                years = True
            else:
                unresolved[number] = None
    return tuple(resolved), tuple(unresolved), years


def _spread(first: int, last: int, known: Collection[int]) -> list[int]:
    """Return the numbers of a range; of a wide one its ends, and those inside that a passage has."""
    if last < first:
        return [first, last]
    if last - first < _WIDEST:
        return list(range(first, last + 1))
    return sorted({first, last, *(number for number in known if first <= number <= last)})


def _sentence_of(mark: Mark, text: str, sentences: list[tuple[int, int]]) -> int:
    """Return the place of the sentence that a mark stands in or behind; at the head of a line, the one after it."""
    place = bisect_right(sentences, (mark.start, len(text))) - 1
    inside = place >= 0 and mark.start < sentences[place][1]
    if inside or (place >= 0 and not _begins_line(text, mark.start)):
        return place
    following = place + 1
    if following == len(sentences) or sentences[following][0] > mark.end + _LOOK_BEHIND:
        return place
    return place if "\n" in text[mark.end : sentences[following][0]] else following


def _begins_line(text: str, at: int) -> bool:
    behind = text[max(0, at - _LOOK_BEHIND) : at]
    if "\n" not in behind and len(behind) == _LOOK_BEHIND:
        return False
    return not behind.rpartition("\n")[2].strip(" \t-*>")
