"""Turns the merged tree into plain values: variables put in, paths made absolute."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from strata_rag.config.keys import Key, all_keys
from strata_rag.config.nodes import Node, Place, Problem
from strata_rag.config.yaml_source import resolve_plain

_VARIABLE = re.compile(
    r"\$\$\{|\$\{(?P<name>[A-Za-z_][A-Za-z0-9_]*)(?::-(?P<default>[^}]*))?\}|\$\{(?P<odd>[^}]*\}?)"
)
_PATH_STARTS = ("./", "../", "/", "~")


@dataclass(slots=True)
class ValueReader:
    """Reads the values of a merged tree.

    Attributes:
        environ: Where ``${VAR}`` and ``~`` are looked up.
        keys: The schema that says how a text is read.
        problems: What could not be read.
    """

    environ: Mapping[str, str]
    keys: Mapping[str, Key] = field(default_factory=all_keys)
    problems: list[Problem] = field(default_factory=list)

    def read(self, node: Node, path: str = "") -> Any:
        """Return the plain value of a node; sections set to nothing become empty."""
        key = self.keys.get(path)
        if isinstance(node.value, Mapping):
            return {
                name: self.read(item, f"{path}.{name}" if path else name) for name, item in node.value.items()
            }
        if isinstance(node.value, tuple):
            return tuple(self._scalar(item, path, key) for item in node.value)
        return self._scalar(node, path, key)

    def _scalar(self, node: Node, path: str, key: Key | None) -> Any:
        value = node.value
        if key is None or isinstance(value, Mapping | tuple):
            return self.read(node, f"{path}[]") if isinstance(value, Mapping | tuple) else value
        if value is None:
            return {} if key.section and not key.nullable else None
        if not isinstance(value, str) or path.endswith("_env"):
            return value
        text, problem = interpolate(value, path, node.place, self.environ)
        if problem is not None:
            self.problems.append(problem)
        if key.kind == "other" and node.plain and text != value:
            return resolve_plain(text)
        if key.kind == "path" and text:
            return Path(self._absolute(text, node.place, path))
        if key.kind == "model" and text.startswith(_PATH_STARTS):
            return self._absolute(text, node.place, path)
        return text

    def _absolute(self, text: str, place: Place, path: str) -> str:
        expanded = text
        if text == "~" or text.startswith(("~/", f"~{os.sep}")):
            home = self.environ.get("HOME") or self.environ.get("USERPROFILE") or ""
            expanded = home + text[1:] if home else text
        elif text.startswith("~"):
            expanded = os.path.expanduser(text)
        if expanded.startswith("~"):
            found = f"expected a path, found {text} with no home folder known for it"
            self.problems.append(Problem(place, f"{path}: {found}", "write the path out"))
        return os.path.abspath(os.path.join(place.source.folder, expanded))


def interpolate(text: str, path: str, place: Place, environ: Mapping[str, str]) -> tuple[str, Problem | None]:
    """Replace ``${VAR}`` and ``${VAR:-default}``; ``$${`` stands for ``${`` itself.

    Returns:
        The text, and the first thing wrong with it (an unset variable keeps its place in the text).
    """
    problems: list[Problem] = []

    def replacement(match: re.Match[str]) -> str:
        whole, name, default = match.group(), match["name"], match["default"]
        if whole == "$${":
            return "${"
        if name is None:
            found = f"{path}: expected ${{NAME}} or ${{NAME:-default}}, found {whole}"
            problems.append(Problem(place, found, "write `$${` for the characters themselves"))
            return whole
        value = environ.get(name)
        if default is not None:
            return value or default
        if value is None:
            found = f"{path}: expected the variable {name} to be set, found it unset"
            problems.append(Problem(place, found, f"set it, or write ${{{name}:-default}}"))
            return whole
        return value

    replaced = _VARIABLE.sub(replacement, text)
    return replaced, problems[0] if problems else None
