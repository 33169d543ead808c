"""What a scan finds in a text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Severity = Literal["low", "medium", "high"]
"""``high``: meant for a machine and kept from the reader. ``medium``: reads like an order to a model.
``low``: odd, or a phrase that also stands in honest texts."""

FindingKind = Literal[
    "tag-characters",
    "variation-selectors",
    "zero-width",
    "bidi-control",
    "mixed-script",
    "encoded",
    "hidden-markup",
    "disguised",
    "instruction",
    "remote-image",
]

SEVERITIES: tuple[Severity, ...] = ("low", "medium", "high")


@dataclass(frozen=True, slots=True)
class Finding:
    """A stretch of a text that a model might take for more than data.

    Attributes:
        kind: How it is written.
        severity: How sure it is that this is no honest text.
        start: First code point.
        end: One past the last.
        text: What it says, decoded where it was hidden; at most 300 characters.
        sort: What it asks for (``override``, ``role``, ``conceal`` ...), or an empty string.
    """

    kind: FindingKind
    severity: Severity
    start: int
    end: int
    text: str
    sort: str = ""


def at_least(severity: Severity, threshold: Severity) -> bool:
    """Tell whether `severity` reaches `threshold`."""
    return SEVERITIES.index(severity) >= SEVERITIES.index(threshold)
