"""Rich Text Format, by striprtf."""

from __future__ import annotations

import re

from strata_rag.corpus.formats.extraction import INSTALL, Extraction, Unreadable
from strata_rag.corpus.formats.texts import Cleaner

_SETS = {b"mac": "mac_roman", b"pca": "cp850", b"pc": "cp437"}
_SET = re.compile(rb"\\(mac|pca?)(?![a-z0-9])")
_HIDDEN = re.compile(r"\{(?:\\[a-z]+-?\d* ?)*\\(?:v|deleted)(?![a-z0-9])(?:(?!\\v0)[^{}])*\}")
_DROPPED = re.compile(r"\{\\(header|footer|footnote)[flr]?(?![a-z0-9]) ?")
_BORDER = re.compile(r"\\.|[{}]", re.DOTALL)
_CODE_PAGE = re.compile(rb"\\ansicpg(\d{3,5})")


def read_rtf(raw: bytes) -> Extraction:
    """Return an RTF file's text, its code pages decoded.

    Raises:
        Unreadable: It is no RTF, or striprtf is missing.
    """
    try:
        from striprtf.striprtf import rtf_to_text
    except ImportError:
        raise Unreadable(f"RTF needs the extra formats: {INSTALL}") from None
    if not raw.lstrip().startswith(b"{\\rtf"):
        raise Unreadable("expected RTF, found something else")
    stated = _SET.search(raw[:200])
    encoding = _SETS[stated.group(1)] if stated else "cp1252"
    # The library leaves out headers, footers and notes, and shows what is hidden or deleted.
    shown = _with_margins(_HIDDEN.sub("{}", raw.decode("latin-1")))
    try:
        text: object = rtf_to_text(shown, encoding=encoding, errors="replace")  # type: ignore[no-untyped-call]
    except (ValueError, LookupError, IndexError, RecursionError) as error:
        raise Unreadable(f"expected RTF, found: {error}") from error
    cleaner = Cleaner()
    text = re.sub(r"\n{3,}", "\n\n", cleaner.clean(str(text)))
    page = _CODE_PAGE.search(raw[:2000])
    return Extraction(
        text.strip("\n"),
        "rtf",
        encoding=f"cp{page.group(1).decode()}" if page else encoding if stated else "",
        warnings=tuple(cleaner.warnings),
    )


def _with_margins(text: str) -> str:
    """Return the source with headers, footers and notes as plain groups where they stand."""
    pieces: list[str] = []
    at = 0
    for found in _DROPPED.finditer(text):
        border = "\\par " if found.group(1) != "footnote" else " "
        end = _end_of_group(text, found.end())
        if found.start() < at:  # inside another one: its words come with that
            continue
        pieces += [text[at : found.start()], "{", border, text[found.end() : end], border]
        at = end
    return "".join((*pieces, text[at:]))


def _end_of_group(text: str, start: int) -> int:
    """Return where the group that is open at `start` closes, or the text's end."""
    depth = 1
    for found in _BORDER.finditer(text, start):
        depth += {"{": 1, "}": -1}.get(found.group(), 0)
        if not depth:
            return found.start()
    return len(text)
