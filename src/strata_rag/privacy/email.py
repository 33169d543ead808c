"""E-mail addresses, found from their ``@`` outwards."""

from __future__ import annotations

import re

from strata_rag.privacy.span import EMAIL, Span

_MAX_LOCAL = 256
# Marks belong to the letters they stand on. `/`, `=`, `&`, `?`, `*` and `|` are left out, although a local part may
# hold them: around an address they are a URL's, or Markdown's.
_LOCAL = re.compile(r"[\w\u0300-\u036f.+%'~^!$#-]*")
_EDGE = "'.~^!$#%+-"
_DOMAIN = re.compile(
    r"(?:[^\W_](?:[^\W_]|[\u0300-\u036f-]){0,62}\.)+(?!\d)[^\W_](?:[^\W_]|[\u0300-\u036f]|-(?=[^\W_])){1,62}"
    r"|\[(?:\d{1,3}\.){3}\d{1,3}\]"
)
_QUOTED = re.compile(r'"[^"\n]{1,64}"\Z')
_SIGN = re.compile(r"@|%40")
_PICTURE = re.compile(r"\dx\.(?:png|jpe?g|gif|webp|avif|svg)", re.IGNORECASE)


def find_emails(text: str) -> list[Span]:
    """Return the addresses in `text`, sorted and disjoint."""
    if "@" not in text and "%40" not in text:
        return []
    found: list[Span] = []
    for sign in _SIGN.finditer(text):
        domain = _DOMAIN.match(text, sign.end())
        if domain is None or _PICTURE.fullmatch(domain.group()):
            continue
        start = _local_start(text, sign.start(), found[-1].end if found else 0)
        if start < sign.start():
            found.append(Span(start, domain.end(), EMAIL))
    return found


def _local_start(text: str, at: int, floor: int) -> int:
    """Return where the local part that ends at `at` begins; `at` where there is none."""
    if text[at - 1 : at] == '"':
        quoted = _QUOTED.search(text, max(floor, at - 66), at)
        return quoted.start() if quoted else at
    before = text[max(floor, at - _MAX_LOCAL) : at]
    reversed_local = _LOCAL.match(before[::-1])
    length = reversed_local.end() if reversed_local else 0
    local = before[len(before) - length :]
    stripped = local.lstrip(_EDGE)
    return at - len(stripped) if any(map(str.isalnum, stripped)) else at
