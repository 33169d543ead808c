"""Retrievers over a fixed ranking."""

from __future__ import annotations

from collections.abc import Sequence

from strata_rag.retrieval import Hit


def hit(doc_id: str, start: int = 0, *, text: str | None = None, **scores: float) -> Hit:
    shown = text if text is not None else f"text of {doc_id}"
    return Hit(
        chunk_id=f"{doc_id}#{start}-{start + 9}",
        doc_id=doc_id,
        start=start,
        end=start + 9,
        text=shown,
        embed_text=shown,
        scores=scores,
        ranks=dict.fromkeys(scores, 1),
    )


class FixedRetriever:
    """Returns the beginning of `hits`, and writes down how many it was asked for."""

    def __init__(self, hits: Sequence[Hit], stage: str = "dense") -> None:
        self._hits = [one.scored(stage, 1 / rank, rank) for rank, one in enumerate(hits, 1)]
        self.asked: list[int] = []

    def retrieve(self, query: str, k: int) -> list[Hit]:
        self.asked.append(k)
        return self._hits[:k]


def docs(hits: Sequence[Hit]) -> list[str]:
    return [one.doc_id for one in hits]
