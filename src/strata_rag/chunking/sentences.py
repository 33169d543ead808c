"""Where sentences begin and end: rules over the text, in one pass, without a model."""

from __future__ import annotations

import re
from itertools import pairwise

_CLOSERS = "\"'”’»)\\]}*_"
_OPENERS = "\"'“‘«([{¿¡*_-–—"

# A line break ends a sentence where a blank line or a list item, heading or table row follows, or where the
# line was a heading. A mark ends one only before white space, a wide mark always. Possessive repeats and the
# look-behind keep the search linear on text made of marks.
_CANDIDATE = re.compile(
    rf"""
      (?P<line> \n (?= [^\S\n]*+ (?: \n | [-*+•|>] [^\S\n] | \| | \#{{1,6}} [^\S\n] | \d{{1,3}}[.)] [^\S\n] ) )
              | (?m:^) \#{{1,6}} [^\S\n] [^\n]*+ \n
              | \r\r | \u2029 )
    | (?P<wide> [。！？｡]++ [」』）】〉》{_CLOSERS}]*+ )
    | (?P<mark> (?<! [.!?…؟۔।॥።։] ) [.!?…؟۔।॥።։]++ [{_CLOSERS}]*+ (?= \s | \Z ) )
    """,
    re.VERBOSE,
)
_SPACE = re.compile(r"\s*+")

_ALWAYS_FOLLOWED = """
dr mr mrs ms mx prof rev hon st gen col lt capt cmdr sgt maj gov sen rep pres messrs mme mlle hr fr fig figs eq eqs
sec sect ch chap vol vols art para pp p pg ref refs tab no nos nr approx ca cf vs viz esp incl excl resp e.g i.e eg ie
z.b d.h u.a bzw ggf vgl mt ft op ed eds trans transl dept univ est jan feb mar apr jun jul aug sep sept oct nov dec
"""
_NUMBERED = "no nos p art ch mar ed est op sec"
_FIRST_WORDS = """
the a an it he she we they you i this that these those there in on at as by for from with but and so if when while
after before however then its his her our their is are was were what who why how yes
"""
_NEVER_LAST = frozenset(_ALWAYS_FOLLOWED.split())
_ONLY_BEFORE_A_NUMBER = frozenset(_NUMBERED.split())  # words of their own, or letters, elsewhere
_STARTERS = frozenset(_FIRST_WORDS.split())  # what begins a sentence after `U.S.`

_REMEMBERED = 24


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Return the spans of the sentences of `text`, in order, without the white space around them.

    Every character that is not white space lies in exactly one. Stops after abbreviations, initials and list
    numbers, and inside decimals, versions and addresses, end none; text without marks is cut at blank lines only.
    """
    caseless = text.islower()
    ends = [match.end() for match in _CANDIDATE.finditer(text) if _is_end(text, match, caseless)]
    spans = []
    for begin, end in pairwise([0, *ends, len(text)]):
        start = _SPACE.match(text, begin, end).end()  # type: ignore[union-attr]
        while end > start and text[end - 1].isspace():
            end -= 1
        if end > start:
            spans.append((start, end))
    return spans


def _is_end(text: str, match: re.Match[str], caseless: bool) -> bool:
    if match.lastgroup != "mark":
        return True
    at = match.start()
    following = _following(text, match.end())
    if not following:
        return True
    is_stop = text[at] == "." and not text.startswith("..", at)
    if is_stop and (at == 0 or text[at - 1].isspace()):
        return True
    if following[0].islower() and not caseless:
        return False
    return not is_stop or _is_full_stop(text, at, following)


def _following(text: str, position: int) -> str:
    """Return the beginning of the next word, without what opens a quotation or bracket; empty at the end."""
    at = _SPACE.match(text, position).end()  # type: ignore[union-attr]
    ahead = text[at : at + _REMEMBERED].lstrip(_OPENERS)
    return ahead.split(maxsplit=1)[0] if ahead and not ahead.isspace() else text[at : at + 1]


def _is_full_stop(text: str, at: int, following: str) -> bool:
    """Tell whether the single stop at `at`, with `following` behind it, ends a sentence."""
    behind = text[max(0, at - _REMEMBERED) : at].split()
    word = behind[-1].lstrip(_OPENERS) if behind else ""
    lower = word.lower()
    if lower in _NEVER_LAST:
        return lower in _ONLY_BEFORE_A_NUMBER and not following[0].isdigit()
    if len(word) == 1 and word.isalpha():
        return word.islower() and not following[0].isdigit()  # an initial, unless it is small
    if word.isdigit() and len(word) <= 3:
        return not _begins_line(text, at - len(word))
    if "." in word and word.replace(".", "").isalpha() and max(map(len, word.split("."))) <= 2:
        return word.islower() or following.strip(".,;:!?").lower() in _STARTERS
    return True


def _begins_line(text: str, at: int) -> bool:
    """Tell whether only white space, at most a few characters, stands before `at` on its line."""
    before = text[max(0, at - _REMEMBERED) : at]
    return not before.rpartition("\n")[2].strip() and ("\n" in before or len(before) == at)
