"""Spans of personal data, the seam that detectors stand behind, and how overlapping spans become one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, cast

EMAIL = "EMAIL_ADDRESS"
PHONE = "PHONE_NUMBER"
IBAN = "IBAN_CODE"
CARD = "CREDIT_CARD"
IP = "IP_ADDRESS"
URL_CREDENTIALS = "URL_CREDENTIALS"
PERSON = "PERSON"
SECRET = "SECRET"

_STRONGEST_FIRST = (SECRET, URL_CREDENTIALS, CARD, IBAN, EMAIL, IP, PHONE)


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A finding: where it stands, what it is, how sure its detector is.

    Attributes:
        start: First code point in the original text.
        end: One past its last code point.
        entity: What it is, by Presidio's names, such as ``EMAIL_ADDRESS``.
        score: Between 0 and 1.
    """

    start: int
    end: int
    entity: str
    score: float = 1.0


class Detector(Protocol):
    """Finds spans of personal data; knows nothing about what becomes of them."""

    def detect(self, text: str) -> list[Span]:
        """Return findings sorted by start, in code points of `text`; they may overlap."""

    def describe(self) -> Mapping[str, Any]:
        """Return what decides its findings, as JSON values: name, version, settings."""


class BatchDetector(Protocol):
    """A detector that is faster on many texts at once."""

    def detect_many(self, texts: Sequence[str]) -> list[list[Span]]:
        """Return what `detect` would for each text, in order."""


def detect_all(detector: Detector, texts: Sequence[str]) -> list[list[Span]]:
    """Return each text's findings, in one batch where the detector has one."""
    if hasattr(
        detector, "detect_many"
    ):  # a check against the protocol costs more than searching a file's name
        return cast(BatchDetector, detector).detect_many(texts)
    return [detector.detect(text) for text in texts]


class FakeDetector:
    """Finds given values wherever they stand; for tests.

    Args:
        entities: Entity by value, such as ``{"Ada Finch": "PERSON"}``.
        score: Of every finding.
    """

    def __init__(self, entities: Mapping[str, str], *, score: float = 1.0) -> None:
        self._entities = dict(entities)
        self._score = score

    def detect(self, text: str) -> list[Span]:
        found = []
        for value, entity in self._entities.items():
            at = text.find(value)
            while at >= 0:
                found.append(Span(at, at + len(value), entity, self._score))
                at = text.find(value, at + 1)
        return sorted(found)

    def describe(self) -> Mapping[str, Any]:
        return {"name": "fake", "entities": self._entities}


def merge_spans(spans: Iterable[Span]) -> list[Span]:
    """Return disjoint spans that cover the same code points; spans that only touch stay apart.

    A merged span takes the entity of the longest span in it, among equally long ones that of the strongest kind.
    """
    merged: list[Span] = []
    group: list[Span] = []
    end = -1
    for span in sorted(spans):
        if group and span.start >= end:
            merged.append(_union(group))
            group = []
        end = max(end, span.end) if group else span.end
        group.append(span)
    return [*merged, _union(group)] if group else merged


def _union(group: Sequence[Span]) -> Span:
    strongest = min(group, key=lambda span: (span.start - span.end, _rank(span.entity), span.entity))
    return Span(
        min(span.start for span in group),
        max(span.end for span in group),
        strongest.entity,
        max(span.score for span in group),
    )


def _rank(entity: str) -> int:
    return _STRONGEST_FIRST.index(entity) if entity in _STRONGEST_FIRST else len(_STRONGEST_FIRST)
