"""Puts what the schema refuses into the user's words, at the place it stands."""

from __future__ import annotations

import difflib
import math
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from strata_rag.config.chunking import BY_TYPE, CHUNK_RULE, POLICY_FAULT, TYPE_RULE
from strata_rag.config.keys import Key, all_keys
from strata_rag.config.layers import did_you_mean
from strata_rag.config.nodes import Node, Place, Problem, describe
from strata_rag.config.texts import GATE_EXAMPLE, MEASURES
from strata_rag.config.yaml_source import resolve_plain

_CHUNK_KEYS = ("chunking.size", "chunking.overlap")
_OTHER_NAMES = {"p": "Precision", "r": "Recall", "rr": "MRR", "ap": "MAP", "success": "Hit", "hits": "Hit"}


def schema_problems(
    error: ValidationError, tree: Node, values: Mapping[str, Any], top: Place
) -> list[Problem]:
    """Return one problem per refusal.

    Args:
        error: What pydantic refused.
        tree: The merged tree, for the places.
        values: The plain values that were refused.
        top: The place of the main file, for what stands nowhere.
    """
    details = error.errors(include_url=False, include_context=False)
    # A list with a refused entry is also called too short: the entry says it better.
    inside = {detail["loc"][:-1] for detail in details if isinstance(detail["loc"][-1], int)}
    return [
        _policy_problem(detail["msg"], detail["loc"], tree, top)
        if detail["type"] == POLICY_FAULT
        else _problem(detail["type"], detail["loc"], detail["input"], tree, values, top)
        for detail in details
        if detail["loc"] not in inside
    ]


def node_at(tree: Node, loc: Sequence[int | str]) -> Node | None:
    """Return the node that a path of keys and positions leads to."""
    node: Node | None = tree
    for part in loc:
        value = node.value if node is not None else None
        if isinstance(value, Mapping):
            node = value.get(str(part))
        elif isinstance(value, tuple) and isinstance(part, int):
            node = value[part]
        else:
            return None
    return node


def _problem(
    kind: str,
    loc: tuple[int | str, ...],
    found: object,
    tree: Node,
    values: Mapping[str, Any],
    top: Place,
) -> Problem:
    path = ".".join(part for part in loc if isinstance(part, str))
    node = node_at(tree, loc)
    if kind == "extra_forbidden":
        return Problem(node.key_place if node else top, f"unknown key `{path}`", did_you_mean(path))
    if path.startswith(f"{BY_TYPE}."):
        return _type_problem(loc, found, tree, top)
    key = all_keys()[path]
    if kind == "missing":
        section = node_at(tree, loc[:-1])
        place = section.key_place if section is not None and len(loc) > 1 else top
        return Problem(place, f"{path}: expected {key.expected}, found nothing", f"set {path}")
    if path in _CHUNK_KEYS and kind in {"value_error", "greater_than_equal"}:
        return _chunk_problem(path, node, tree, values, top)
    is_item = isinstance(loc[-1], int)
    expected = key.item if is_item else key.expected
    if isinstance(found, float) and not math.isfinite(found):
        expected = expected.replace("a number", "a finite number")
    text = f"{path}: expected {expected}, found {describe(found)}"
    return Problem(node.place if node else top, text, _hint(key, found, is_item))


def _chunk_problem(
    path: str, node: Node | None, tree: Node, values: Mapping[str, Any], top: Place
) -> Problem:
    stated = values["chunking"]
    size, overlap = (stated.get(name, all_keys()[f"chunking.{name}"].default) for name in ("size", "overlap"))
    hint = "lower chunking.overlap or raise chunking.size"
    if node is None:
        # The default overlap is at fault, so the size that does not fit it is the place to show.
        node = node_at(tree, ("chunking", "size"))
        hint = f"set chunking.overlap as well (its default is {overlap})"
    text = f"{path}: expected {CHUNK_RULE}, found size {describe(size)} and overlap {describe(overlap)}"
    return Problem(node.place if node else top, text, hint)


def _policy_problem(text: str, loc: tuple[int | str, ...], tree: Node, top: Place) -> Problem:
    node = node_at(tree, loc)
    return Problem(node.place if node else top, text, "set both size and overlap for this type")


def _type_problem(loc: tuple[int | str, ...], found: object, tree: Node, top: Place) -> Problem:
    """Return the fault of a key inside `chunking.by_type`: a type, or one of its keys."""
    if loc[-1] == "[key]":
        node = node_at(tree, loc[:-1])
        text = f"{BY_TYPE}: expected {TYPE_RULE}, found {describe(loc[-2])}"
        return Problem(node.key_place if node else top, text, "write it like `md`")
    node = node_at(tree, loc)
    inside = all_keys().get(f"chunking.{loc[-1]}") if len(loc) > 3 else None
    expected = inside.expected if inside else "a map of keys of chunking"
    text = f"{'.'.join(map(str, loc))}: expected {expected}, found {describe(found)}"
    return Problem(node.place if node else top, text, "see chunking in docs/config.md")


def _hint(key: Key, found: object, is_item: bool) -> str:
    if key.path == "name":
        return "set `name` to a text that can name a folder"
    if is_item and isinstance(found, str) and key.path == "gate.rules":
        return f"write {GATE_EXAMPLE}"
    if is_item and isinstance(found, str) and key.path == "evaluation.measures":
        return _measure_hint(found)
    if key.item and isinstance(found, str):
        return f"write a list: [{found}]"
    if key.choices and isinstance(found, str):
        near = difflib.get_close_matches(found.lower(), key.choices, n=1)
        return f"did you mean `{near[0]}`?" if near else f"see {key.path} in docs/config.md"
    if (
        key.kind == "other"
        and isinstance(found, str)
        and isinstance(resolve_plain(found), int | float | bool)
    ):
        return "write it without quotes"
    if key.kind != "other" and not key.choices and isinstance(found, int | float | bool):
        return "put it in quotes"
    return f"see {key.path} in docs/config.md"


def _measure_hint(found: str) -> str:
    name, _, cutoff = found.partition("@")
    lower = {measure.lower(): measure for measure in MEASURES}
    near = difflib.get_close_matches(name.lower(), lower, n=1)
    nearest = lower[near[0]] if near else _OTHER_NAMES.get(name.lower())
    if nearest is None:
        return f"known measures: {', '.join(MEASURES)}"
    digits = cutoff if cutoff.isascii() and cutoff.isdigit() and not cutoff.startswith("0") else "10"
    return f"did you mean {nearest}@{digits}?"
