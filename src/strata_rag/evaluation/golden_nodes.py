"""A golden file's text as YAML nodes that know their place, from YAML or from JSON lines.

Nodes, not constructed values: a scalar keeps the text its author wrote (``007`` stays ``007``, ``no`` stays
``no``) and no tag of a file can construct an object.
"""

from __future__ import annotations

import difflib
import json
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from strata_rag.errors import Fault, GoldenError

HINT = "mend every place named above; a golden set with faults is never evaluated in part"

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_MAX_DEPTH = 50
_CORE = "tag:yaml.org,2002:"
_PLAIN_TAGS = frozenset(
    _CORE + name
    for name in ("str", "int", "float", "bool", "null", "timestamp", "merge", "value", "seq", "map")
)
# PyYAML follows YAML 1.1, where these three break lines; in YAML 1.2 they are text like any other.
_HIDE_BREAKS = {0x85: 0x10FF85, 0x2028: 0x10FF28, 0x2029: 0x10FF29}
_SHOW_BREAKS = {hidden: shown for shown, hidden in _HIDE_BREAKS.items()}


@dataclass(slots=True)
class Source:
    """One file under reading: its text, where its lines end, and the faults so far, by offset."""

    name: str
    text: str
    faults: list[tuple[int, Fault]] = field(default_factory=list)
    _breaks: list[int] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._breaks = [at for at, char in enumerate(self.text) if char == "\n"]

    def where(self, index: int) -> str:
        """Name the place of a character offset as ``file:line:column``."""
        line = bisect_right(self._breaks, index - 1)
        start = self._breaks[line - 1] + 1 if line else 0
        return f"{self.name}:{line + 1}:{index - start + 1}"

    def fault(self, at: yaml.Node | int, problem: str, hint: str = "") -> None:
        index = at if isinstance(at, int) else at.start_mark.index
        self.faults.append((index, Fault(self.where(index), problem, hint)))

    def raise_faults(self) -> None:
        """Raise GoldenError with every fault found, in the order of the file, if there is one."""
        if self.faults:
            ordered = sorted(self.faults, key=lambda found: found[0])
            raise GoldenError([fault for _, fault in ordered], hint=HINT)


def read_source(path: Path) -> Source:
    """Read a UTF-8 file, with or without a byte order mark.

    Raises:
        GoldenError: It can't be read, or is not UTF-8.
    """
    try:
        raw = path.read_bytes()
    except OSError as error:
        problem = f"a readable file was expected, found: {error.strerror or error}"
        raise GoldenError([Fault(str(path), problem)], hint="check the path and its permissions") from error
    try:
        return Source(str(path), raw.decode("utf-8").removeprefix("\ufeff"))
    except UnicodeDecodeError as error:
        before = raw[: error.start]
        line, column = before.count(b"\n") + 1, error.start - (before.rfind(b"\n") + 1) + 1
        problem = f"UTF-8 text was expected, found byte 0x{raw[error.start]:02x}"
        fault = Fault(f"{path}:{line}:{column}", problem)
        raise GoldenError([fault], hint="save the file as UTF-8") from error


def compose_yaml(source: Source) -> yaml.Node | None:
    """Parse one YAML document into nodes; None if the file is empty.

    Raises:
        GoldenError: The text is not YAML, or is nested absurdly deep.
    """
    hidden = source.text.translate(_HIDE_BREAKS)
    try:
        depth = 0
        for event in yaml.parse(hidden, Loader=_LOADER):
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if depth > _MAX_DEPTH:
                index = event.start_mark.index if event.start_mark is not None else 0
                source.fault(index, f"at most {_MAX_DEPTH} levels of nesting were expected")
                source.raise_faults()
        node: yaml.Node | None = yaml.compose(hidden, Loader=_LOADER)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        found = ", ".join(filter(None, (error.context, error.problem)))
        source.fault(mark.index if mark is not None else 0, f"YAML was expected, found a fault: {found}")
    except yaml.YAMLError as error:
        position = getattr(error, "position", 0)
        source.fault(
            position if isinstance(position, int) else 0, f"YAML was expected: {error}".split("\n")[0]
        )
    source.raise_faults()
    return node


class _Pairs(list[tuple[str, Any]]):
    """A JSON object with its pairs in order, repeated keys included."""


class _Number(str):
    """A JSON number as it was written."""

    __slots__ = ()


_DECODER = json.JSONDecoder(
    object_pairs_hook=_Pairs, parse_int=_Number, parse_float=_Number, parse_constant=_Number
)


def compose_json_lines(source: Source) -> list[yaml.Node]:
    r"""Parse one JSON value per line into nodes; only ``\n`` ends a line, blank lines are skipped.

    A node's place is that of its key in the line. Lines that are not JSON become faults.
    """
    nodes = []
    start = 0
    for line in source.text.split("\n"):
        if line.strip():
            try:
                nodes.append(_node(_DECODER.decode(line.strip(" \t\r")), line, start, 0))
            except json.JSONDecodeError as error:
                offset = start + len(line) - len(line.lstrip(" \t\r")) + error.pos
                source.fault(offset, f"one JSON object was expected on this line, found: {error.msg}")
            except RecursionError:
                source.fault(start, f"at most {_MAX_DEPTH} levels of nesting were expected")
        start += len(line) + 1
    return nodes


def _node(value: Any, line: str, start: int, at: int) -> yaml.Node:
    mark = yaml.Mark("", start + at, 0, 0, None, 0)
    if isinstance(value, _Pairs):
        pairs = []
        for key, item in value:
            found = line.find(json.dumps(key, ensure_ascii=False), at)
            at = found if found >= 0 else at
            pairs.append((_node(key, line, start, at), _node(item, line, start, at)))
        return yaml.MappingNode(_CORE + "map", pairs, mark, mark)
    if isinstance(value, list):
        return yaml.SequenceNode(_CORE + "seq", [_node(item, line, start, at) for item in value], mark, mark)
    if value is None:
        return yaml.ScalarNode(_CORE + "null", "", mark, mark)
    if isinstance(value, bool):
        return yaml.ScalarNode(_CORE + "bool", str(value).lower(), mark, mark)
    return yaml.ScalarNode(_CORE + ("float" if isinstance(value, _Number) else "str"), str(value), mark, mark)


def scalar(source: Source, node: yaml.Node, what: str) -> str | None:
    """Read a scalar as its text, null as None; anything else is a fault and None."""
    if not isinstance(node, yaml.ScalarNode):
        source.fault(node, f"{what}: text was expected, found {describe(node)}")
        return None
    if node.tag not in _PLAIN_TAGS:
        source.fault(node, f"{what}: plain YAML was expected, found the tag {node.tag}")
        return None
    return None if is_null(node) else str(node.value).translate(_SHOW_BREAKS)


def fields(
    source: Source, node: yaml.Node, what: str, allowed: Iterable[str] | None = None
) -> dict[str, tuple[yaml.Node, yaml.Node]]:
    """Read a mapping as key -> (key node, value node); repeated and unknown keys are faults."""
    if not isinstance(node, yaml.MappingNode) or node.tag not in _PLAIN_TAGS:
        source.fault(node, f"{what}: a mapping was expected, found {describe(node)}")
        return {}
    found: dict[str, tuple[yaml.Node, yaml.Node]] = {}
    known = None if allowed is None else tuple(allowed)
    for key_node, value_node in node.value:
        key = scalar(source, key_node, f"{what}: key")
        if key is None:
            if is_null(key_node):
                source.fault(key_node, f"{what}: a key was expected, found nothing")
        elif key in found:
            source.fault(key_node, f"{what}: each key once was expected, found {key!r} again")
        elif known is not None and key not in known:
            expected = f"one of {', '.join(known)} was expected"
            source.fault(key_node, f"{what}: {expected}, found {key!r}", nearest(key, known))
        else:
            found[key] = (key_node, value_node)
    return found


def items(source: Source, node: yaml.Node, what: str) -> list[yaml.Node]:
    """Read a list's nodes; a scalar where a list is due is a fault."""
    if isinstance(node, yaml.SequenceNode) and node.tag in _PLAIN_TAGS:
        return list(node.value)
    hint = ""
    if isinstance(node, yaml.ScalarNode) and not is_null(node):
        hint = f"write it as a list: [{node.value}]"
    source.fault(node, f"{what}: a list was expected, found {describe(node)}", hint)
    return []


def texts(source: Source, node: yaml.Node, what: str) -> tuple[str, ...]:
    """Read a list of non-empty texts."""
    found = []
    for item in items(source, node, what):
        value = scalar(source, item, what)
        if value is not None and value.strip():
            found.append(value)
        elif isinstance(item, yaml.ScalarNode):
            source.fault(item, f"{what}: text was expected, found nothing")
    return tuple(found)


def is_null(node: yaml.Node) -> bool:
    """Tell whether a node is YAML's or JSON's null."""
    return isinstance(node, yaml.ScalarNode) and node.tag == _CORE + "null"


def describe(node: yaml.Node) -> str:
    """Say in a few words what a node is."""
    if isinstance(node, yaml.MappingNode):
        return "a mapping" if node.tag in _PLAIN_TAGS else f"the tag {node.tag}"
    if isinstance(node, yaml.SequenceNode):
        return "a list" if node.tag in _PLAIN_TAGS else f"the tag {node.tag}"
    if is_null(node):
        return "nothing"
    value = str(node.value).translate(_SHOW_BREAKS)
    return repr(value if len(value) <= 60 else value[:57] + "...")


def nearest(word: str, known: Iterable[str]) -> str:
    """Suggest the known word nearest to this one, as a hint; empty if none is near."""
    close = difflib.get_close_matches(word.lower(), list(known), n=1, cutoff=0.6)
    return f"did you mean {close[0]}?" if close else ""
