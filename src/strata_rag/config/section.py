"""What every section of the schema shares."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict

_BOOLEANS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


@dataclass(frozen=True, slots=True)
class Expected:
    """How a message names what a key takes, where type and bounds do not say it."""

    text: str


@dataclass(frozen=True, slots=True)
class FolderOrName:
    """Marks a model or a policy: a path if it starts like one, otherwise a name."""


def read_boolean(value: object) -> object:
    """Return the boolean that a text stands for, or the value itself."""
    return _BOOLEANS.get(value.casefold(), value) if isinstance(value, str) else value


YesNo = Annotated[bool, BeforeValidator(read_boolean)]


class Section(BaseModel):
    """A map of known keys, frozen once read."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        strict=True,
        allow_inf_nan=False,
        protected_namespaces=(),
    )
