"""Texts with what the policy redacts taken out."""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from strata_rag.privacy.normalise import plain_text
from strata_rag.privacy.policy import Decision, Policy
from strata_rag.privacy.span import PERSON, SECRET, Detector, Span, detect_all, merge_spans

_PSEUDONYM_DIGITS = 8
_SEPARATORS = re.compile(r"[\s().-]+")


@dataclass(frozen=True, slots=True)
class Redacted:
    """A text as it may be stored.

    Attributes:
        text: With placeholders.
        redactions: Placeholders that stand for personal data.
        secrets: Placeholders that stand for secrets.
        decisions: What became of every finding, in offsets of the text before.
        edits: Each span that a placeholder took the place of, ascending: start, end, length of the placeholder.
    """

    text: str
    redactions: int
    secrets: int
    decisions: tuple[Decision, ...]
    edits: tuple[tuple[int, int, int], ...] = ()

    def moved(self, offsets: Sequence[int]) -> list[int]:
        """Return where ascending offsets of the text before lie now; one inside a span lies where it begins."""
        found = []
        at = shift = 0
        for offset in offsets:
            while at < len(self.edits) and self.edits[at][1] <= offset:
                start, end, length = self.edits[at]
                shift += length - (end - start)
                at += 1
            inside = at < len(self.edits) and self.edits[at][0] < offset
            found.append((self.edits[at][0] if inside else offset) + shift)
        return found


class Redactor:
    """Finds and redacts.

    Args:
        detector: Finds personal data.
        policy: Decides.
        secrets: Finds secrets, or None to leave them.
        threshold: Findings with a lower score stay.
        key: For the policy's pseudonyms; without it they are plain placeholders.
    """

    def __init__(
        self,
        *,
        detector: Detector,
        policy: Policy,
        secrets: Detector | None = None,
        threshold: float = 0.0,
        key: bytes = b"",
    ) -> None:
        self._detector = detector
        self._policy = policy
        self._secrets = secrets
        self._threshold = threshold
        self._key = key

    def describe(self) -> dict[str, Any]:
        """Return what decides its output, as JSON values; of the key only whether it is the same."""
        return {
            "detector": dict(self._detector.describe()),
            "secrets": dict(self._secrets.describe()) if self._secrets else None,
            "policy": self._policy.digest,
            "threshold": self._threshold,
            "key": self._hmac("strata-rag key check") if self._key else None,
        }

    def redact(self, text: str, *, document: str = "") -> Redacted:
        """Return `text` redacted; `document` is the path that the policy's source rules look at."""
        return self.redact_many([text], documents=[document])[0]

    def redact_many(self, texts: Sequence[str], *, documents: Sequence[str]) -> list[Redacted]:
        """Return each text redacted, detected in one batch."""
        found = detect_all(self._detector, texts)
        hidden = detect_all(self._secrets, texts) if self._secrets else [[] for _ in texts]
        return [
            self._apply(text, [*spans, *more], document)
            for text, spans, more, document in zip(texts, found, hidden, documents, strict=True)
        ]

    def decide(self, text: str, spans: Sequence[Span], *, document: str) -> list[Decision]:
        """Return what becomes of each finding."""
        return self._policy.decide(spans, text, document=document, threshold=self._threshold)

    def _apply(self, text: str, spans: Sequence[Span], document: str) -> Redacted:
        decisions = self.decide(text, spans, document=document)
        gone = [decision.span for decision in decisions if decision.action == "redact"]
        secret_starts = [span.start for span in gone if span.entity == SECRET]
        parts: list[str] = []
        edits: list[tuple[int, int, int]] = []
        done = secrets = 0
        merged = merge_spans(gone)
        for span in merged:
            placeholder = self._placeholder(span.entity, text[span.start : span.end])
            parts += (text[done : span.start], placeholder)
            edits.append((span.start, span.end, len(placeholder)))
            done = span.end
            secrets += any(span.start <= start < span.end for start in secret_starts)
        parts.append(text[done:])
        return Redacted("".join(parts), len(merged) - secrets, secrets, tuple(decisions), tuple(edits))

    def _placeholder(self, entity: str, value: str) -> str:
        placeholder = self._policy.placeholder(entity)
        pseudonyms = self._policy.pseudonyms
        if not self._key or pseudonyms is None or entity not in pseudonyms.entities:
            return placeholder
        same = plain_text(value).text.casefold()
        same = " ".join(same.split()) if entity == PERSON else _SEPARATORS.sub("", same)
        mark = self._hmac(f"{entity}\0{same}")[:_PSEUDONYM_DIGITS]
        return f"{placeholder[:-1]}-{mark}]" if placeholder.endswith("]") else f"{placeholder}-{mark}"

    def _hmac(self, message: str) -> str:
        return hmac.new(self._key, message.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()[:16]
