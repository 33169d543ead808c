"""Writes a value as one line of YAML that reads back as the same value, also behind ``--set``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from strata_rag.config.yaml_source import resolve_plain

_UNQUOTED = re.compile(r"[A-Za-z0-9_/.][A-Za-z0-9_/.@+-]*")


def to_yaml(value: Any) -> str:
    """Return a scalar, path, sequence or section as flow YAML."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int() | float():
            return _number(value)
        case list() | tuple():
            return f"[{', '.join(map(to_yaml, value))}]"
        case Mapping():
            return "{" + ", ".join(f"{_text(name)}: {to_yaml(item)}" for name, item in value.items()) + "}"
        case BaseModel():
            fields = ((name, getattr(value, name)) for name in type(value).model_fields)
            return "{" + ", ".join(f"{name}: {to_yaml(item)}" for name, item in fields) + "}"
        case Path():
            return _text(str(value))
        case _:
            return _text(str(value))


def _number(value: float) -> str:
    return repr(value).replace("inf", ".inf").replace("nan", ".nan")


def _text(text: str) -> str:
    escaped = text.replace("${", "$${")
    if (
        _UNQUOTED.fullmatch(escaped)
        and isinstance(resolve_plain(escaped), str)
        and not escaped.startswith("..")
    ):
        return escaped
    return '"' + "".join(map(_quoted, escaped)) + '"'


def _quoted(char: str) -> str:
    if char in '"\\':
        return "\\" + char
    if char.isprintable() and char != "\ufeff":
        return char
    code = ord(char)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
