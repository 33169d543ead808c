"""Prompts as files: read, told apart by digest, and filled in."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.resources import files

_SECTION = re.compile(r"^# (\w+)\n", re.MULTILINE)
_PLACE = re.compile(r"\{\{(\w+)\}\}")


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt's parts.

    Attributes:
        name: The file's name without its ending.
        digest: SHA-256 of the file, in hex.
        parts: Text of each ``# part``, by its name.
    """

    name: str
    digest: str
    parts: Mapping[str, str]

    @property
    def id(self) -> str:
        """``name@`` and the first twelve digits of the digest: what records name it by."""
        return f"{self.name}@{self.digest[:12]}"

    def fill(self, part: str, **values: str) -> str:
        """Return a part with its ``{{places}}`` filled in; places inside a value stay as they are.

        Raises:
            KeyError: There is no such part, or a place without a value.
            TypeError: A value has no place.
        """
        text = self.parts[part]
        if unknown := values.keys() - set(_PLACE.findall(text)):
            raise TypeError(f"{self.name}, part {part}: no place for {', '.join(sorted(unknown))}")
        return _PLACE.sub(lambda match: values[match.group(1)], text)


@cache
def read_prompt(name: str, package: str = "strata_rag.generation.prompts") -> Prompt:
    """Return the prompt in ``<name>.md`` of a package."""
    content = (files(package) / f"{name}.md").read_bytes()
    return parse_prompt(name, content.decode("utf-8"))


def parse_prompt(name: str, text: str) -> Prompt:
    """Return the prompt that `text` holds: parts, each under a ``# name`` line."""
    _, *rest = _SECTION.split(text)
    parts = {part: body.strip() for part, body in zip(rest[::2], rest[1::2], strict=True)}
    return Prompt(name, sha256(text.encode()).hexdigest(), parts)
