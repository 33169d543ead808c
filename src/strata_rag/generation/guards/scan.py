"""The scan: what in a text a model might take for an order, and what in it nobody is meant to see."""

from __future__ import annotations

from dataclasses import replace

from strata_rag.generation.guards.encoded import Encoded, find_encoded
from strata_rag.generation.guards.finding import SEVERITIES, Finding, FindingKind, Severity
from strata_rag.generation.guards.hidden import find_hidden, without_hidden
from strata_rag.generation.guards.markup import Stretch, hidden_markup, remote_images
from strata_rag.generation.guards.normalise import Origin, normalise, plain
from strata_rag.generation.guards.phrases import Phrase, find_phrases
from strata_rag.generation.guards.scripts import mixed_words

_LONGEST = 300
_MOST = 200
_SERIOUS = ("medium", "high")


def scan(text: str) -> list[Finding]:
    """Return what stands out in `text`, by place; at most 200 findings, the gravest.

    Linear in the text; any text will do.
    """
    hidden = find_hidden(text)
    findings = [
        *(_read_again(finding) for finding in hidden),
        *mixed_words(text),
        *_instructions(text),
        *(found for stretch in hidden_markup(text) for found in _inside(stretch)),
        *(found for one in find_encoded(text) for found in _decoded(one)),
        *remote_images(text),
    ]
    unique = list(dict.fromkeys(findings))
    gravest = sorted(unique, key=lambda one: (-SEVERITIES.index(one.severity), one.start, one.end, one.kind))
    return sorted(gravest[:_MOST], key=lambda one: (one.start, one.end, one.kind, one.text))


def _instructions(text: str) -> list[Finding]:
    """Return what sounds like an order, after normalising; ``disguised`` where the spelling hid it."""
    normalised = normalise(text)
    phrases = list(find_phrases(normalised))
    if not phrases:
        return []
    origin = Origin(text)
    findings = []
    for phrase in phrases:
        start, end = origin.span(phrase.start, phrase.end)
        written = text[start:end]
        said = normalised[phrase.start : phrase.end]
        disguised = plain(written) != said if phrase.is_latin else without_hidden(written).removed > 0
        shown = said if phrase.is_latin else without_hidden(written).text
        findings.append(_instruction(phrase, start, end, shown, disguised=disguised))
    return findings


def _instruction(phrase: Phrase, start: int, end: int, said: str, *, disguised: bool) -> Finding:
    kind: FindingKind = "disguised" if disguised else "instruction"
    severity: Severity = "high" if disguised and phrase.severity in _SERIOUS else phrase.severity
    return Finding(kind, severity, start, end, " ".join(said.split())[:_LONGEST], phrase.sort)


def _read_again(finding: Finding) -> Finding:
    """Return a hidden run's finding, its severity raised where what it says is an order."""
    sort = _sort(finding.text)
    return replace(finding, severity="high", sort=sort) if sort else finding


def _inside(stretch: Stretch) -> list[Finding]:
    sort = _sort(stretch.text)
    shown = " ".join(stretch.text.split())[:_LONGEST]
    return [Finding("hidden-markup", "high", stretch.start, stretch.end, shown, sort)] if sort else []


def _decoded(one: Encoded) -> list[Finding]:
    sort = _sort(one.text)
    shown = " ".join(one.text.split())[:_LONGEST]
    return [Finding("encoded", "high", one.start, one.end, f"{one.encoding}: {shown}", sort)] if sort else []


def _sort(text: str) -> str:
    """Return what the gravest serious phrase of a decoded text asks for, or an empty string."""
    return next((phrase.sort for phrase in find_phrases(normalise(text)) if phrase.severity in _SERIOUS), "")
