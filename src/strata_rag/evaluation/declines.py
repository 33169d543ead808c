"""Answers that say there is none: told by their words, for answers of whatever origin."""

from __future__ import annotations

import re

from strata_rag.chunking import sentence_spans

_DECLINES = re.compile(
    r"""
    (?: (?:i\ am|i'm)\ )? (?:i\ )? (?:am\ )? (?:sorry|apologi[sz]e|unfortunately) \W* $
    | \b(?:i|we)\ (?:do\ not|don't|cannot|can't|could\ not|couldn't|am\ unable\ to|am\ not\ able\ to|are\ unable\ to)
      \ (?:know|answer|say|tell|find|determine|provide|help)\b
    | \b(?:passages?|context|documents?|sources?|texts?|information|excerpts?)\b .{0,40}
      \b(?:do|does|did|is|are)\ ?(?:not|n't)\ (?:\w+\ ){0,2}
      (?:answer|contain|mention|say|state|provide|include|specify|cover|enough|sufficient|available|given|hold)
    | ^\W* (?:there\ is\ )?(?:no|not\ enough|insufficient)\ (?:answer|information|context|evidence|data)\b
    | \b(?:cannot|can't|can\ not|could\ not)\ be\ (?:answered|determined|found)\b
    | ^\W* (?:not\ (?:known|stated|specified|mentioned|available)|unknown|n/a) \W* $
    """,
    re.VERBOSE | re.IGNORECASE,
)


def is_decline(text: str) -> bool:
    """Tell whether a text is nothing but a decline: every sentence of it says that there is no answer.

    English phrases only; the fixed sentence that answers refuse with is known by the answer's status instead. An
    answer that declines one part and answers another is none.
    """
    sentences = [text[start:end].replace("\u2019", "'") for start, end in sentence_spans(text)]
    return bool(sentences) and all(_DECLINES.search(" ".join(one.split())) for one in sentences)
