"""Reads a policy: YAML in which every fault is found and told with its place."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from importlib import resources
from pathlib import Path
from typing import TypeVar, cast

import yaml

from strata_rag.errors import Fault, PolicyError
from strata_rag.privacy.policy import Action, Policy, Pseudonyms, SourceRule
from strata_rag.yaml_nodes import BadYaml, NodeReader, compose, is_null

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
        root = compose(text, name)
    except BadYaml as error:
        raise PolicyError([error.fault], hint=_HINT) from error
    reader = _Reader(name)
    policy = reader.policy(root)
    if reader.faults:
        raise PolicyError(reader.faults, hint=_HINT)
    return policy


class _Reader(NodeReader):
    """Reads a policy; a faulty value reads as its default."""

    def policy(self, root: yaml.Node | None) -> Policy:
        if root is None:
            self.faults.append(Fault(f"{self._name}:1:1", "expected a map of keys, found an empty file"))
            return Policy()
        keys = self.map(root, "the policy", _KEYS)
        self.version(root, keys, POLICY_VERSION)
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

    def _read(
        self,
        keys: Mapping[str, yaml.Node],
        key: str,
        read: Callable[[yaml.Node], _Value],
        default: _Value,
    ) -> _Value:
        node = keys.get(key)
        return default if node is None or is_null(node) else read(node)

    def _sources(self, node: yaml.Node) -> tuple[SourceRule, ...]:
        rules = []
        for item in self.items(node, "sources"):
            keys = self.map(item, "sources", ("match", "keep", "redact"))
            if "match" not in keys:
                self.fault(item, "sources: expected `match`, a pattern of paths; found none")
                continue
            match = self.text(keys["match"], "sources.match")
            keep: tuple[str, ...] = self._read(keys, "keep", self._entities, ())
            redact: tuple[str, ...] = self._read(keys, "redact", self._entities, ())
            for entity in sorted({*keep} & {*redact}):
                self.fault(item, f"sources: expected {entity} under keep or redact, found it under both")
            rules.append(SourceRule(match, keep, redact))
        return tuple(rules)

    def _pseudonyms(self, node: yaml.Node) -> Pseudonyms | None:
        keys = self.map(node, "pseudonyms", ("key_env", "entities"))
        for key in ("key_env", "entities"):
            if key not in keys:
                self.fault(node, f"pseudonyms.{key}: expected it, found nothing")
                return None
        variable = self.text(keys["key_env"], "pseudonyms.key_env")
        if not _VARIABLE.fullmatch(variable):
            expected = "the name of an environment variable, never the key itself"
            self.fault(keys["key_env"], f"pseudonyms.key_env: expected {expected}")
        return Pseudonyms(variable, self._entities(keys["entities"]))

    def _by_entity(self, node: yaml.Node, read: Callable[[yaml.Node, str], _Value]) -> Mapping[str, _Value]:
        entries = self.map(node, "a map of kinds", None)
        for key, value in entries.items():
            self._entity(value, key)
        return {key: read(value, key) for key, value in entries.items()}

    def _entities(self, node: yaml.Node) -> tuple[str, ...]:
        found = [(item, self.text(item, "a kind")) for item in self.items(node, "kinds")]
        for item, entity in found:
            self._entity(item, entity)
        return tuple(entity for _, entity in found)

    def _entity(self, node: yaml.Node, entity: str) -> None:
        if entity and not _ENTITY.fullmatch(entity):
            self.fault(node, f"expected a kind such as EMAIL_ADDRESS, found {entity!r}")

    def _action(self, node: yaml.Node, key: str) -> Action:
        text = self.text(node, key)
        if text not in ("redact", "keep"):
            self.fault(node, f"{key}: expected redact or keep, found {text!r}")
            return "redact"
        return cast(Action, text)

    def _placeholder(self, node: yaml.Node, key: str) -> str:
        text = self.text(node, key)
        if text and not text.isprintable():
            self.fault(node, f"placeholders.{key}: expected one line of text, found {text!r}")
        return text

    def _small_texts(self, node: yaml.Node) -> tuple[str, ...]:
        return tuple(self.text(item, "an entry").casefold().strip() for item in self.items(node, "a list"))
