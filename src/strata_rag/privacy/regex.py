"""The default detector: patterns and check digits, no model, the same findings everywhere."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from strata_rag.privacy.email import find_emails
from strata_rag.privacy.network import find_ips, find_url_credentials
from strata_rag.privacy.normalise import plain_text
from strata_rag.privacy.numbers import find_cards, find_ibans
from strata_rag.privacy.phone import PhoneFinder
from strata_rag.privacy.span import CARD, EMAIL, IBAN, IP, PHONE, URL_CREDENTIALS, Span

REGEX_VERSION = 1
"""Grows when the same text gives other findings; stands in every collection's record."""

REGEX_ENTITIES = (EMAIL, PHONE, IBAN, CARD, IP, URL_CREDENTIALS)


class RegexDetector:
    """Finds what has a form of its own.

    Args:
        entities: What to look for, of `REGEX_ENTITIES`.
        phone_regions: Countries whose own numbers count without a label.
    """

    def __init__(
        self, *, entities: Collection[str] = REGEX_ENTITIES, phone_regions: Sequence[str] = ("US",)
    ) -> None:
        self._entities = tuple(entity for entity in REGEX_ENTITIES if entity in entities)
        self._regions = tuple(phone_regions)
        self._phones = PhoneFinder(phone_regions)

    def detect(self, text: str) -> list[Span]:
        """Return findings sorted by start; a number is found as one kind only."""
        plain = plain_text(text)
        return sorted(map(plain.original, self._find(plain.text)))

    def describe(self) -> Mapping[str, Any]:
        return {
            "name": "regex",
            "version": REGEX_VERSION,
            "entities": list(self._entities),
            "phone_regions": list(self._regions),
        }

    def _find(self, text: str) -> list[Span]:
        found: list[Span] = []
        if URL_CREDENTIALS in self._entities:
            found += find_url_credentials(text)
        if EMAIL in self._entities:
            hosts = {span.end for span in found}  # the `@` behind a password is no address's
            found += (
                span for span in find_emails(text) if not hosts.intersection(range(span.start, span.end))
            )
        if any(map(text.__contains__, "0123456789")):
            self._find_numbers(text, found)
        return found

    def _find_numbers(self, text: str, found: list[Span]) -> None:
        """Add numbers that are no part of what was found before."""
        for entity, find in (
            (CARD, find_cards),
            (IBAN, find_ibans),
            (IP, find_ips),
            (PHONE, self._phones.find),
        ):
            if entity in self._entities:
                found += [span for span in find(text) if not _overlaps(span, found)]


def _overlaps(span: Span, others: Sequence[Span]) -> bool:
    return any(other.start < span.end and span.start < other.end for other in others)
