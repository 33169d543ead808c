"""Reciprocal rank fusion."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Fused:
    """One item of a fused ranking.

    Attributes:
        item: Its id.
        score: Sum of ``weight / (k + rank)`` over the lists it stands in.
        best_rank: Its best rank in any list, from 1.
    """

    item: str
    score: float
    best_rank: int


def reciprocal_rank_fusion(
    rankings: Sequence[Sequence[str]], *, k: int = 60, weights: Sequence[float] | None = None
) -> list[Fused]:
    """Fuse rankings by ``score(d) = sum over lists of w / (k + rank(d))``, rank from 1.

    An item that stands twice in a list counts once, at its best place, and the places behind it close up.
    Equal scores are ordered by best single rank, then by id. The order of the lists changes nothing.

    Source: Cormack, Clarke and Buettcher, Reciprocal Rank Fusion outperforms Condorcet and individual Rank
    Learning Methods, SIGIR 2009 (k = 60).

    Args:
        rankings: Ids, best first.
        k: Dampens the first ranks, >= 0.
        weights: One per ranking, > 0; all 1 where None.

    Returns:
        Every item once, best first.
    """
    shares: dict[str, list[float]] = {}
    best: dict[str, int] = {}
    for ranking, weight in zip(rankings, weights or [1.0] * len(rankings), strict=True):
        for rank, item in enumerate(dict.fromkeys(ranking), 1):
            shares.setdefault(item, []).append(weight / (k + rank))
            best[item] = min(rank, best.get(item, rank))
    fused = [Fused(item, math.fsum(parts), best[item]) for item, parts in shares.items()]
    return sorted(fused, key=lambda one: (-one.score, one.best_rank, one.item))
