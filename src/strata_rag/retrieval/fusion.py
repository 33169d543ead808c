"""Fusion: by reciprocal ranks, or by weighted sums of normalised scores."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Fused:
    """One item of a fused ranking.

    Attributes:
        item: Its id.
        score: What the method adds up over the lists it stands in.
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


Normalise = Literal["minmax", "zscore"]


def weighted_fusion(
    rankings: Sequence[Sequence[tuple[str, float]]],
    *,
    normalise: Normalise,
    weights: Sequence[float] | None = None,
) -> list[Fused]:
    """Fuse rankings by ``score(d) = sum over lists of w * normalised score(d)``.

    ``minmax`` maps each list to [0, 1], ``zscore`` to mean 0 and deviation 1; a list whose scores are all equal
    becomes all 1, or all 0. An item that a list lacks gets that list's lowest normalised score. One that stands
    twice counts once, at its best score. Equal sums are ordered by best single rank, then by id.

    The scale of a list is that of its candidates: how deep it is, and one outlier, change what a weight means.
    Weights that won on a few questions seldom carry over.

    Args:
        rankings: Ids and scores, best first.
        normalise: How scores become comparable.
        weights: One per ranking, > 0; all 1 where None.

    Returns:
        Every item once, best first.
    """
    lists = [_best_scores(ranking) for ranking in rankings]
    shares: dict[str, list[float]] = {item: [] for scores in lists for item in scores}
    best: dict[str, int] = {}
    for scores, weight in zip(lists, weights or [1.0] * len(lists), strict=True):
        normalised = _normalised(scores, normalise)
        lowest = min(normalised.values(), default=0.0)
        for item, parts in shares.items():
            parts.append(weight * normalised.get(item, lowest))
        for rank, item in enumerate(scores, 1):
            best[item] = min(rank, best.get(item, rank))
    fused = [Fused(item, math.fsum(parts), best[item]) for item, parts in shares.items()]
    return sorted(fused, key=lambda one: (-one.score, one.best_rank, one.item))


def _best_scores(ranking: Sequence[tuple[str, float]]) -> dict[str, float]:
    scores: dict[str, float] = {}
    for item, score in ranking:
        scores.setdefault(item, score)
    return scores


def _normalised(scores: Mapping[str, float], method: Normalise) -> dict[str, float]:
    values = list(scores.values())
    if not values:
        return {}
    if method == "minmax":
        low, width = min(values), max(values) - min(values)
        return {item: (score - low) / width if width else 1.0 for item, score in scores.items()}
    mean = math.fsum(values) / len(values)
    deviation = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / len(values))
    return {item: (score - mean) / deviation if deviation else 0.0 for item, score in scores.items()}
