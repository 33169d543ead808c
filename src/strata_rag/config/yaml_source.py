"""Reads YAML 1.2 core from a file or an override, keeping where every key and value stands.

PyYAML parses; what a plain scalar means is decided here, because PyYAML follows YAML 1.1 (``no`` would be
false, ``010`` eight, ``1:30`` ninety).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

from strata_rag.config.nodes import Document, Node, Place, Problem, Scalar, Source, describe

MAX_ALIASED_NODES = 10_000
MAX_DEPTH = 100
MAX_DIGITS = 400


_UNWRITABLE = re.compile("[\0\ud800-\udfff]")
_TAG = "tag:yaml.org,2002:"
_PLAIN = (
    ("null", re.compile(r"~|null|Null|NULL|")),
    ("bool", re.compile(r"true|True|TRUE|false|False|FALSE")),
    ("int", re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")),
    (
        "float",
        re.compile(
            r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)",
        ),
    ),
    ("str", re.compile(r".*", re.DOTALL)),
)


def parse_yaml(data: bytes | str, source: Source) -> Document:
    """Parse one YAML document; whatever is wrong with it is returned, never raised."""
    if isinstance(data, bytes):
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            return Document(None, (_not_utf8(data, error.start, source),))
    else:
        text = data
    try:
        loader = _Loader(text)
    except yaml.reader.ReaderError as error:
        return Document(None, (_unprintable(text, error, source),))
    try:
        root = loader.single_document()
    except yaml.MarkedYAMLError as error:
        return Document(None, (_syntax_problem(error, source),))
    except (ValueError, OverflowError):
        # PyYAML trusts the number behind an escape or a %YAML directive.
        place = _place(loader.get_mark(), source)
        return Document(None, (Problem(place, "expected YAML, found a number out of range", "remove it"),))
    except yaml.reader.ReaderError as error:
        return Document(None, (_unprintable(text, error, source),))
    converter = _Converter(source)
    return Document(converter.node(root), tuple(converter.problems))


def parse_file(data: bytes, source: Source) -> Document:
    """Parse a file whose top level has to be a mapping."""
    document = parse_yaml(data, source)
    root = document.root
    if root is None or isinstance(root.value, Mapping):
        return document
    found = "an empty file" if root.value is None else describe(root.value)
    problem = Problem(
        Place(source, 1, 1) if root.value is None else root.place,
        f"expected a map of keys at the top level, found {found}",
        "write `key: value` lines",
    )
    return Document(None, (*document.problems, problem))


def resolve_plain(text: str) -> Scalar:
    """Return what an unquoted scalar means in YAML 1.2 core."""
    return _construct(_plain_kind(text), text)


def _plain_kind(text: str) -> str:
    return next(kind for kind, pattern in _PLAIN if pattern.fullmatch(text))


def _construct(kind: str, text: str) -> Scalar:
    match kind:
        case "null":
            return None
        case "bool":
            return text.lower() == "true"
        case "int":
            if len(text) > MAX_DIGITS:
                return text
            base = {"0o": 8, "0x": 16}.get(text[:2], 10)
            return int(text, base)
        case "float":
            return float(re.sub(r"\.(?=inf|nan)", "", text.lower()))
        case _:
            return text


class _Loader(yaml.SafeLoader):
    """PyYAML's composer with our reading of plain scalars and a limit on nesting."""

    depth = 0

    def single_document(self) -> yaml.Node | None:
        if not self.check_node():
            return None
        root: yaml.Node | None = self.get_node()
        if self.check_node():
            raise yaml.MarkedYAMLError(problem="a second document", problem_mark=self.get_mark())
        return root

    def resolve(self, kind: type[yaml.Node], value: Any, implicit: Any) -> str:
        if kind is yaml.ScalarNode:
            return _TAG + (_plain_kind(value) if implicit[0] else "str")
        return _TAG + ("seq" if kind is yaml.SequenceNode else "map")

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            problem = f"more than {MAX_DEPTH} nested levels"
            raise yaml.MarkedYAMLError(problem=problem, problem_mark=self.get_mark())
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node


@dataclass(slots=True)
class _Converter:
    """Turns PyYAML's graph of nodes into a tree of ours, refusing what a config may not hold."""

    source: Source
    problems: list[Problem] = field(default_factory=list)
    seen: set[int] = field(default_factory=set)
    open: set[int] = field(default_factory=set)
    aliased: int = 0

    def node(self, raw: yaml.Node | None, key_place: Place | None = None) -> Node:
        if raw is None:
            start = Place(self.source)
            return Node(None, start, key_place or start, plain=True)
        place = self._place(raw.start_mark)
        value: Scalar | tuple[Node, ...] | Mapping[str, Node] = None
        if self._may_expand(raw, place):
            self.open.add(id(raw))
            value = self._value(raw, place)
            self.open.discard(id(raw))
        plain = isinstance(raw, yaml.ScalarNode) and raw.style is None
        return Node(value, place, key_place or place, plain)

    def _may_expand(self, raw: yaml.Node, place: Place) -> bool:
        if id(raw) in self.open:
            self._refuse(
                place, "expected a finite tree, found an alias inside its own anchor", "write it out"
            )
            return False
        # Whatever is met a second time was reached through an alias.
        self.aliased += id(raw) in self.seen
        self.seen.add(id(raw))
        if self.aliased == MAX_ALIASED_NODES + 1:
            limit = f"{MAX_ALIASED_NODES:,}"
            self.aliased += 1
            self._refuse(
                place, f"expected aliases for at most {limit} values, found more", "use fewer aliases"
            )
        return self.aliased <= MAX_ALIASED_NODES

    def _value(self, raw: yaml.Node, place: Place) -> Scalar | tuple[Node, ...] | Mapping[str, Node]:
        kind = raw.tag.removeprefix(_TAG)
        if isinstance(raw, yaml.MappingNode) and kind == "map":
            return self._mapping(raw)
        if isinstance(raw, yaml.SequenceNode) and kind == "seq":
            return tuple(self.node(item) for item in raw.value)
        if isinstance(raw, yaml.ScalarNode) and _UNWRITABLE.search(raw.value):
            self._refuse(place, "expected text, found a NUL or half a character in it", "remove its escape")
            return None
        if isinstance(raw, yaml.ScalarNode) and kind in dict(_PLAIN):
            if dict(_PLAIN)[kind].fullmatch(raw.value):
                return _construct(kind, raw.value)
            self._refuse(place, f"expected what the tag !!{kind} says, found {describe(raw.value)}")
            return None
        tag = raw.tag.replace(_TAG, "!!")
        self._refuse(place, f"expected a value without the tag {tag}", "remove the tag")
        return None

    def _mapping(self, raw: yaml.MappingNode) -> Mapping[str, Node]:
        entries: dict[str, Node] = {}
        for raw_key, raw_value in raw.value:
            place = self._place(raw_key.start_mark)
            if not isinstance(raw_key, yaml.ScalarNode):
                self._refuse(place, "expected text as a key, found a list or map")
                continue
            key = raw_key.value
            if key == "<<" and raw_key.style is None:
                hint = "write the keys out, or put them into a base file and use `extends`"
                self._refuse(place, "expected a key, found `<<`: merge keys are not supported", hint)
            elif key in entries:
                first = entries[key].key_place
                self._refuse(
                    place,
                    f"{key}: expected each key once, found it on line {first.line} and on line {place.line}",
                    "keep one of them",
                )
            else:
                entries[key] = self.node(raw_value, place)
        return entries

    def _refuse(self, place: Place, text: str, hint: str = "") -> None:
        self.problems.append(Problem(place, text, hint))

    def _place(self, mark: yaml.Mark) -> Place:
        return _place(mark, self.source)


def _place(mark: yaml.Mark | None, source: Source) -> Place:
    if mark is None or not source.has_lines:
        return Place(source)
    return Place(source, mark.line + 1, mark.column + 1)


def _place_of_offset(text: str, offset: int, source: Source) -> Place:
    if not source.has_lines:
        return Place(source)
    before = text[:offset]
    return Place(source, before.count("\n") + 1, offset - (before.rfind("\n") + 1) + 1)


def _not_utf8(data: bytes, offset: int, source: Source) -> Problem:
    before = data[:offset].decode("utf-8-sig", errors="replace")
    place = _place_of_offset(before, len(before), source)
    return Problem(
        place, f"expected UTF-8 text, found the byte 0x{data[offset]:02x}", "save the file as UTF-8"
    )


def _unprintable(text: str, error: yaml.reader.ReaderError, source: Source) -> Problem:
    place = _place_of_offset(text, error.position, source)
    return Problem(place, f"expected printable characters, found U+{int(error.character):04X}", "remove it")


def _syntax_problem(error: yaml.MarkedYAMLError, source: Source) -> Problem:
    found = error.problem or error.context or "a syntax error"
    context = f" {error.context}" if error.problem and error.context else ""
    hint = (
        "indent with spaces" if r"'\t'" in found else "quote texts that hold `: `, ` #` or start with a sign"
    )
    if found == "a second document":
        return Problem(
            _place(error.problem_mark, source), f"expected one document, found {found}", "split it"
        )
    place = _place(error.problem_mark or error.context_mark, source)
    if found.startswith("more than"):
        return Problem(place, f"expected at most {MAX_DEPTH} nested levels, found more", "nest less")
    return Problem(place, f"expected YAML, found a mistake{context}: {found}", hint)
