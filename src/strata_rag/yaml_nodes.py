"""Reads small YAML files of a fixed shape, such as policies and rules: every fault is found, with its place."""

from __future__ import annotations

import difflib
from collections.abc import Collection

import yaml

from strata_rag.errors import Fault


class BadYaml(Exception):
    """A text that is no YAML document.

    Attributes:
        fault: What is wrong, and where.
    """

    def __init__(self, fault: Fault) -> None:
        super().__init__(str(fault))
        self.fault = fault


def compose(text: str, name: str) -> yaml.Node | None:
    """Return the tree of `text`, None where it is empty; `name` is the file's name in messages.

    Raises:
        BadYaml: It is no YAML.
    """
    try:
        return yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"{name}:{mark.line + 1}:{mark.column + 1}" if mark else name
        problem = getattr(error, "problem", None) or "characters that YAML does not allow"
        raise BadYaml(Fault(where, f"expected YAML, found a mistake: {problem}")) from error
    except (ValueError, OverflowError, RecursionError) as error:
        problem = "too many levels" if isinstance(error, RecursionError) else "a number out of range"
        raise BadYaml(Fault(name, f"expected YAML, found {problem}")) from error


class NodeReader:
    """Reads nodes and collects faults; a faulty value reads as an empty one.

    Args:
        name: The file's name in messages.

    Attributes:
        faults: What was wrong so far.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self.faults: list[Fault] = []

    def text(self, node: yaml.Node, key: str) -> str:
        """Return a scalar as it is written."""
        if not isinstance(node, yaml.ScalarNode) or is_null(node) or not node.value.strip():
            self.fault(node, f"{key}: expected text, found {describe(node)}")
            return ""
        return str(node.value)

    def items(self, node: yaml.Node, key: str) -> list[yaml.Node]:
        """Return the entries of a list."""
        if not isinstance(node, yaml.SequenceNode):
            hint = f"write it as a list: [{node.value}]" if isinstance(node, yaml.ScalarNode) else ""
            self.fault(node, f"{key}: expected a list, found {describe(node)}", hint)
            return []
        return list(node.value)

    def map(self, node: yaml.Node, what: str, known: Collection[str] | None) -> dict[str, yaml.Node]:
        """Return the entries of a map; keys beside `known` are faults, None knows every key."""
        if not isinstance(node, yaml.MappingNode):
            self.fault(node, f"{what}: expected a map of keys, found {describe(node)}")
            return {}
        entries: dict[str, yaml.Node] = {}
        for key_node, value in node.value:
            key = str(key_node.value) if isinstance(key_node, yaml.ScalarNode) else ""
            if key in entries:
                self.fault(key_node, f"{key}: expected each key once, found it again")
            elif not key or (known is not None and key not in known):
                near = difflib.get_close_matches(key, known or (), n=1)
                self.fault(key_node, f"unknown key `{key}`", f"did you mean `{near[0]}`?" if near else "")
            else:
                entries[key] = value
        return entries

    def version(self, root: yaml.Node, keys: dict[str, yaml.Node], expected: str) -> None:
        """Require the key ``version``."""
        if "version" not in keys:
            self.fault(root, f"version: expected {expected}, found nothing", f"add `version: {expected}`")
        elif (found := self.text(keys["version"], "version")) != expected:
            self.fault(keys["version"], f"version: expected {expected}, found {found!r}")

    def fault(self, node: yaml.Node, problem: str, hint: str = "") -> None:
        """Add a fault at the place where `node` begins."""
        mark = node.start_mark
        self.faults.append(Fault(f"{self._name}:{mark.line + 1}:{mark.column + 1}", problem, hint))


def is_null(node: yaml.Node) -> bool:
    """Tell whether a node says nothing."""
    return isinstance(node, yaml.ScalarNode) and node.tag == "tag:yaml.org,2002:null"


def describe(node: yaml.Node) -> str:
    """Say in a few words what a node is."""
    if isinstance(node, yaml.MappingNode):
        return "a map"
    if isinstance(node, yaml.SequenceNode):
        return "a list"
    return "nothing" if is_null(node) or not str(node.value).strip() else f"{str(node.value)[:40]!r}"
