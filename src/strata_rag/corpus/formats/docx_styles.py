"""What a Word document's styles and lists mean for its text: heading levels and list markers."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from strata_rag.corpus.formats.packed import attribute, local, whole

_HEADING = re.compile(r"heading ?([1-9])", re.IGNORECASE)
_BULLETS = {"bullet": "-", "none": ""}
_ROMAN = ((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"),
    (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Style:
    name: str
    based_on: str
    outline: int | None
    list_id: str
    list_level: int
    hidden: bool | None = None


class Styles:
    """The paragraph styles, by id.

    Args:
        styles: What is known of each.
    """

    def __init__(self, styles: dict[str, _Style]) -> None:
        self._styles = styles

    @classmethod
    def read(cls, root: Any) -> Styles:
        """Read the part ``styles.xml``; None where there is none."""
        found = {}
        for node in () if root is None else root:
            if local(node) != "style":
                continue
            values = {local(one): one for one in node}
            properties = values.get("pPr")
            list_id, list_level = _list_of(properties)
            found[attribute(node, "styleId") or ""] = _Style(
                name=_value(values.get("name")) or "",
                based_on=_value(values.get("basedOn")) or "",
                outline=_number(_descendant(properties, "outlineLvl")),
                list_id=list_id,
                list_level=list_level,
                hidden=_is_hidden(values.get("rPr")),
            )
        return cls(found)

    def level(self, properties: Any) -> int | None:
        """Return a paragraph's heading level: 0 for the title, 1 to 9 for headings, None for text."""
        own = _number(_descendant(properties, "outlineLvl"))
        if own is not None:
            return own + 1 if own < 9 else None
        for style_id, style in self._chain(properties):
            name = style.name if style else style_id
            if name.lower() == "title":
                return 0
            if found := _HEADING.fullmatch(name):
                return int(found.group(1))
            if style and style.outline is not None:
                return style.outline + 1 if style.outline < 9 else None
        return None

    def hides(self, run: Any) -> bool:
        """Tell whether a run is hidden text, by itself or by its style."""
        properties = _descendant(run, "rPr")
        if properties is None:
            return False
        own = _is_hidden(properties)
        if own is not None:
            return own
        style_id = _value(_descendant(properties, "rStyle")) or ""
        chain = (style.hidden for _, style in self._based_on(style_id) if style)
        return next((hidden for hidden in chain if hidden is not None), False)

    def list_of(self, properties: Any) -> tuple[str, int]:
        """Return the list that a paragraph's style puts it into: id and level; the id is empty for none."""
        for _, style in self._chain(properties):
            if style and style.list_id:
                return style.list_id, style.list_level
        return "", 0

    def _chain(self, properties: Any) -> list[tuple[str, _Style | None]]:
        return self._based_on(_value(_descendant(properties, "pStyle")) or "")

    def _based_on(self, style_id: str) -> list[tuple[str, _Style | None]]:
        chain: list[tuple[str, _Style | None]] = []
        while style_id and len(chain) < 20:
            style = self._styles.get(style_id)
            chain.append((style_id, style))
            style_id = style.based_on if style else ""
        return chain


@dataclass(slots=True)
class Numbering:
    """The lists, and how far each has been counted.

    Attributes:
        levels: By list id: of each level its kind, the text of its marker and its first number.
    """

    levels: dict[str, dict[int, tuple[str, str, int]]] = field(default_factory=dict)
    _counts: dict[tuple[str, int], int] = field(default_factory=dict)
    _shared: dict[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, root: Any) -> Numbering:
        """Read the part ``numbering.xml``; None where there is none."""
        abstract: dict[str, dict[int, tuple[str, str, int]]] = {}
        numbering = cls()
        for node in () if root is None else root:
            if local(node) == "abstractNum":
                abstract[attribute(node, "abstractNumId") or ""] = {
                    whole(attribute(one, "ilvl")): _level(one) for one in node if local(one) == "lvl"
                }
            elif local(node) == "num":
                list_id = attribute(node, "numId") or ""
                kind = _value(_descendant(node, "abstractNumId")) or ""
                overrides = _overrides(node, abstract.get(kind, {}))
                numbering.levels[list_id] = {**abstract.get(kind, {}), **overrides}
                numbering._shared[list_id] = list_id if overrides else f"abstract {kind}"
        return numbering

    def marker(self, properties: Any, styles: Styles) -> str:
        """Return what stands before a list item, counted on; empty where the paragraph is none."""
        list_id, level = _list_of(properties)
        if not list_id:
            list_id, level = styles.list_of(properties)
        if not list_id or list_id == "0":
            return ""
        levels = self.levels.get(list_id, {})
        kind, text, _ = levels.get(level, ("bullet", "", 1))
        if kind in _BULLETS:
            return f"{_BULLETS[kind]} ".lstrip()
        key = self._shared.get(list_id, list_id)
        self._count(key, level, levels)
        shown = re.sub(r"%([1-9])", lambda found: self._shown(key, int(found.group(1)) - 1, levels), text)
        return f"{shown} " if shown else ""

    def _count(self, key: str, level: int, levels: dict[int, tuple[str, str, int]]) -> None:
        start = levels.get(level, ("", "", 1))[2]
        self._counts[key, level] = self._counts.get((key, level), start - 1) + 1
        for one, deeper in list(self._counts):
            if one == key and deeper > level:
                del self._counts[one, deeper]

    def _shown(self, key: str, level: int, levels: dict[int, tuple[str, str, int]]) -> str:
        kind, _, start = levels.get(level, ("decimal", "", 1))
        number = self._counts.get((key, level), start)
        if kind in ("lowerLetter", "upperLetter"):
            letter = chr(ord("a") + (number - 1) % 26) * ((number - 1) // 26 % 5 + 1)
            return letter if kind == "lowerLetter" else letter.upper()
        if kind in ("lowerRoman", "upperRoman"):
            return _roman(number) if kind == "lowerRoman" else _roman(number).upper()
        return str(number)


def _roman(number: int) -> str:
    shown = ""
    number = number % 4000
    for value, letters in _ROMAN:
        shown += letters * (number // value)
        number %= value
    return shown


def _level(node: Any) -> tuple[str, str, int]:
    values = {local(one): _value(one) for one in node}
    start = values.get("start") or "1"
    return (
        values.get("numFmt") or "decimal",
        values.get("lvlText") or "",
        whole(start, 1),
    )


def _overrides(node: Any, levels: dict[int, tuple[str, str, int]]) -> dict[int, tuple[str, str, int]]:
    """Return the levels of a list that it counts or writes in its own way."""
    found = {}
    for override in node:
        if local(override) != "lvlOverride":
            continue
        at = whole(attribute(override, "ilvl"))
        own = _descendant(override, "lvl")
        kind, text, start = _level(own) if own is not None else levels.get(at, ("decimal", "%1.", 1))
        found[at] = (kind, text, whole(_value(_descendant(override, "startOverride")), start))
    return found


def _is_hidden(properties: Any) -> bool | None:
    """Tell what run properties say of being hidden; None where they say nothing."""
    switch = _descendant(properties, "vanish")
    return None if switch is None else _value(switch) in (None, "1", "true", "on")


def _list_of(properties: Any) -> tuple[str, int]:
    numbers = _descendant(properties, "numPr")
    return _value(_descendant(numbers, "numId")) or "", _number(_descendant(numbers, "ilvl")) or 0


def _descendant(node: Any, name: str) -> Any:
    return None if node is None else next((one for one in node if local(one) == name), None)


def _value(node: Any) -> str | None:
    return None if node is None else attribute(node, "val")


def _number(node: Any) -> int | None:
    value = _value(node)
    return None if (number := whole(value, -1)) < 0 else number
