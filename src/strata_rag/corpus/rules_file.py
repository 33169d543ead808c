"""Reads ``corpus-rules.yaml``; every fault is found and told with its place."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path

import yaml

from strata_rag.corpus.globs import glob_fault
from strata_rag.corpus.rules import ACTIONS, Action, Rule, Rules
from strata_rag.errors import Fault, RulesError
from strata_rag.yaml_nodes import BadYaml, NodeReader, compose, describe, is_null

RULES_VERSION = "1"
CONDITIONS = ("source", "path", "folder", "type", "larger_than", "smaller_than")
_HINT = "mend every place named above; docs/sources.md shows every key"
_SIZE = re.compile(r"(?P<number>\d{1,15}(?:\.\d{1,6})?)\s*(?P<unit>[KMGT]?i?B|)", re.ASCII)
_UNITS = {"": 1, "B": 1} | {
    f"{letter}{infix}B": base**power
    for infix, base in (("", 1000), ("i", 1024))
    for power, letter in enumerate("KMGT", 1)
}
_LONGEST = 300


def load_rules(path: Path) -> Rules:
    """Read a rules file.

    Raises:
        RulesError: It can't be read, or has faults; all of them are told.
    """
    return parse_rules(rules_text(path), str(path))


def rules_text(path: Path) -> str:
    """Return the text of a rules file.

    Raises:
        RulesError: It can't be read.
    """
    try:
        return path.read_bytes().decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        found = error.strerror if isinstance(error, OSError) else "bytes that are not UTF-8"
        fault = Fault(str(path), f"corpus.rules: expected a rules file, found: {found}")
        raise RulesError([fault], hint="name a rules file, or take corpus.rules out of the config") from error


def parse_rules(text: str, name: str) -> Rules:
    """Return the rules that `text` states; `name` is the file's name in messages.

    Raises:
        RulesError: It has faults.
    """
    try:
        root = compose(text, name)
    except BadYaml as error:
        raise RulesError([error.fault], hint=_HINT) from error
    reader = _Reader(name)
    rules = reader.rules(root)
    if reader.faults:
        raise RulesError(reader.faults, hint=_HINT)
    return rules


class _Reader(NodeReader):
    """Reads rules; a faulty value reads as an empty one."""

    def rules(self, root: yaml.Node | None) -> Rules:
        if root is None:
            self.faults.append(Fault(f"{self._name}:1:1", "expected a map of keys, found an empty file"))
            return Rules()
        keys = self.map(root, "the rules", ("version", "rules"))
        self.version(root, keys, RULES_VERSION)
        node = keys.get("rules")
        if node is None or is_null(node):
            return Rules()
        return Rules(
            tuple(self._rule(item, number) for number, item in enumerate(self.items(node, "rules"), 1))
        )

    def _rule(self, node: yaml.Node, number: int) -> Rule:
        keys = self.map(node, f"rule {number}", (*ACTIONS, "name", "why"))
        actions: list[Action] = [action for action in ACTIONS if action in keys]
        if isinstance(node, yaml.MappingNode) and len(actions) != 1:
            found = " and ".join(actions) or "none of them"
            self.fault(node, f"rule {number}: expected one of {', '.join(ACTIONS)}; found {found}")
        action: Action = actions[0] if actions else "exclude"
        conditions = self._conditions(keys[action], f"rule {number}: {action}") if actions else {}
        return Rule(
            number,
            action,
            name=self._line(keys, "name"),
            why=self._line(keys, "why"),
            source=self._patterns(conditions, "source", segment=True),
            path=self._patterns(conditions, "path"),
            folder=self._patterns(conditions, "folder", segment=True),
            type=self._types(conditions),
            larger_than=self._size(conditions, "larger_than"),
            smaller_than=self._size(conditions, "smaller_than"),
        )

    def _conditions(self, node: yaml.Node, what: str) -> dict[str, yaml.Node]:
        conditions = self.map(node, what, CONDITIONS)
        if isinstance(node, yaml.MappingNode) and not node.value:
            self.fault(node, f"{what}: expected at least one of {', '.join(CONDITIONS)}; found none")
        return conditions

    def _line(self, keys: Mapping[str, yaml.Node], key: str) -> str:
        node = keys.get(key)
        text = "" if node is None else self.text(node, key)
        if node is not None and text and (not text.isprintable() or len(text) > _LONGEST):
            self.fault(
                node, f"{key}: expected one line of at most {_LONGEST} characters, found {text[:40]!r}"
            )
        return text

    def _values(self, conditions: Mapping[str, yaml.Node], key: str) -> list[tuple[yaml.Node, str]]:
        node = conditions.get(key)
        if node is None:
            return []
        nodes = list(node.value) if isinstance(node, yaml.SequenceNode) else [node]
        if not nodes:
            self.fault(node, f"{key}: expected at least one value, found an empty list")
        return [(one, text) for one in nodes if (text := self.text(one, key))]

    def _patterns(
        self, conditions: Mapping[str, yaml.Node], key: str, *, segment: bool = False
    ) -> tuple[str, ...]:
        values = self._values(conditions, key)
        for node, pattern in values:
            if problem := glob_fault(pattern, segment=segment):
                self.fault(node, f"{key}: {problem}")
        return tuple(pattern for _, pattern in values)

    def _types(self, conditions: Mapping[str, yaml.Node]) -> tuple[str, ...]:
        values = self._values(conditions, "type")
        for node, ending in values:
            if not ending.lstrip(".") or any(sign in ending for sign in "/\\*?[]{} "):
                self.fault(node, f"type: expected an ending such as pdf, found {ending!r}")
        return tuple(ending.lstrip(".").lower() for _, ending in values)

    def _size(self, conditions: Mapping[str, yaml.Node], key: str) -> int | None:
        node = conditions.get(key)
        if node is None:
            return None
        text = node.value if isinstance(node, yaml.ScalarNode) else ""
        match = _SIZE.fullmatch(text.strip())
        if match is None:
            self.fault(node, f"{key}: expected a size such as 500 KB, 20 MB or 1 MiB; found {describe(node)}")
            return None
        return int(Decimal(match["number"]) * _UNITS[match["unit"]])
