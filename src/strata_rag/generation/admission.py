"""Which passages reach a model, and in what state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from strata_rag.generation.answer import (
    REFUSAL,
    Answer,
    AnswerStatus,
    Citation,
    ContextPassage,
    PassageFinding,
)
from strata_rag.generation.guards.finding import Finding, Severity, at_least
from strata_rag.generation.guards.hidden import without_hidden
from strata_rag.generation.guards.scan import scan


@dataclass(frozen=True, slots=True)
class GuardSettings:
    """Which guards run; each can be left out alone.

    Attributes:
        scan: Whether passages are scanned.
        strip: Whether hidden characters are taken out of what a model reads.
        quarantine: Findings from this severity on hold their passage back; ``never`` holds back none.
        spotlight: Whether passages stand between fences with a marker.
        order: Whether rules stand in the system's message and are repeated behind the passages.
        output: Whether a reply is checked.
    """

    scan: bool = True
    strip: bool = True
    quarantine: Severity | Literal["never"] = "medium"
    spotlight: bool = True
    order: bool = True
    output: bool = True


@dataclass(frozen=True, slots=True)
class Admission:
    """What became of a question's passages.

    Attributes:
        passages: What may be read, in order, with their numbers as given.
        quarantined: What is held back.
        findings: What the scan found in either.
        guards: Names of the guards that ran.
        warnings: What a reader should know.
        given: How many passages with text there were.
    """

    passages: tuple[ContextPassage, ...]
    quarantined: tuple[ContextPassage, ...]
    findings: tuple[PassageFinding, ...]
    guards: tuple[str, ...]
    warnings: tuple[str, ...]
    given: int

    def answer(
        self,
        question: str,
        text: str,
        status: AnswerStatus,
        *,
        citations: tuple[Citation, ...] = (),
        sentences: int = 0,
        uncited: int = 0,
        reason: str = "",
    ) -> Answer:
        """Return an answer that carries what is known of its passages."""
        return Answer(
            question=question,
            text=text,
            status=status,
            passages=self.passages,
            citations=citations,
            sentences=sentences,
            uncited=uncited,
            reason=reason,
            quarantined=self.quarantined,
            findings=self.findings,
            guards=self.guards,
            warnings=self.warnings,
        )

    def no_context(self, question: str) -> Answer:
        """Return the refusal where no passage is left, with the reason."""
        reason = (
            f"all {self.given} passages were held back by the guards"
            if self.given
            else "no passage with text was found"
        )
        return self.answer(question, REFUSAL, "no_context", reason=reason)


def admit(passages: Sequence[ContextPassage], settings: GuardSettings) -> Admission:
    """Scan, hold back and clean passages as `settings` say; blank ones are left out."""
    given = [passage for passage in passages if not is_blank(passage.text)]
    findings: list[PassageFinding] = []
    held: list[ContextPassage] = []
    read: list[ContextPassage] = []
    for passage in given:
        found = _scanned(passage) if settings.scan else []
        findings += (PassageFinding(passage.number, passage.doc_id, one) for one in found)
        threshold = settings.quarantine
        if threshold != "never" and any(at_least(one.severity, threshold) for one in found):
            held.append(passage)
        else:
            read.append(passage)
    warnings = [_held_back(passage, findings) for passage in held]
    if settings.strip:
        read, removed = _stripped(read)
        warnings += removed
    return Admission(
        tuple(read), tuple(held), tuple(findings), _that_ran(settings), tuple(warnings), len(given)
    )


def _scanned(passage: ContextPassage) -> list[Finding]:
    """Return what is found in the text, and at its beginning what is found in the words that name it."""
    named = [
        replace(one, start=0, end=0) for one in scan(f"{passage.title}\n{passage.section}\n{passage.doc_id}")
    ]
    return [*named, *scan(passage.text)]


def is_blank(text: str) -> bool:
    """Tell whether a text shows nothing."""
    return not any(letter.isprintable() and not letter.isspace() for letter in without_hidden(text).text)


def _stripped(passages: Sequence[ContextPassage]) -> tuple[list[ContextPassage], list[str]]:
    clean, warnings = [], []
    for passage in passages:
        cleaned = without_hidden(passage.text)
        clean.append(replace(passage, text=cleaned.text))
        if cleaned.removed:
            warnings.append(
                f"passage {passage.number} ({passage.doc_id}): {cleaned.removed} hidden characters were taken out "
                "before it was read"
            )
    return clean, warnings


def _held_back(passage: ContextPassage, findings: Sequence[PassageFinding]) -> str:
    worst = [found.finding for found in findings if found.number == passage.number]
    shown = max(worst, key=lambda finding: (finding.severity == "high", finding.severity == "medium"))
    return (
        f"passage {passage.number} ({passage.doc_id}) was held back: {shown.kind} at {passage.start + shown.start}, "
        f"which reads {shown.text!r}"
    )


def _that_ran(settings: GuardSettings) -> tuple[str, ...]:
    ran = ["scan"] if settings.scan else []
    ran += ["quarantine"] if settings.scan and settings.quarantine != "never" else []
    return tuple([*ran, "strip"] if settings.strip else ran)
