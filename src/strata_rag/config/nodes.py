"""The tree that YAML is read into: values, and where each of them stands."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from strata_rag.errors import Fault

Scalar: TypeAlias = "bool | int | float | str | None"


@dataclass(frozen=True, slots=True, order=True)
class Source:
    """What was read: a file, an environment variable or a ``--set``.

    Attributes:
        rank: Position among the sources; faults are reported in this order.
        name: How messages call it.
        folder: What relative paths in it are relative to.
        has_lines: Whether messages name line and column.
    """

    rank: int
    name: str
    folder: Path
    has_lines: bool = True


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A 1-based line and column of a source; line 0 means the source as a whole."""

    source: Source
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        return f"{self.source.name}:{self.line}:{self.column}" if self.line else self.source.name


@dataclass(frozen=True, slots=True)
class Problem:
    """A fault together with the place that sorts it."""

    place: Place
    text: str
    hint: str = ""

    @property
    def fault(self) -> Fault:
        return Fault(str(self.place), self.text, self.hint)


@dataclass(frozen=True, slots=True)
class Node:
    """A value and where it stands.

    Attributes:
        value: A scalar, a list of nodes or a mapping of nodes.
        place: Where the value starts.
        key_place: Where its key starts; the value's own place if it has none.
        plain: Whether it is a scalar written without quotes or block indicator.
    """

    value: Scalar | tuple[Node, ...] | Mapping[str, Node]
    place: Place
    key_place: Place
    plain: bool = False


@dataclass(frozen=True, slots=True)
class Document:
    """The tree of one source (None where nothing could be read) and what is wrong with its YAML."""

    root: Node | None
    problems: tuple[Problem, ...] = ()


def describe(value: object) -> str:
    """Say in a few words what a value is."""
    match value:
        case None:
            return "nothing"
        case bool():
            return "true" if value else "false"
        case float() if not math.isfinite(value):
            return "not a number" if math.isnan(value) else "an infinite number"
        case int() | float():
            return str(value)
        case Mapping():
            return "a map" if value else "an empty map"
        case list() | tuple():
            return "a list" if value else "an empty list"
        case _:
            text = str(value)
            return f'the text "{text[:60]}…"' if len(text) > 60 else f'the text "{text}"'
