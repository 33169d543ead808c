"""Conditions on payload fields, as values: each engine puts them in its own words.

A field is named by its path, ``author`` or ``author.name``. A field that holds a list meets a condition if one of its
elements does. A chunk without the field meets no condition but `Not`.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any

from strata_rag.errors import InputError

Scalar = str | int | float | bool


@dataclass(frozen=True, slots=True)
class OneOf:
    """The field equals one of `values`; text, numbers and booleans are never equal to one another."""

    values: tuple[Scalar, ...]


@dataclass(frozen=True, slots=True)
class NumberRange:
    """The field is a number between two bounds, each of which may be missing.

    Attributes:
        low: Lower bound.
        high: Upper bound.
        with_low: Whether the lower bound itself is inside.
        with_high: Whether the upper bound itself is inside.
    """

    low: float | None = None
    high: float | None = None
    with_low: bool = True
    with_high: bool = True


@dataclass(frozen=True, slots=True)
class DateRange:
    """The field is a text in ISO 8601 that names a moment in ``start <= moment < end``; without a zone it is UTC.

    Attributes:
        start: First moment inside, with its zone, or None.
        end: First moment past it, with its zone, or None.
    """

    start: datetime | None = None
    end: datetime | None = None


@dataclass(frozen=True, slots=True)
class Not:
    """The field does not meet `condition`, or is not there."""

    condition: OneOf


@dataclass(frozen=True, slots=True)
class AllOf:
    """The field meets every one of `conditions`."""

    conditions: tuple[Simple, ...]


Simple = OneOf | NumberRange | DateRange | Not
Condition = Simple | AllOf
Where = Mapping[str, Scalar | Condition]
"""Payload fields and what each must meet, a bare value by being equal to it; empty lets every point pass."""

_FILTER = re.compile(r"(?P<field>[^=<>!]+)(?P<operator>!=|>=|<=|=|>|<)(?P<value>.*)", re.DOTALL)
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}(?:[T ].*)?")
_BOOLEANS = {"true": True, "false": False}
_FORMS = "FIELD=VALUE, FIELD=A,B, FIELD!=VALUE, FIELD>=VALUE, FIELD<=VALUE or FIELD=LOW..HIGH"


def simple_conditions(where: Where | None) -> Iterator[tuple[str, Simple]]:
    """Yield path and condition one by one; all of them must hold."""
    for field, condition in (where or {}).items():
        if isinstance(condition, AllOf):
            yield from ((field, part) for part in condition.conditions)
        elif isinstance(condition, OneOf | NumberRange | DateRange | Not):
            yield field, condition
        else:
            yield field, OneOf((condition,))


def is_text(text: str) -> bool:
    """Tell whether `text` is whole Unicode: an argument that was not UTF-8 reaches Python with half surrogates."""
    return not any("\ud800" <= character <= "\udfff" for character in text)


def quoted_path(field: str) -> str:
    """Return a field's path as Qdrant reads it whatever characters it holds; a path in quotes stays."""
    if '"' in field:
        return field
    return ".".join(f'"{part}"' for part in field.split("."))


def parse_filters(texts: Sequence[str]) -> Where:
    """Return the conditions that texts such as ``source=atlas`` or ``date>=2024-05-01`` state; all must hold.

    A value that reads as a number, as true or as false also matches that number or boolean; in double quotes it is
    text alone.

    Raises:
        InputError: A text has another form.
    """
    where: dict[str, Condition] = {}
    for text in texts:
        match = _FILTER.fullmatch(text) if is_text(text) else None
        if match is None:
            raise _refused(text, f"expected {_FORMS}", "such as --filter source=atlas")
        field = match["field"].strip()
        condition = _condition(match["operator"], match["value"], text)
        known = where.get(field)
        if known is None:
            where[field] = condition
        else:
            parts = known.conditions if isinstance(known, AllOf) else (known,)
            where[field] = AllOf((*parts, condition))
    return where


def matches(payload: Mapping[str, Any], where: Where | None) -> bool:
    """Tell whether a payload meets every condition: the meaning that each engine has to give them."""
    return all(_meets(_values_at(payload, field), part) for field, part in simple_conditions(where))


def has_field(payload: Mapping[str, Any], field: str) -> bool:
    """Tell whether a payload holds anything under a field's path."""
    return bool(_values_at(payload, field))


def moment(text: str) -> datetime | None:
    """Return the moment that a text in ISO 8601 names, in UTC where it names no zone; None if it is none."""
    if not _DATE.fullmatch(text):
        return None
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def _refused(text: str, expected: str, hint: str) -> InputError:
    return InputError(f"--filter: {expected}, found {text!r}", hint=hint)


def _condition(operator: str, value: str, text: str) -> Simple:
    if operator in ("=", "!="):
        between = _between(value) if operator == "=" else None
        if between is not None:
            return between
        one_of = OneOf(tuple(reading for part in _parts(value) for reading in part))
        return one_of if operator == "=" else Not(one_of)
    bound = value.strip()
    low, high = (bound, "") if operator.startswith(">") else ("", bound)
    found = _range(low, high, closed=operator.endswith("="))
    if found is None:
        raise _refused(text, f"expected a number or a date (YYYY-MM-DD) after {operator}", f"write {_FORMS}")
    return found


def _between(value: str) -> Simple | None:
    low, dots, high = value.partition("..")
    return _range(low.strip(), high.strip(), closed=True) if dots else None


def _range(low: str, high: str, *, closed: bool) -> Simple | None:
    """Return the range between two texts, one of which may be empty; None if they are no bounds of one kind."""
    given = [bound for bound in (low, high) if bound]
    if given and all(_NUMBER.fullmatch(bound) for bound in given):
        return NumberRange(
            float(low) if low else None,
            float(high) if high else None,
            with_low=closed,
            with_high=closed,
        )
    if given and all(moment(bound) for bound in given):
        return DateRange(
            (_first_moment(low) if closed else _past(low)) if low else None,
            (_past(high) if closed else _first_moment(high)) if high else None,
        )
    return None


def _first_moment(text: str) -> datetime:
    found = moment(text)
    assert found is not None
    return found


def _past(text: str) -> datetime:
    """Return the first moment after what `text` names: a whole day, or one microsecond."""
    whole_day = len(text) == len(date.min.isoformat())
    return _first_moment(text) + (timedelta(days=1) if whole_day else timedelta(microseconds=1))


def _parts(value: str) -> Iterator[tuple[Scalar, ...]]:
    """Yield the readings of each comma-separated value."""
    if not value.strip():
        yield ("",)
        return
    quoted = {part[1:-1].replace('""', '"') for part in re.findall(r'"(?:[^"]|"")*"', value)}
    for part in next(csv.reader([value], skipinitialspace=True)):
        yield (part,) if part in quoted else _readings(part.strip())


def _readings(text: str) -> tuple[Scalar, ...]:
    if text.casefold() in _BOOLEANS:
        return (text, _BOOLEANS[text.casefold()])
    return (text, float(text)) if _NUMBER.fullmatch(text) else (text,)


def _values_at(payload: Mapping[str, Any], field: str) -> list[Any]:
    value: Any = payload
    for part in [field.strip('"')] if '"' in field else field.split("."):
        if not isinstance(value, Mapping) or part not in value:
            return []
        value = value[part]
    return value if isinstance(value, list) else [value]


def _meets(values: list[Any], condition: Simple) -> bool:
    match condition:
        case Not(inner):
            return not _meets(values, inner)
        case OneOf(wanted):
            return any(_same(value, one) for value in values for one in wanted)
        case NumberRange():
            return any(_inside(value, condition) for value in values if _is_number(value))
    moments = [found for value in values if isinstance(value, str) and (found := moment(value))]
    return any(
        (condition.start is None or found >= condition.start)
        and (condition.end is None or found < condition.end)
        for found in moments
    )


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _same(value: Any, wanted: Scalar) -> bool:
    if _is_number(value) or _is_number(wanted):
        return _is_number(value) and _is_number(wanted) and value == wanted
    return type(value) is type(wanted) and value == wanted


def _inside(value: float, bounds: NumberRange) -> bool:
    above = bounds.low is None or value > bounds.low or (bounds.with_low and value == bounds.low)
    below = bounds.high is None or value < bounds.high or (bounds.with_high and value == bounds.high)
    return above and below
