"""What becomes of a finding: keep or redact. The policy knows kinds and values, never the detector."""

from __future__ import annotations

import hashlib
import ipaddress
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from fnmatch import fnmatchcase
from typing import Literal

from strata_rag.privacy.normalise import plain_text
from strata_rag.privacy.span import EMAIL, IP, Span

Action = Literal["redact", "keep"]


@dataclass(frozen=True, slots=True)
class SourceRule:
    """What differs for a part of the corpus.

    Attributes:
        match: Pattern of document paths; ``*`` stands for any characters, ``/`` among them.
        keep: Kinds that stay there.
        redact: Kinds that go there.
    """

    match: str
    keep: tuple[str, ...] = ()
    redact: tuple[str, ...] = ()

    def action(self, document: str, entity: str) -> Action | None:
        """Return what the rule says about `entity` in `document`, or None where it says nothing."""
        if not fnmatchcase(document, self.match):
            return None
        if entity in self.redact:
            return "redact"
        return "keep" if entity in self.keep else None


@dataclass(frozen=True, slots=True)
class Pseudonyms:
    """Placeholders that stay the same for the same value.

    Attributes:
        key_env: The environment variable that holds the key.
        entities: The kinds that get one.
    """

    key_env: str
    entities: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Decision:
    """What becomes of one finding.

    Attributes:
        span: The finding.
        action: ``redact`` or ``keep``.
        reason: The rule that decided.
    """

    span: Span
    action: Action
    reason: str


@dataclass(frozen=True, slots=True)
class Policy:
    """One policy file.

    Attributes:
        entities: Action by kind.
        other: Action for kinds not named.
        role_accounts: Local parts of addresses that stay, in small letters.
        private_addresses: Action for IP addresses that are not public.
        allow: Whole findings that stay, in small letters.
        sources: Rules for parts of the corpus, first match first.
        placeholders: By kind.
        pseudonyms: Or None.
    """

    entities: Mapping[str, Action] = field(default_factory=dict)
    other: Action = "redact"
    role_accounts: tuple[str, ...] = ()
    private_addresses: Action = "keep"
    allow: tuple[str, ...] = ()
    sources: tuple[SourceRule, ...] = ()
    placeholders: Mapping[str, str] = field(default_factory=dict)
    pseudonyms: Pseudonyms | None = None

    @property
    def digest(self) -> str:
        """Return 16 hexadecimal digits over everything the policy says; comments and order of keys are not in it."""
        canonical = json.dumps(asdict(self), sort_keys=True, ensure_ascii=True)
        return hashlib.sha256(canonical.encode()).hexdigest()[:16]

    def placeholder(self, entity: str) -> str:
        """Return what stands in the place of a finding of this kind."""
        return self.placeholders.get(entity, f"[{entity}]")

    def decide(
        self, spans: Iterable[Span], text: str, *, document: str = "", threshold: float = 0.0
    ) -> list[Decision]:
        """Decide each finding, in order.

        Args:
            spans: Findings in `text`; they may overlap.
            text: What they were found in.
            document: Path of the document, for the rules of its source.
            threshold: Findings with a lower score stay.
        """
        ordered = sorted(spans)
        contacts = [span for span in ordered if span.score >= threshold and self._contact(span, text)]
        return [self._decide(span, text, document, threshold, contacts) for span in ordered]

    def _decide(
        self, span: Span, text: str, document: str, threshold: float, contacts: Sequence[Span]
    ) -> Decision:
        if span.score < threshold:
            return Decision(span, "keep", "below the threshold")
        if reason := self._contact(span, text):
            return Decision(span, "keep", reason)
        if any(contact.start <= span.start and span.end <= contact.end for contact in contacts):
            return Decision(span, "keep", "part of a kept finding")
        for rule in self.sources:
            if action := rule.action(document, span.entity):
                return Decision(span, action, f"source rule {rule.match}")
        if span.entity in self.entities:
            return Decision(span, self.entities[span.entity], f"entities.{span.entity}")
        return Decision(span, self.other, "other")

    def _contact(self, span: Span, text: str) -> str:
        """Return why the value itself may stay, or an empty text."""
        value = plain_text(text[span.start : span.end]).text.casefold().strip()
        if value in self.allow:
            return "allow list"
        if span.entity == EMAIL and value.partition("@")[0].partition("+")[0] in self.role_accounts:
            return "role account"
        if span.entity == IP and self.private_addresses == "keep" and _is_private(value):
            return "private address"
        return ""


def _is_private(value: str) -> bool:
    try:
        address = ipaddress.ip_address(value)
    except ValueError:
        return False
    documentation = ("192.0.2.", "198.51.100.", "203.0.113.", "2001:db8:")
    return not address.is_global and not value.startswith(documentation)
