"""Equal scores come back from an engine in any order: look deeper until no tie is cut, then order them."""

from __future__ import annotations

from collections.abc import Callable

from strata_rag.index.points import ScoredPoint

_SPARE_HITS = 8


def search_untied(fetch: Callable[[int], list[ScoredPoint]], limit: int) -> list[ScoredPoint]:
    """Return the `limit` best points, equal scores by document and place.

    Args:
        fetch: Returns up to that many points, by falling score.
        limit: Most points to return.
    """
    depth = limit + _SPARE_HITS
    while True:
        points = fetch(depth)
        if len(points) < depth or points[-1].score < points[limit - 1].score:
            break
        depth *= 2
    points.sort(key=lambda point: (-point.score, point.payload["doc_id"], point.payload["start"]))
    return points[:limit]
