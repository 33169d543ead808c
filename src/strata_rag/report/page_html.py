"""HTML by construction: what is not markup is escaped."""

from __future__ import annotations

import html
import re

_UNSHOWN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
_VOID = frozenset({"input", "meta", "link", "br", "line", "rect", "circle", "path"})


class Html(str):
    """Markup that is ready to stand in a page."""

    __slots__ = ()


def text(value: str) -> Html:
    """Return plain text as markup."""
    return Html(html.escape(_UNSHOWN.sub("\ufffd", value), quote=True))


def el(tag: str, /, *children: str, **attributes: str | float | None) -> Html:
    """Return an element; children that are not `Html` are escaped, attributes always.

    ``cls`` is written ``class``, an underscore in an attribute's name a hyphen; attributes of None are left out.
    """
    written = "".join(
        f' {"class" if key == "cls" else key.replace("_", "-")}="{text(_attribute(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    if tag in _VOID and not children:
        return (
            Html(f"<{tag}{written}>")
            if tag in {"input", "meta", "link", "br"}
            else Html(f"<{tag}{written}/>")
        )
    return Html(f"<{tag}{written}>{join(*children)}</{tag}>")


def join(*children: str) -> Html:
    """Return children one behind the other; those that are not `Html` are escaped."""
    return Html("".join(child if isinstance(child, Html) else text(child) for child in children))


def _attribute(value: str | float) -> str:
    return value if isinstance(value, str) else f"{value:.6g}"
