"""Two detectors over the same texts under the same policy, told without a single value."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from strata_rag.privacy.labels import Score
from strata_rag.privacy.policy import Decision
from strata_rag.privacy.span import Span

FINDINGS_SHOWN = 200


@dataclass(frozen=True, slots=True)
class EntityFigures:
    """What one detector did about one kind.

    Attributes:
        found: Findings.
        kept: Those that the policy keeps.
        redacted: Those that it redacts.
        exact: Against labels, same bounds; None without labels.
        overlap: Against labels, any shared character; None without labels.
    """

    found: int
    kept: int
    redacted: int
    exact: Score | None = None
    overlap: Score | None = None


@dataclass(frozen=True, slots=True)
class Agreement:
    """How the findings of one kind meet those of the other detector.

    Attributes:
        equal: Same bounds and kind in both.
        partial: Pairs that overlap otherwise.
        only: Findings that overlap none of the other's, by detector.
    """

    equal: int
    partial: int
    only: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class MaskedFinding:
    """A finding without its value.

    Attributes:
        document: Where, as it is shown.
        offset: First code point.
        length: Code points.
        entity: Its kind.
        relation: ``equal``, ``partial`` or ``only``.
        decisions: By detector, such as ``redact (entities.PERSON)``.
    """

    document: str
    offset: int
    length: int
    entity: str
    relation: str
    decisions: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class PiiComparison:
    """Everything ``strata pii-compare`` tells.

    Attributes:
        policy: Digest of the policy that both went through.
        documents: Documents read.
        megabytes: Their size in UTF-8.
        detectors: Figures by detector and kind.
        agreement: By kind; empty where only one detector ran.
        equal_decisions: Findings that both detectors made alike, and how many of them were decided alike.
        findings: The first findings, masked.
        megabytes_per_second: By detector.
        secrets: Secrets found, which do not depend on the detector.
        missing: Detectors that did not run, with how to enable them.
        labelled: Texts with labels, 0 without.
    """

    policy: str
    documents: int
    megabytes: float
    detectors: Mapping[str, Mapping[str, EntityFigures]]
    agreement: Mapping[str, Agreement]
    equal_decisions: tuple[int, int]
    findings: tuple[MaskedFinding, ...]
    megabytes_per_second: Mapping[str, float]
    secrets: int
    missing: Mapping[str, str] = field(default_factory=dict)
    labelled: int = 0


Decisions = Sequence[Sequence[Decision]]


def count_entities(decisions: Decisions) -> dict[str, tuple[int, int]]:
    """Return kept and redacted findings by kind."""
    counts = Counter((one.span.entity, one.action) for document in decisions for one in document)
    kinds = sorted({entity for entity, _ in counts})
    return {kind: (counts[kind, "keep"], counts[kind, "redact"]) for kind in kinds}


def compare(
    documents: Sequence[str], by_detector: Mapping[str, Decisions]
) -> tuple[dict[str, Agreement], tuple[int, int], list[MaskedFinding]]:
    """Compare two detectors' decisions.

    Args:
        documents: Each document's id as it is shown.
        by_detector: Decisions by document, for each of two detectors.

    Returns:
        Agreement by kind; equal findings and those of them decided alike; every finding, masked.
    """
    (one, first), (two, second) = by_detector.items()
    findings = [
        finding
        for document, left, right in zip(documents, first, second, strict=True)
        for finding in _document(document, one, left, two, right)
    ]
    kinds = sorted({finding.entity for finding in findings})
    counts = Counter((finding.entity, finding.relation, *sorted(finding.decisions)) for finding in findings)
    agreement = {
        kind: Agreement(
            equal=counts[kind, "equal", *sorted((one, two))],
            partial=counts[kind, "partial", *sorted((one, two))],
            only={name: counts[kind, "only", name] for name in (one, two)},
        )
        for kind in kinds
    }
    equal = [finding for finding in findings if finding.relation == "equal"]
    alike = sum(len(set(finding.decisions.values())) == 1 for finding in equal)
    return agreement, (len(equal), alike), findings


def _document(
    document: str, one: str, left: Sequence[Decision], two: str, right: Sequence[Decision]
) -> Iterator[MaskedFinding]:
    theirs = {_key(decision.span): decision for decision in right}
    equal = {_key(decision.span) for decision in left} & theirs.keys()
    met: set[tuple[int, int, str]] = set()
    for decision in left:
        if _key(decision.span) in equal:
            yield _masked(document, decision, "equal", {one: decision, two: theirs[_key(decision.span)]})
            continue
        overlapping = [
            other for other in right if _key(other.span) not in equal and _overlap(decision.span, other.span)
        ]
        met |= {_key(other.span) for other in overlapping}
        for other in overlapping:
            yield _masked(document, decision, "partial", {one: decision, two: other})
        if not overlapping:
            yield _masked(document, decision, "only", {one: decision})
    for other in right:
        if _key(other.span) not in equal | met:
            yield _masked(document, other, "only", {two: other})


def _key(span: Span) -> tuple[int, int, str]:
    return span.start, span.end, span.entity


def _overlap(one: Span, other: Span) -> bool:
    return one.start < other.end and other.start < one.end


def _masked(
    document: str, decision: Decision, relation: str, decisions: Mapping[str, Decision]
) -> MaskedFinding:
    span = decision.span
    shown = {name: f"{one.action} ({one.reason})" for name, one in decisions.items()}
    return MaskedFinding(document, span.start, span.end - span.start, span.entity, relation, shown)
