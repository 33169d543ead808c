"""Reads a policy: YAML in which every fault is found and told with its place."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Collection, Mapping
from importlib import resources
from pathlib import Path
from typing import TypeVar, cast

import yaml

from strata_rag.errors import Fault, PolicyError
from strata_rag.privacy.policy import Action, Policy, Pseudonyms, SourceRule

POLICY_VERSION = "1"
_HINT = "mend every place named above; src/strata_rag/privacy/default_policy.yaml shows every key"
_KEYS = (
    "version",
    "entities",
    "other",
    "role_accounts",
    "private_addresses",
    "allow",
    "sources",
    "placeholders",
    "pseudonyms",
)
_ENTITY = re.compile(r"[A-Z][A-Z0-9_]*")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_Value = TypeVar("_Value")


def default_policy() -> Policy:
    """Return the policy that comes with the package."""
    text = resources.files("strata_rag.privacy").joinpath("default_policy.yaml").read_text(encoding="utf-8")
    return parse_policy(text, "default_policy.yaml")


def load_policy(path: Path) -> Policy:
    """Read a policy file.

    Raises:
        PolicyError: It can't be read, or has faults; all of them are told.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        found = error.strerror if isinstance(error, OSError) else "bytes that are not UTF-8"
        fault = Fault(str(path), f"privacy.policy: expected a policy file, found: {found}")
        raise PolicyError([fault], hint="name a policy file, or `default`") from error
    return parse_policy(text, str(path))


def parse_policy(text: str, name: str) -> Policy:
    """Return the policy that `text` describes; `name` is the file's name in messages.

    Raises:
        PolicyError: It has faults.
    """
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"{name}:{mark.line + 1}:{mark.column + 1}" if mark else name
        problem = getattr(error, "problem", None) or "characters that YAML does not allow"
        raise PolicyError([Fault(where, f"expected YAML, found a mistake: {problem}")], hint=_HINT) from error
    reader = _Reader(name)
    policy = reader.policy(root)
    if reader.faults:
        raise PolicyError(reader.faults, hint=_HINT)
    return policy


class _Reader:
    """Reads nodes and collects faults; a faulty value reads as its default."""

    def __init__(self, name: str) -> None:
        self._name = name
        self.faults: list[Fault] = []

    def policy(self, root: yaml.Node | None) -> Policy:
        if root is None:
            self.faults.append(Fault(f"{self._name}:1:1", "expected a map of keys, found an empty file"))
            return Policy()
        keys = self._map(root, "the policy", _KEYS)
        self._version(root, keys)
        return Policy(
            entities=self._read(keys, "entities", lambda node: self._by_entity(node, self._action), {}),
            other=self._read(keys, "other", lambda node: self._action(node, "other"), "redact"),
            role_accounts=self._read(keys, "role_accounts", self._small_texts, ()),
            private_addresses=self._read(
                keys, "private_addresses", lambda node: self._action(node, "private_addresses"), "keep"
            ),
            allow=self._read(keys, "allow", self._small_texts, ()),
            sources=self._read(keys, "sources", self._sources, ()),
            placeholders=self._read(
                keys, "placeholders", lambda node: self._by_entity(node, self._placeholder), {}
            ),
            pseudonyms=self._read(keys, "pseudonyms", self._pseudonyms, None),
        )

    def _version(self, root: yaml.Node, keys: Mapping[str, yaml.Node]) -> None:
        if "version" not in keys:
            self._fault(root, f"version: expected {POLICY_VERSION}, found nothing", "add `version: 1`")
        elif (found := self._text(keys["version"], "version")) != POLICY_VERSION:
            self._fault(keys["version"], f"version: expected {POLICY_VERSION}, found {found!r}")

    def _read(
        self,
        keys: Mapping[str, yaml.Node],
        key: str,
        read: Callable[[yaml.Node], _Value],
        default: _Value,
    ) -> _Value:
        node = keys.get(key)
        return default if node is None or _is_null(node) else read(node)

    def _sources(self, node: yaml.Node) -> tuple[SourceRule, ...]:
        rules = []
        for item in self._list(node, "sources"):
            keys = self._map(item, "sources", ("match", "keep", "redact"))
            if "match" not in keys:
                self._fault(item, "sources: expected `match`, a pattern of paths; found none")
                continue
            match = self._text(keys["match"], "sources.match")
            keep: tuple[str, ...] = self._read(keys, "keep", self._entities, ())
            redact: tuple[str, ...] = self._read(keys, "redact", self._entities, ())
            for entity in sorted({*keep} & {*redact}):
                self._fault(item, f"sources: expected {entity} under keep or redact, found it under both")
            rules.append(SourceRule(match, keep, redact))
        return tuple(rules)

    def _pseudonyms(self, node: yaml.Node) -> Pseudonyms | None:
        keys = self._map(node, "pseudonyms", ("key_env", "entities"))
        for key in ("key_env", "entities"):
            if key not in keys:
                self._fault(node, f"pseudonyms.{key}: expected it, found nothing")
                return None
        variable = self._text(keys["key_env"], "pseudonyms.key_env")
        if not _VARIABLE.fullmatch(variable):
            expected = "the name of an environment variable, never the key itself"
            self._fault(keys["key_env"], f"pseudonyms.key_env: expected {expected}")
        return Pseudonyms(variable, self._entities(keys["entities"]))

    def _by_entity(self, node: yaml.Node, read: Callable[[yaml.Node, str], _Value]) -> Mapping[str, _Value]:
        entries = self._map(node, "a map of kinds", None)
        for key, value in entries.items():
            self._entity(value, key)
        return {key: read(value, key) for key, value in entries.items()}

    def _entities(self, node: yaml.Node) -> tuple[str, ...]:
        found = [(item, self._text(item, "a kind")) for item in self._list(node, "kinds")]
        for item, entity in found:
            self._entity(item, entity)
        return tuple(entity for _, entity in found)

    def _entity(self, node: yaml.Node, entity: str) -> None:
        if entity and not _ENTITY.fullmatch(entity):
            self._fault(node, f"expected a kind such as EMAIL_ADDRESS, found {entity!r}")

    def _action(self, node: yaml.Node, key: str) -> Action:
        text = self._text(node, key)
        if text not in ("redact", "keep"):
            self._fault(node, f"{key}: expected redact or keep, found {text!r}")
            return "redact"
        return cast(Action, text)

    def _placeholder(self, node: yaml.Node, key: str) -> str:
        text = self._text(node, key)
        if text and not text.isprintable():
            self._fault(node, f"placeholders.{key}: expected one line of text, found {text!r}")
        return text

    def _small_texts(self, node: yaml.Node) -> tuple[str, ...]:
        return tuple(self._text(item, "an entry").casefold().strip() for item in self._list(node, "a list"))

    def _text(self, node: yaml.Node, key: str) -> str:
        if not isinstance(node, yaml.ScalarNode) or _is_null(node) or not node.value.strip():
            self._fault(node, f"{key}: expected text, found {_describe(node)}")
            return ""
        return str(node.value)

    def _list(self, node: yaml.Node, key: str) -> list[yaml.Node]:
        if not isinstance(node, yaml.SequenceNode):
            hint = f"write it as a list: [{node.value}]" if isinstance(node, yaml.ScalarNode) else ""
            self._fault(node, f"{key}: expected a list, found {_describe(node)}", hint)
            return []
        return list(node.value)

    def _map(self, node: yaml.Node, what: str, known: Collection[str] | None) -> dict[str, yaml.Node]:
        if not isinstance(node, yaml.MappingNode):
            self._fault(node, f"{what}: expected a map of keys, found {_describe(node)}")
            return {}
        entries: dict[str, yaml.Node] = {}
        for key_node, value in node.value:
            key = str(key_node.value) if isinstance(key_node, yaml.ScalarNode) else ""
            if key in entries:
                self._fault(key_node, f"{key}: expected each key once, found it again")
            elif not key or (known is not None and key not in known):
                near = difflib.get_close_matches(key, known or (), n=1)
                self._fault(key_node, f"unknown key `{key}`", f"did you mean `{near[0]}`?" if near else "")
            else:
                entries[key] = value
        return entries

    def _fault(self, node: yaml.Node, problem: str, hint: str = "") -> None:
        mark = node.start_mark
        self.faults.append(Fault(f"{self._name}:{mark.line + 1}:{mark.column + 1}", problem, hint))


def _is_null(node: yaml.Node) -> bool:
    return isinstance(node, yaml.ScalarNode) and node.tag == "tag:yaml.org,2002:null"


def _describe(node: yaml.Node) -> str:
    if isinstance(node, yaml.MappingNode):
        return "a map"
    if isinstance(node, yaml.SequenceNode):
        return "a list"
    return "nothing" if _is_null(node) or not str(node.value).strip() else f"{str(node.value)[:40]!r}"
