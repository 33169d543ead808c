"""Filters in the words of the embedded engine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from strata_rag.index.filters import Not as NotCondition
from strata_rag.index.filters import NumberRange, OneOf, Scalar, Simple, Where, quoted_path, simple_conditions

if TYPE_CHECKING:
    import qdrant_edge


def edge_filter(where: Where | None) -> qdrant_edge.Filter | None:
    """Return `where` as the engine's filter, or None where every point passes."""
    import qdrant_edge as edge

    must: list[qdrant_edge.Filter] = []
    must_not: list[qdrant_edge.Filter] = []
    for field, condition in simple_conditions(where):
        if isinstance(condition, NotCondition):
            must_not.append(_one(quoted_path(field), condition.condition))
        else:
            must.append(_one(quoted_path(field), condition))
    return edge.Filter(must=list(must), must_not=list(must_not)) if must or must_not else None


def _one(path: str, condition: Simple) -> qdrant_edge.Filter:
    import qdrant_edge as edge

    if isinstance(condition, OneOf):
        return edge.Filter(should=[_equal(path, value) for value in condition.values])
    if isinstance(condition, NumberRange):
        bounds = {
            "gte" if condition.with_low else "gt": condition.low,
            "lte" if condition.with_high else "lt": condition.high,
        }
        return edge.Filter(must=[edge.FieldCondition(path, range=edge.RangeFloat(**bounds))])
    assert not isinstance(condition, NotCondition)
    dates = edge.RangeDateTime(
        gte=condition.start.isoformat() if condition.start else None,
        lt=condition.end.isoformat() if condition.end else None,
    )
    return edge.Filter(must=[edge.FieldCondition(path, range=dates)])


def _equal(path: str, value: Scalar) -> qdrant_edge.FieldCondition:
    import qdrant_edge as edge

    if isinstance(value, bool):  # the binding takes a Python bool for a number, and NumPy's for what it is
        flag: Any = np.bool_(value)
        return edge.FieldCondition(path, match=edge.MatchValue(flag))
    if isinstance(value, str):
        return edge.FieldCondition(path, match=edge.MatchValue(value))
    return edge.FieldCondition(path, range=edge.RangeFloat(gte=value, lte=value))
