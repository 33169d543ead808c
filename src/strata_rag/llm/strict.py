"""JSON schemas as providers that enforce them want them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def closed_schema(schema: Any) -> Any:
    """Return a copy in which objects that don't say so allow no further keys."""
    if isinstance(schema, Mapping):
        closed = {key: closed_schema(value) for key, value in schema.items()}
        if closed.get("type") == "object":
            closed.setdefault("additionalProperties", False)
        return closed
    return [closed_schema(item) for item in schema] if isinstance(schema, list | tuple) else schema


def is_strict(schema: Any) -> bool:
    """Tell whether every object names all its keys as required and allows no others."""
    if isinstance(schema, Mapping):
        if schema.get("type") == "object" and (
            schema.get("additionalProperties") is not False
            or set(schema.get("required", ())) != set(schema.get("properties", {}))
        ):
            return False
        return all(is_strict(value) for value in schema.values())
    return all(is_strict(item) for item in schema) if isinstance(schema, list | tuple) else True
