"""What a retriever returns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Protocol

from strata_rag.chunking import with_title
from strata_rag.index import ScoredPoint

STAGES = ("dense", "lexical", "fused", "rerank")
"""Every stage that may score a hit, in the order they run."""


@dataclass(frozen=True, slots=True)
class Hit:
    """One chunk in a ranking.

    Attributes:
        chunk_id: ``doc_id#start-end``.
        doc_id: Its document.
        start: First code point of the matched unit.
        end: One past its last code point.
        text: What is shown.
        embed_text: What was matched.
        payload: Further stored fields.
        scores: By stage; a stage that did not run, or did not return this chunk, is absent.
        ranks: By stage, from 1.
    """

    chunk_id: str
    doc_id: str
    start: int
    end: int
    text: str
    embed_text: str
    payload: Mapping[str, Any] = field(default_factory=dict)
    scores: Mapping[str, float] = field(default_factory=dict)
    ranks: Mapping[str, int] = field(default_factory=dict)

    @property
    def score(self) -> float:
        """The score of the last stage that scored it."""
        return next((self.scores[stage] for stage in reversed(STAGES) if stage in self.scores), 0.0)

    def read(self, which: Literal["text", "embed_text"]) -> str:
        """Return what was matched, or what is shown under the document's title."""
        return self.embed_text if which == "embed_text" else titled(self.payload, self.text)

    def scored(self, stage: str, score: float, rank: int) -> Hit:
        """Return the hit with a stage's score and rank added."""
        return replace(self, scores={**self.scores, stage: score}, ranks={**self.ranks, stage: rank})


def titled(payload: Mapping[str, Any], text: str) -> str:
    """Return `text` under the title that stands in a point's payload, if one does."""
    return with_title(payload.get("title", ""), text)


class Retriever(Protocol):
    """First stage, or a stage around one."""

    def retrieve(self, query: str, k: int) -> list[Hit]:
        """Return up to `k` hits, best first; fewer where there are no more."""


def stage_hits(points: list[ScoredPoint], stage: str) -> list[Hit]:
    """Return an index's answer as hits of `stage`."""
    return [
        Hit(
            chunk_id=f"{point.payload['doc_id']}#{point.payload['start']}-{point.payload['end']}",
            doc_id=point.payload["doc_id"],
            start=point.payload["start"],
            end=point.payload["end"],
            text=point.payload["text"],
            embed_text=point.payload.get("embed_text", point.payload["text"]),
            payload=point.payload,
            scores={stage: point.score},
            ranks={stage: rank},
        )
        for rank, point in enumerate(points, 1)
    ]
