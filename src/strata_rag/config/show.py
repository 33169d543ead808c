"""Lists the effective value of every key with its origin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from strata_rag.config.loader import LoadedConfig
from strata_rag.config.yaml_text import to_yaml


@dataclass(frozen=True, slots=True)
class ShownKey:
    """One key: ``--set key=value`` states it again.

    Attributes:
        key: Dotted name.
        value: Its value as one line of YAML.
        origin: Where the value comes from.
    """

    key: str
    value: str
    origin: str


def show_rows(loaded: LoadedConfig) -> tuple[ShownKey, ...]:
    """Return every key that has a value of its own, in schema order."""
    return tuple(
        ShownKey(key, to_yaml(_value(loaded, key)), origin) for key, origin in loaded.origins.items()
    )


def show_lines(rows: Sequence[ShownKey]) -> list[str]:
    """Return aligned lines: key, value and, as a comment, the origin."""
    key_width = max((len(row.key) for row in rows), default=0) + 1
    value_width = min(max((len(row.value) for row in rows), default=0), 40)
    return [f"{row.key + ':':<{key_width}} {row.value:<{value_width}}  # {row.origin}" for row in rows]


def show_json(loaded: LoadedConfig) -> dict[str, Any]:
    """Return what ``--json`` prints: the config as a tree, and the origin of each dotted key."""
    return {
        "path": str(loaded.path),
        "config": loaded.config.model_dump(mode="json"),
        "origins": dict(loaded.origins),
        "notes": list(loaded.notes),
    }


def _value(loaded: LoadedConfig, key: str) -> Any:
    value: Any = loaded.config
    for name in key.split("."):
        value = getattr(value, name)
    return value
