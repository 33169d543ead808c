"""Text that markup keeps from the reader, and images that would carry data away."""

from __future__ import annotations

import re
from dataclasses import dataclass

from strata_rag.generation.guards.finding import Finding

_LINK_COMMENT = re.compile(
    r"^[^\S\n]{0,3}\[(?://|comment|_|#)\]:[^\S\n]{0,3}(?:#|<>)[^\S\n]{0,3}(.{1,2000})$",
    re.MULTILINE | re.IGNORECASE,
)
_UNSEEN = re.compile(
    r"<(?P<tag>\w{1,12})\b[^<>]{0,300}?"
    r"(?:display\s{0,2}:\s{0,2}none|visibility\s{0,2}:\s{0,2}hidden|font-size\s{0,2}:\s{0,2}0|opacity\s{0,2}:\s{0,2}0(?![.\d])"
    r"|color\s{0,2}:\s{0,2}(?:white|\#fff(?:fff)?\b|transparent)|\bhidden\b)[^<>]{0,300}>(?P<inside>[^<]{1,4000})",
    re.IGNORECASE,
)
_ALT = re.compile(
    r"<(?:img|meta|input)\b[^<>]{0,300}?\b(?:alt|content|value|title)\s{0,2}=\s{0,2}[\"']([^\"'<>]{10,1000})[\"']",
    re.IGNORECASE,
)
_IMAGE = re.compile(r"!\[[^\]\n]{0,300}\]\(\s{0,3}<?(https?://[^\s)>]{1,500}\?[^\s)]{0,500})")
_TO_FILL = re.compile(
    r"[{\[<$]|%7b|%5b|(?:data|q|query|secret|history|conversation|prompt|context|msg|message|leak|exfil)=(?:\W|\Z)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Stretch:
    """Text that a reader of the rendered document does not see.

    Attributes:
        start: First code point.
        end: One past the last.
        text: What it says.
    """

    start: int
    end: int
    text: str


def hidden_markup(text: str) -> list[Stretch]:
    """Return comments, elements that a style hides, and texts that stand in for images, of HTML and Markdown."""
    found = []
    if "<" in text:
        found += _comments(text)
        found += [Stretch(*match.span(), match["inside"]) for match in _UNSEEN.finditer(text)]
        found += [Stretch(*match.span(), match.group(1)) for match in _ALT.finditer(text)]
    if "]:" in text:
        found += [Stretch(*match.span(), match.group(1)) for match in _LINK_COMMENT.finditer(text)]
    return found


def _comments(text: str) -> list[Stretch]:
    """Return the comments; one that is not closed reaches to the end."""
    found = []
    start = text.find("<!--")
    while start >= 0:
        close = text.find("-->", start)
        end = len(text) if close < 0 else close + 3
        found.append(Stretch(start, end, text[start + 4 : end if close < 0 else close]))
        start = text.find("<!--", end)
    return found


def remote_images(text: str) -> list[Finding]:
    """Return Markdown images whose address has a query to be filled in: showing them would send it away."""
    if "](" not in text:
        return []
    return [
        Finding("remote-image", "medium", match.start(), match.end(), match.group(1)[:300], "exfiltrate")
        for match in _IMAGE.finditer(text)
        if _TO_FILL.search(match.group(1).partition("?")[2])
    ]
