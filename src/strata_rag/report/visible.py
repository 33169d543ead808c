"""Text from documents and paths, made safe for a terminal."""

from __future__ import annotations

import re

from strata_rag.generation import with_hidden_shown

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def visible(text: str) -> str:
    """Return `text` with control characters and direction overrides written out, such as ``\\x1b``.

    Text that invisible characters spell is written out as ``<hidden: text>``. Line ends and tabs stay.
    """
    return _CONTROL.sub(
        lambda match: match.group().encode("unicode_escape").decode("ascii"), with_hidden_shown(text)
    )


def one_line(text: str) -> str:
    """Return `text` as `visible` does, with line ends and tabs written out too: a file's name may hold them."""
    return visible(text).replace("\n", "\\n").replace("\t", "\\t")
