"""Equations of Office documents as one line of text."""

from __future__ import annotations

from typing import Any

from strata_rag.corpus.formats.packed import attribute, local


def linear(node: Any) -> str:
    """Return an OMML element as a line: fractions with ``/``, powers with ``^``, indices with ``_``."""
    name = local(node)
    if name == "t":
        return (node.text or "").replace("\u2061", "")
    if name.endswith("Pr"):
        return ""
    shape = _SHAPES.get(name)
    if shape is not None:
        return shape(node)
    return "".join(map(linear, node))


def _part(node: Any, name: str) -> str:
    return "".join(linear(one) for one in node if local(one) == name)


def _grouped(text: str) -> str:
    return text if len(text) <= 1 or text.replace(".", "").isalnum() else f"({text})"


def _fraction(node: Any) -> str:
    return f"{_grouped(_part(node, 'num'))}/{_grouped(_part(node, 'den'))}"


def _power(node: Any) -> str:
    return f"{_part(node, 'e')}^{_grouped(_part(node, 'sup'))}"


def _index(node: Any) -> str:
    return f"{_part(node, 'e')}_{_grouped(_part(node, 'sub'))}"


def _both(node: Any) -> str:
    return f"{_part(node, 'e')}_{_grouped(_part(node, 'sub'))}^{_grouped(_part(node, 'sup'))}"


def _root(node: Any) -> str:
    degree = _part(node, "deg")
    return f"{degree}√({_part(node, 'e')})"


def _delimited(node: Any) -> str:
    begin, end = _setting(node, "begChr", "("), _setting(node, "endChr", ")")
    inner = ", ".join(linear(one) for one in node if local(one) == "e")
    return f"{begin}{inner}{end}"


def _nary(node: Any) -> str:
    sign = _setting(node, "chr", "∫")
    low, high = _part(node, "sub"), _part(node, "sup")
    low = f"_{_grouped(low)}" if low else ""
    high = f"^{_grouped(high)}" if high else ""
    return f"{sign}{low}{high} {_part(node, 'e')}"


def _matrix(node: Any) -> str:
    rows = [", ".join(linear(cell) for cell in row) for row in node if local(row) == "mr"]
    return f"[{'; '.join(rows)}]"


def _setting(node: Any, name: str, default: str) -> str:
    for one in node.iter():
        if local(one) == name:
            value = attribute(one, "val")
            return default if value is None else value
        if local(one) == "e":
            break
    return default


_SHAPES = {
    "f": _fraction,
    "sSup": _power,
    "sSub": _index,
    "sSubSup": _both,
    "rad": _root,
    "d": _delimited,
    "nary": _nary,
    "m": _matrix,
}
