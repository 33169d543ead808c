"""JSON and JSON lines: objects as records, their fields readable."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from strata_rag.corpus.formats.encodings import decode
from strata_rag.corpus.formats.extraction import Extraction, Options, Part, Unreadable, list_some
from strata_rag.corpus.formats.texts import Cleaner, TextBuilder
from strata_rag.documents import Record, Scalar

_DEEPEST = 40
_MOST_DIGITS = 4000
"""Beyond it Python refuses to read a whole number."""
_ELLIPSIS = "(nested deeper)"


def read_json(raw: bytes, *, options: Options) -> Extraction:
    """Return a JSON file: a list of objects as records, anything else as its fields.

    Raises:
        Unreadable: It is no JSON, or nests too deep.
    """
    decoded = decode(raw)
    try:
        value = _loaded(decoded.text)
    except RecursionError:
        raise Unreadable("expected JSON, found values nested too deep") from None
    except ValueError as error:
        lines, bad = _values(decoded.text)
        if not lines or len(bad) * 2 > len(lines):
            several = _concatenated(decoded.text)
            if several is None:
                raise Unreadable(f"expected JSON, found: {error}") from error
            return _extraction(several, "json", options, decoded.encoding, [])
        return _extraction(lines, "jsonl", options, decoded.encoding, _named(bad))
    if isinstance(value, dict):
        lists = [entry for entry in value.values() if isinstance(entry, list) and entry]
        if len(value) == 1 and lists and all(isinstance(entry, dict) for entry in lists[0]):
            value = lists[0]
    items = value if isinstance(value, list) else [value]
    return _extraction(items, "json", options, decoded.encoding, [])


def read_jsonl(raw: bytes, *, options: Options) -> Extraction:
    """Return a file of one JSON value a line; lines that are none are counted and named.

    Raises:
        Unreadable: No line is JSON.
    """
    decoded = decode(raw)
    values, bad = _values(decoded.text)
    if bad and (several := _concatenated(decoded.text)) is not None:
        return _extraction(several, "jsonl", options, decoded.encoding, [])
    if bad and not values:
        raise Unreadable("expected JSON, one value a line; found none")
    return _extraction(values, "jsonl", options, decoded.encoding, _named(bad))


def _values(text: str) -> tuple[list[Any], list[int]]:
    """Return the values of the lines that hold one each, and the numbers of the lines that do not."""
    values, bad = [], []
    for number, line in enumerate(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), 1):
        if not line.strip():
            continue
        try:
            values.append(_loaded(line))
        except (ValueError, RecursionError):
            bad.append(number)
    return values, bad


def _named(bad: list[int]) -> list[str]:
    return [f"no JSON in line {list_some(bad)}: left out"] if bad else []


def _concatenated(text: str) -> list[Any] | None:
    """Return the values that stand one behind the other, over lines or on one; None where that is not all."""
    values = []
    at = len(text) - len(text.lstrip())
    while at < len(text):
        try:
            value, at = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            return None
        values.append(value)
        at += len(text[at : at + 1000]) - len(text[at : at + 1000].lstrip())
    return values


def _loaded(text: str) -> Any:
    return _DECODER.decode(text)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object whose names stand once: a second one gets a number."""
    found = dict(pairs)
    if len(found) == len(pairs):
        return found
    found = {}
    for name, value in pairs:
        unique, number = name, 2
        while unique in found:
            unique, number = f"{name} ({number})", number + 1
        found[unique] = value
    return found


def _whole_number(digits: str) -> int | str:
    return int(digits) if len(digits) < _MOST_DIGITS else digits


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_int=_whole_number)


def _extraction(
    items: list[Any], format: str, options: Options, encoding: str, warnings: list[str]
) -> Extraction:
    if options.id_column is not None:
        parts, more = _parts(items, format, options, encoding)
        return Extraction("", format, encoding=encoding, warnings=(*warnings, *more), parts=parts)
    builder = TextBuilder()
    for item in items:
        fields = dict(_fields(item, "", 0))
        builder.end_line(blank=True)
        text = builder.cleaner.clean(_readable(fields))
        if text:
            builder.exact(text)
            values = {name: value for name, value in fields.items() if name}
            builder.records.append(Record(builder.length - len(text), builder.length, values))
    return Extraction(
        text=builder.build(),
        format=format,
        records=tuple(builder.records),
        encoding=encoding,
        warnings=(*warnings, *builder.cleaner.warnings),
    )


def _readable(fields: dict[str, Scalar]) -> str:
    shown = ((name, _shown(value)) for name, value in fields.items())
    return "\n".join(f"{name}: {value}" if name else value for name, value in shown if value.strip())


def _shown(value: Scalar) -> str:
    return json.dumps(value) if isinstance(value, bool) else str(value)


def _fields(value: Any, name: str, depth: int) -> Iterator[tuple[str, Scalar]]:
    """Yield the texts and numbers of a value by dotted name; lists of plain values become one text."""
    if depth > _DEEPEST:
        yield name, _ELLIPSIS
    elif isinstance(value, dict):
        for key, entry in value.items():
            yield from _fields(entry, f"{name}.{key}" if name else str(key), depth + 1)
    elif isinstance(value, list):
        plain = [_shown(entry) for entry in value if isinstance(entry, str | int | float | bool)]
        if len(plain) == len(value):
            if plain:
                yield name, ", ".join(plain)
            return
        for at, entry in enumerate(value):
            yield from _fields(entry, f"{name}.{at}" if name else str(at), depth + 1)
    elif isinstance(value, str | bool | int | float):
        yield name, _bounded(value)


def _bounded(value: Scalar) -> Scalar:
    """Return the value; a number that an index can't hold becomes its text."""
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 2**63:
        return str(value)
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return str(value)
    return value


def _parts(
    items: list[Any], format: str, options: Options, encoding: str
) -> tuple[tuple[Part, ...], list[str]]:
    parts: dict[str, Part] = {}
    without = []
    for number, item in enumerate(items, 1):
        fields = dict(_fields(item, "", 0))
        doc_id = _shown(fields.pop(options.id_column or "", "")).strip()
        if not doc_id:
            without.append(number)
            continue
        if doc_id in parts:
            raise Unreadable(f"record {number}: expected ids that stand once, found {doc_id!r} again")
        cleaner = Cleaner()
        title = _shown(fields.pop(options.title_column, "")) if options.title_column else ""
        if options.text_column is None:
            text = cleaner.clean(_readable(fields))
        else:
            text = cleaner.clean(_shown(fields.pop(options.text_column, "")))
        records = (Record(0, len(text), fields),) if fields and text else ()
        title = " ".join(cleaner.clean(title).split())
        parts[doc_id] = Part(
            doc_id,
            Extraction(
                text, format, title, records=records, encoding=encoding, warnings=tuple(cleaner.warnings)
            ),
        )
    if not parts:
        raise Unreadable(f"expected a field {options.id_column!r} in {len(items)} records, found none")
    return tuple(parts.values()), [f"no id in record {list_some(without)}: left out"] if without else []
