"""Filters in the words of a Qdrant server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from strata_rag.index.filters import Not as NotCondition
from strata_rag.index.filters import NumberRange, OneOf, Scalar, Simple, Where, quoted_path, simple_conditions

if TYPE_CHECKING:
    from qdrant_client import models


def server_filter(where: Where | None) -> models.Filter | None:
    """Return `where` as the server's filter, or None where every point passes."""
    from qdrant_client import models

    must: list[Any] = []
    must_not: list[Any] = []
    for field, condition in simple_conditions(where):
        if isinstance(condition, NotCondition):
            must_not.append(_one(quoted_path(field), condition.condition))
        else:
            must.append(_one(quoted_path(field), condition))
    return models.Filter(must=must, must_not=must_not) if must or must_not else None


def _one(path: str, condition: Simple) -> models.Filter:
    from qdrant_client import models

    if isinstance(condition, OneOf):
        return models.Filter(should=[_equal(path, value) for value in condition.values])
    if isinstance(condition, NumberRange):
        bounds = {
            "gte" if condition.with_low else "gt": condition.low,
            "lte" if condition.with_high else "lt": condition.high,
        }
        return models.Filter(must=[models.FieldCondition(key=path, range=models.Range(**bounds))])
    assert not isinstance(condition, NotCondition)
    dates = models.DatetimeRange(gte=condition.start, lt=condition.end)
    return models.Filter(must=[models.FieldCondition(key=path, range=dates)])


def _equal(path: str, value: Scalar) -> models.FieldCondition:
    from qdrant_client import models

    if isinstance(value, bool | str):
        return models.FieldCondition(key=path, match=models.MatchValue(value=value))
    return models.FieldCondition(key=path, range=models.Range(gte=value, lte=value))
