"""The sources of a config, weakest first: base files, the file, the environment, ``--set``."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from strata_rag.config.files import UnreadableFile, read_bytes
from strata_rag.config.keys import all_keys, nearest_keys
from strata_rag.config.nodes import Node, Place, Problem, Source, describe
from strata_rag.config.section import read_boolean
from strata_rag.config.values import interpolate
from strata_rag.config.yaml_source import parse_file, parse_yaml

PREFIX = "STRATA_"
OLD_USE_RERANK = "RAGEVAL_USE_RERANK"
PLUGINS_DIR = "STRATA_PLUGINS_DIR"
OLD_PLUGINS_DIR = "RAGEVAL_PLUGINS_DIR"
_SCORER = "retrieval.rerank.scorer"
_PLUGINS = "corpus.plugins_dir"


@dataclass(slots=True)
class Layers:
    """Reads the sources one after the other and collects what is wrong with them.

    Attributes:
        environ: The variables that ``${VAR}`` and overrides are read from.
        problems: Everything wrong so far.
        notes: Remarks on older names.
        ranks: How many sources were read.
    """

    environ: Mapping[str, str]
    problems: list[Problem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    ranks: int = 0

    def source(self, name: str, folder: Path, *, has_lines: bool = True) -> Source:
        self.ranks += 1
        return Source(self.ranks, name, folder, has_lines)

    def refuse(self, place: Place, text: str, hint: str = "") -> None:
        self.problems.append(Problem(place, text, hint))

    def file(self, path: Path, name: str) -> Node | None:
        """Read the main file, called ``name`` in messages, on top of its bases; None if it cannot be read."""
        source = self.source(name, Path(os.path.abspath(path)).parent)
        try:
            data = read_bytes(path)
        except UnreadableFile as error:
            self.refuse(Place(source), error.problem, error.hint)
            return None
        return self._parsed(data, source, path, (path,))

    def _parsed(self, data: bytes, source: Source, path: Path, chain: tuple[Path, ...]) -> Node | None:
        document = parse_file(data, source)
        self.problems.extend(document.problems)
        root = document.root
        if root is None or not isinstance(root.value, Mapping):
            return None
        entries = dict(root.value)
        extends = entries.pop("extends", None)
        own = replace(root, value=entries)
        base = self._base(extends, path, chain) if extends is not None else None
        return own if base is None else merge(base, own)

    def _base(self, extends: Node, path: Path, chain: tuple[Path, ...]) -> Node | None:
        if extends.value is None:
            return None
        stated = extends.value
        if not isinstance(stated, str) or not stated:
            found = describe(stated)
            self.refuse(
                extends.place, f"extends: expected the path of one file, found {found}", "write one path"
            )
            return None
        text, problem = interpolate(stated, "extends", extends.place, self.environ)
        if problem is not None:
            self.problems.append(problem)
            return None
        base = Path(os.path.normpath(path.parent / text))
        files = (*chain, base)
        if os.path.realpath(base) in map(os.path.realpath, chain):
            way = " -> ".join(map(str, files))
            self.refuse(
                extends.place, f"extends: expected files without a cycle, found {way}", "drop one `extends`"
            )
            return None
        try:
            data = read_bytes(base)
        except UnreadableFile as error:
            self.refuse(extends.place, f"extends: {base}: {error.problem}", error.hint)
            return None
        source = self.source(str(base), Path(os.path.abspath(base)).parent)
        node = self._parsed(data, source, base, files)
        if node is None or not isinstance(node.value, Mapping):
            return None
        # A name is not inherited: two experiments would share one collection.
        return replace(node, value={key: value for key, value in node.value.items() if key != "name"})

    def environment(self, tree: Node) -> Node:
        """Lay the overriding variables over a tree."""
        tree = self._older_names(self._plugins_dir(tree))
        for variable in sorted(self.environ):
            if not variable.startswith(PREFIX) or "__" not in variable:
                continue
            source = self.source(f"environment {variable}", Path.cwd(), has_lines=False)
            path = variable.removeprefix(PREFIX).lower().replace("__", ".")
            if path not in all_keys():
                near = [
                    f"`{PREFIX}{key.replace('.', '__').upper()}`" for key in nearest_keys(path) if "." in key
                ]
                hint = f"did you mean {' or '.join(near)}?" if near else "unset it, or see docs/config.md"
                self.refuse(Place(source), f"unknown key `{path}`", hint)
                continue
            tree = self._override(tree, path, self.environ[variable], source)
        return tree

    def _plugins_dir(self, tree: Node) -> Node:
        """Lay the variables that name the plugins' folder over a tree, the newer name on top."""
        for variable in (OLD_PLUGINS_DIR, PLUGINS_DIR):
            if text := self.environ.get(variable, ""):
                place = Place(self.source(f"environment {variable}", Path.cwd(), has_lines=False))
                tree = merge(tree, _nested(_PLUGINS, Node(text, place, place)))
        if self.environ.get(OLD_PLUGINS_DIR):
            self.notes.append(f"{OLD_PLUGINS_DIR} is an older name: use {PLUGINS_DIR}")
        return tree

    def _older_names(self, tree: Node) -> Node:
        text = self.environ.get(OLD_USE_RERANK, "")
        if not text:
            return tree
        source = self.source(f"environment {OLD_USE_RERANK}", Path.cwd(), has_lines=False)
        use = read_boolean(text)
        newer = f"{PREFIX}{_SCORER.replace('.', '__').upper()}"
        if not isinstance(use, bool):
            self.refuse(Place(source), f"expected true or false, found {describe(text)}", f"use {newer}=none")
            return tree
        effect = f"use {newer}=none" if not use else "true changes nothing"
        self.notes.append(f"{OLD_USE_RERANK} is an older name: {effect}")
        return tree if use else self._override(tree, _SCORER, "none", source)

    def overrides(self, tree: Node, overrides: Sequence[str]) -> Node:
        """Lay ``key=value`` texts over a tree, the last one on top."""
        for override in overrides:
            source = self.source("--set", Path.cwd(), has_lines=False)
            path, equals, text = override.partition("=")
            path = path.strip()
            if not equals:
                self.refuse(Place(source), f"expected key=value, found {describe(override)}")
            elif path == "extends":
                self.refuse(Place(source), "extends: expected in a file, found it as an override")
            elif path not in all_keys():
                self.refuse(Place(source), f"unknown key `{path}`", did_you_mean(path))
            else:
                tree = self._override(tree, path, text, source)
        return tree

    def _override(self, tree: Node, path: str, text: str, source: Source) -> Node:
        document = parse_yaml(text, source)
        if document.root is None or document.problems:
            self.problems.extend(replace(found, text=f"{path}: {found.text}") for found in document.problems)
            return tree
        return merge(tree, _nested(path, document.root))


def merge(base: Node, over: Node) -> Node:
    """Lay one tree over another: maps merge, everything else replaces."""
    if not isinstance(base.value, Mapping) or not isinstance(over.value, Mapping):
        return over
    entries = dict(base.value)
    for key, node in over.value.items():
        entries[key] = merge(entries[key], node) if key in entries else node
    return replace(over, value=entries)


def _nested(path: str, node: Node) -> Node:
    """Return `node` under a dotted key."""
    place = Place(node.place.source)
    for name in reversed(path.split(".")):
        node = Node({name: node}, place, place)
    return node


def did_you_mean(path: str) -> str:
    """Return a hint that names the nearest known keys."""
    if path in all_keys():
        parent, _, last = path.rpartition(".")
        return f"write `{last}` as a key inside the map `{parent}`"
    near = nearest_keys(path)
    return (
        f"did you mean {' or '.join(f'`{key}`' for key in near)}?"
        if near
        else "see docs/config.md for all keys"
    )
