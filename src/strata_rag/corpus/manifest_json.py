"""Reading a manifest back from JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from strata_rag.corpus.coverage import Coverage, EmptyPages, Outlier, Share
from strata_rag.corpus.manifest import Manifest, ManifestRow, RedactedDocument
from strata_rag.errors import InputError

_Value = TypeVar("_Value")


def read_manifest(path: Path) -> Manifest:
    """Return the manifest that a file holds; what ``ingest --dry-run --json`` printed is one too.

    Keys that are not known are passed over, and keys that are not there have their defaults, so that manifests of other
    versions can be read.

    Raises:
        InputError: The file can't be read or holds no manifest.
    """
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(
            f"{path}: expected a manifest, found: {error.strerror}", hint="check the path"
        ) from error
    except (ValueError, RecursionError) as error:
        raise _no_manifest(path, f"no JSON ({str(error)[:60]})") from error
    try:
        rows = [_row(_Fields(one)) for one in _Fields(document).items("files")]
        coverage = _Fields(document).optional("coverage")
        read = Manifest(
            tuple(sorted(rows, key=lambda row: row.path)),
            _coverage(coverage) if coverage else Coverage(),
            _Fields(document).text("privacy"),
        )
    except (TypeError, ValueError, KeyError) as error:
        raise _no_manifest(path, str(error.args[0]) if error.args else type(error).__name__) from error
    if len({row.path for row in rows}) < len(rows):
        raise _no_manifest(path, "a file that stands in it twice")
    return read


def _no_manifest(path: Path, found: str) -> InputError:
    return InputError(
        f"{path}: expected a saved manifest, found {found}",
        hint="name a file that `strata ingest CONFIG` or `--dry-run` saved, or a collection",
    )


class _Fields:
    """The fields of one JSON object, each checked for its type when it is asked for."""

    def __init__(self, values: Any) -> None:
        if not isinstance(values, Mapping):
            raise TypeError(f"{_called(values)} in place of an object")
        self._values = values

    def text(self, name: str, default: str = "") -> str:
        return self._of(name, str, default)

    def number(self, name: str, default: int = 0) -> int:
        return self._of(name, int, default)

    def number_or_none(self, name: str) -> int | None:
        return self._of(name, int, 0) if self.has(name) else None

    def required(self, name: str) -> str:
        if name not in self._values:
            raise KeyError(f"no {name}")
        return self.text(name)

    def items(self, name: str) -> list[Any]:
        if name not in self._values:
            raise KeyError(f"no {name}")
        return self._of(name, list, [])

    def has(self, name: str) -> bool:
        return self._values.get(name) is not None

    def optional(self, name: str) -> _Fields | None:
        return _Fields(self._values[name]) if self.has(name) else None

    def each(self, name: str, make: Callable[[_Fields], _Value]) -> tuple[_Value, ...]:
        return tuple(make(_Fields(one)) for one in self._of(name, list, []))

    def plain(self, name: str, kind: type[_Value]) -> tuple[_Value, ...]:
        found: list[Any] = self._of(name, list, [])
        for one in found:
            _require(one, kind, f"{name} with")
        return tuple(found)

    def _of(self, name: str, kind: type[_Value], default: _Value) -> _Value:
        value = self._values.get(name, default)
        _require(value, kind, name)
        return value  # type: ignore[no-any-return]  # checked above


def _require(value: Any, kind: type, name: str) -> None:
    if not isinstance(value, kind) or isinstance(value, bool):
        raise TypeError(f"{name} {_called(value)} in place of {_NAMES[kind]}")


_NAMES = {str: "text", int: "a whole number", list: "a list"}


def _called(value: Any) -> str:
    return f"{json.dumps(value, ensure_ascii=True)[:30]}"


def _row(values: _Fields) -> ManifestRow:
    status = values.required("status")
    if status not in ("included", "excluded", "failed"):
        raise ValueError(f"status {_called(status)} in place of included, excluded or failed")
    return ManifestRow(
        path=values.required("path"),
        status=status,
        reason=values.text("reason"),
        format=values.text("format"),
        encoding=values.text("encoding"),
        pages=values.number_or_none("pages"),
        empty_pages=values.plain("empty_pages", int),
        documents=values.number("documents"),
        chunks=values.number_or_none("chunks"),
        characters=values.number("characters"),
        max_tokens=values.number_or_none("max_tokens"),
        tokens=values.number_or_none("tokens"),
        redactions=values.number("redactions"),
        secrets=values.number("secrets"),
        digest=values.text("digest"),
        redacted=values.each(
            "redacted",
            lambda one: RedactedDocument(
                one.required("doc_id"), one.number("redactions"), one.number("secrets")
            ),
        ),
        warnings=values.plain("warnings", str),
    )


def _coverage(values: _Fields) -> Coverage:
    outliers = values.optional("outliers")
    adapters = values.plain("folders_without_adapter", str) if values.has("folders_without_adapter") else None
    return Coverage(
        types=values.each("types", _share),
        folders=values.each("folders", _share),
        without_adapter=adapters,
        without_documents=values.plain("folders_without_documents", str),
        empty_documents=values.plain("empty_documents", str),
        long=outliers.each("long", _outlier) if outliers else (),
        short=outliers.each("short", _outlier) if outliers else (),
        pages=values.number("pages"),
        empty_pages=values.each(
            "empty_pages",
            lambda one: EmptyPages(
                one.required("path"), one.number_or_none("pages"), one.plain("empty", int)
            ),
        ),
    )


def _share(values: _Fields) -> Share:
    return Share(
        name=values.required("name"),
        files=values.number("files"),
        included=values.number("included"),
        excluded=values.number("excluded"),
        failed=values.number("failed"),
        documents=values.number("documents"),
    )


def _outlier(values: _Fields) -> Outlier:
    return Outlier(values.required("doc_id"), values.number("characters"))
