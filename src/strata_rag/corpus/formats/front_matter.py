"""Front matter: what a text file says about itself above its first line."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from typing import Any

from strata_rag.documents import Scalar

_OPENING = re.compile(r"(---|\+\+\+)[ \t]*\n")
_LONGEST = 65_536
_MOST_ENTRIES = 1000
_TRUE_FALSE = {"true": True, "false": False}
_INTEGER = re.compile(r"[-+]?(?:0|[1-9]\d{0,17})")
_FLOAT = re.compile(r"[-+]?(?:0|[1-9]\d*)\.\d+(?:[eE][-+]?\d+)?")


class NotFrontMatter(Exception):
    """The block at the top holds something else; the message says what."""


def split_front_matter(text: str) -> tuple[dict[str, Scalar], str, str]:
    """Return metadata, the text below it, and a warning where a block could not be read and stays in the text.

    YAML between ``---`` lines, TOML between ``+++`` lines, or a JSON object that a blank line follows.
    """
    block = _block(text)
    if block is None:
        return {}, text, ""
    kind, inside, end = block
    try:
        values = _READERS[kind](inside)
    except NotFrontMatter as error:
        return {}, text, f"front matter: expected {kind}, found {error}; it stays in the text"
    if values is None:
        return {}, text, ""
    metadata: dict[str, Scalar] = {}
    for key, value in _flat(values, "", 0):
        metadata[key] = value
        if len(metadata) == _MOST_ENTRIES:
            break
    return metadata, text[end:].lstrip("\n"), ""


def _block(text: str) -> tuple[str, str, int] | None:
    if text.startswith("{"):
        return _json_block(text)
    opening = _OPENING.match(text)
    if opening is None:
        return None
    fence = opening.group(1)
    closing = re.compile(
        rf"^{re.escape(fence)}[ \t]*$" if fence == "+++" else r"^(?:---|\.\.\.)[ \t]*$", re.MULTILINE
    )
    found = closing.search(text, opening.end(), _LONGEST)
    if found is None:
        return None
    return "TOML" if fence == "+++" else "YAML", text[opening.end() : found.start()], found.end()


def _json_block(text: str) -> tuple[str, str, int] | None:
    try:
        _, end = json.JSONDecoder().raw_decode(text[:_LONGEST])
    except (ValueError, RecursionError):
        return None
    return ("JSON", text[:end], end) if text.startswith("\n", end) and text[end:].strip() else None


def _read_yaml(block: str) -> Any:
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        # Aliases let a few lines stand for gigabytes.
        if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(block, Loader=loader)):
            raise NotFrontMatter("an alias")
        node = yaml.compose(block, Loader=loader)
        if node is None:
            return {}
        if not isinstance(node, yaml.MappingNode):
            # A rule, some text and another rule are no mistake.
            return None
        return _plain(node, 0)
    except yaml.YAMLError as error:
        raise NotFrontMatter(" ".join(str(getattr(error, "problem", None) or error).split())) from error
    except RecursionError:
        raise NotFrontMatter("values nested too deep") from None


def _plain(node: Any, depth: int) -> Any:
    import yaml

    if depth > 20:
        raise NotFrontMatter("values nested too deep")
    if isinstance(node, yaml.MappingNode):
        return {str(_plain(key, depth + 1)): _plain(value, depth + 1) for key, value in node.value}
    if isinstance(node, yaml.SequenceNode):
        return [_plain(entry, depth + 1) for entry in node.value]
    return node.value if node.style in ("'", '"', "|", ">") else _scalar(node.value)


def _scalar(text: str) -> Any:
    """Return what a plain YAML scalar means; dates stay texts."""
    if text in ("", "~", "null", "Null", "NULL"):
        return None
    if text.lower() in _TRUE_FALSE:
        return _TRUE_FALSE[text.lower()]
    if _INTEGER.fullmatch(text):
        return int(text)
    return float(text) if _FLOAT.fullmatch(text) else text


def _read_toml(block: str) -> Any:
    try:
        return tomllib.loads(block)
    except (ValueError, RecursionError) as error:
        raise NotFrontMatter(str(error) or "values nested too deep") from error


def _read_json(block: str) -> Any:
    value = json.loads(block)
    return value if isinstance(value, dict) else None


_READERS = {"YAML": _read_yaml, "TOML": _read_toml, "JSON": _read_json}


def _flat(value: Any, name: str, depth: int) -> Iterator[tuple[str, Scalar]]:
    """Yield scalars by dotted name, lists joined by commas."""
    if isinstance(value, dict):
        if depth < 10:
            for key, entry in value.items():
                yield from _flat(entry, f"{name}.{key}" if name else str(key), depth + 1)
    elif isinstance(value, list):
        plain = [str(entry) for entry in value if not isinstance(entry, dict | list) and entry is not None]
        if plain:
            yield name, ", ".join(plain)
    elif isinstance(value, bool | str):
        yield name, value
    elif isinstance(value, int | float):
        finite = value == value and abs(value) < 2**63
        yield name, value if finite else str(value)
    elif value is not None:
        yield name, str(value)
