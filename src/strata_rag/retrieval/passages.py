"""From hits to passages: overlapping hits of one document become one stretch of its text."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from strata_rag.retrieval.hits import Hit


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of one document that one or more hits show.

    Attributes:
        doc_id: The document.
        start: First code point.
        end: One past the last code point.
        text: The document's ``[start, end)``.
        hits: The hits it is made of, best first.
    """

    doc_id: str
    start: int
    end: int
    text: str
    hits: tuple[Hit, ...]


def merge_hits(hits: Sequence[Hit]) -> list[Passage]:
    """Return the passages that `hits` show, in the order of each one's best hit.

    Hits of one document whose shown texts overlap or touch become one passage; no character is repeated.

    Args:
        hits: Best first.
    """
    by_document: defaultdict[str, list[int]] = defaultdict(list)
    for rank, hit in enumerate(hits):
        by_document[hit.doc_id].append(rank)
    groups = [group for ranks in by_document.values() for group in _touching(hits, ranks)]
    return [_passage([hits[rank] for rank in group]) for group in sorted(sorted(group) for group in groups)]


def cap_per_document(hits: Sequence[Hit], most: int) -> list[Hit]:
    """Return `hits` in their order without those of a document that `most` better ones show already."""
    seen: Counter[str] = Counter()
    kept = []
    for hit in hits:
        seen[hit.doc_id] += 1
        if seen[hit.doc_id] <= most:
            kept.append(hit)
    return kept


def _shown_span(hit: Hit) -> tuple[int, int]:
    start = hit.payload.get("text_start", hit.start)
    return start, start + len(hit.text)


def _touching(hits: Sequence[Hit], ranks: Sequence[int]) -> list[list[int]]:
    """Return `ranks` in groups whose shown texts overlap or touch, one after the other."""
    groups: list[list[int]] = []
    reached = -1
    for rank in sorted(ranks, key=lambda rank: (_shown_span(hits[rank]), rank)):
        start, end = _shown_span(hits[rank])
        if groups and start <= reached:
            groups[-1].append(rank)
        else:
            groups.append([rank])
        reached = max(reached, end)
    return groups


def _passage(hits: Sequence[Hit]) -> Passage:
    """Join hits that overlap or touch; `hits` are best first."""
    ordered = sorted(hits, key=_shown_span)
    start, end = _shown_span(ordered[0])
    text = ordered[0].text
    for hit in ordered[1:]:
        begin, last = _shown_span(hit)
        if last > end:
            text += hit.text[end - begin :]
            end = last
    return Passage(hits[0].doc_id, start, end, text, tuple(hits))
