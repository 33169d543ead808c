"""Rich Text Format, by striprtf."""

from __future__ import annotations

import re

from strata_rag.corpus.formats.extraction import INSTALL, Extraction, Unreadable
from strata_rag.corpus.formats.texts import Cleaner

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
    try:
        text: object = rtf_to_text(raw.decode("latin-1"), errors="replace")  # type: ignore[no-untyped-call]
    except (ValueError, LookupError, IndexError, RecursionError) as error:
        raise Unreadable(f"expected RTF, found: {error}") from error
    cleaner = Cleaner()
    text = re.sub(r"\n{3,}", "\n\n", cleaner.clean(str(text)))
    page = _CODE_PAGE.search(raw[:2000])
    return Extraction(
        text.strip("\n"),
        "rtf",
        encoding=f"cp{page.group(1).decode()}" if page else "",
        warnings=tuple(cleaner.warnings),
    )
