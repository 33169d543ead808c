"""Holds what a plugin's adapter gives to its promises; nothing it forgets is lost."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from strata_rag.corpus.adapter import FileOutcome
from strata_rag.corpus.folder_adapter import FolderAdapter
from strata_rag.corpus.plugin_loading import raise_broken
from strata_rag.corpus.registry import RegisteredAdapter
from strata_rag.documents import Record, Section, SourceDocument
from strata_rag.errors import PluginError

RESERVED = frozenset(
    {
        "doc_id", "start", "end", "text_start", "text_end", "text", "embed_text", "title", "source", "project",
        "family", "heading_path", "page", "page_end", "row", "section",
    }
)  # fmt: skip
"""Payload fields that a document's own metadata may not take; names that begin with ``_`` are ours too."""

FORGOTTEN = "the adapter did not mention it"
_HINT = "mend the adapter; docs/plugins.md says what it promises"
_SURROGATE = re.compile("[\ud800-\udfff]")


class CheckedAdapter:
    """A plugin's adapter whose documents and rows are checked as they come.

    Args:
        root: The corpus root.
        adapter: What reads the folder.
        files: The files it may read: paths below its folder, with ``/``, sorted.
    """

    def __init__(self, root: Path, adapter: RegisteredAdapter, files: Sequence[str]) -> None:
        self._root = root
        self._registered = adapter
        self._files = tuple(files)
        self._outcomes: list[FileOutcome] = []

    @property
    def outcomes(self) -> Sequence[FileOutcome]:
        return self._outcomes

    def discover(self) -> Iterator[SourceDocument]:
        """Yield every document.

        Raises:
            PluginError: The adapter raised something, or gave what it must not; names its file.
        """
        self._outcomes = []
        folder = self._registered.folder
        adapter: Any = None
        seen: set[str] = set()
        try:
            adapter = self._registered.make(self._root / folder, self._files)
            for document in adapter.discover():
                self._check(document, seen)
                seen.add(document.doc_id)
                yield document
            rows = list(adapter.outcomes)
        except PluginError:
            raise
        except (Exception, SystemExit) as error:  # whatever a plugin raises is told with its place
            raise_broken(error, self._registered.plugin, doing=_doing(adapter, folder), hint=_hint(adapter))
        self._outcomes = self._accounted(rows, seen)

    def _check(self, document: Any, seen: set[str]) -> None:
        if not isinstance(document, SourceDocument):
            raise self._refused("", f"expected a SourceDocument, found {type(document).__name__}")
        doc_id = document.doc_id
        for field in ("doc_id", "text", "title", "source", "project", "family"):
            self._check_text(doc_id, field, getattr(document, field))
        if not doc_id.startswith(f"{self._registered.folder}/") or doc_id.endswith("/"):
            raise self._refused(
                doc_id,
                f"doc_id: expected an id that begins with {self._registered.folder}/, found {doc_id!r}",
            )
        if doc_id in seen:
            raise self._refused(doc_id, "doc_id: expected an id that stands once, found it twice")
        if document.source != self._registered.folder:
            raise self._refused(
                doc_id, f"source: expected {self._registered.folder!r}, found {document.source!r}"
            )
        self._check_metadata(doc_id, document.metadata)
        self._check_places(document)

    def _check_text(self, doc_id: object, field: str, value: object) -> None:
        if not isinstance(value, str):
            raise self._refused(doc_id, f"{field}: expected text, found {type(value).__name__}")
        if _SURROGATE.search(value):
            raise self._refused(doc_id, f"{field}: expected text, found half a surrogate pair")

    def _check_metadata(self, doc_id: str, metadata: object) -> None:
        self._check_values(doc_id, "metadata", metadata)
        assert isinstance(metadata, Mapping)
        for key in metadata:
            if not key or key in RESERVED or key.startswith("_"):
                raise self._refused(
                    doc_id, f"metadata: expected field names other than our own, found {key!r}"
                )

    def _check_values(self, doc_id: str, field: str, values: object) -> None:
        if not isinstance(values, Mapping):
            raise self._refused(doc_id, f"{field}: expected a map, found {type(values).__name__}")
        for key, value in values.items():
            self._check_text(doc_id, field, key)
            if isinstance(value, str):
                self._check_text(doc_id, f"{field}.{key}", value)
            elif not isinstance(value, bool | int | float) or not math.isfinite(value):
                found = f"{value!r:.40}" if isinstance(value, float) else type(value).__name__
                raise self._refused(
                    doc_id, f"{field}.{key}: expected text, a number or a boolean, found {found}"
                )

    def _check_places(self, document: SourceDocument) -> None:
        sections = document.sections
        if not all(isinstance(one, Section) and isinstance(one.title, str) for one in sections):
            raise self._refused(document.doc_id, "sections: expected Section values with a text as title")
        for one in sections:
            self._check_text(document.doc_id, "sections", one.title)
        for record in document.records:
            if not isinstance(record, Record) or not 0 <= record.start <= record.end <= len(document.text):
                raise self._refused(
                    document.doc_id, f"records: expected places in its text, found {record!r:.60}"
                )
            self._check_values(document.doc_id, "records", record.values)
        starts = {"pages": list(document.pages), "sections": [one.start for one in sections]}
        starts["records"] = [one.start for one in document.records]
        for field, places in starts.items():
            inside = all(isinstance(at, int) and 0 <= at <= len(document.text) for at in places)
            if not inside or places != sorted(places):
                raise self._refused(
                    document.doc_id, f"{field}: expected rising places in its text, found {places!r:.60}"
                )

    def _accounted(self, rows: Sequence[Any], seen: set[str]) -> list[FileOutcome]:
        """Return each file once: the adapter's own rows, and one for every file that it forgot."""
        folder = self._registered.folder
        mine = {f"{folder}/{path}": path for path in self._files}
        by_path: dict[str, FileOutcome] = {}
        claimed: set[str] = set()
        for row in rows:
            if not isinstance(row, FileOutcome) or row.path not in mine or row.path in by_path:
                found = row.path if isinstance(row, FileOutcome) else type(row).__name__
                raise self._refused(
                    "", f"outcomes: expected each of its files once, found {found!r} beside them"
                )
            by_path[row.path] = row
            if twice := claimed.intersection(row.doc_ids):
                raise self._refused(min(twice), "outcomes: expected each document under one file, found two")
            claimed.update(row.doc_ids)
        if claimed != seen:
            which = min(claimed ^ seen)
            what = "no file names it" if which in seen else "it never came"
            raise self._refused(which, f"outcomes: expected the documents that it yielded, found that {what}")
        return [by_path.get(path) or FileOutcome(path, "excluded", FORGOTTEN) for path in mine]

    def _refused(self, doc_id: object, problem: str) -> PluginError:
        document = f"document {doc_id!r:.80}: " if doc_id else ""
        plugin = self._registered.plugin
        return PluginError(
            f"{plugin.origin}: adapter of {self._registered.folder}: {document}{problem}", hint=_HINT
        )


def _doing(adapter: object, folder: str) -> str:
    reading = adapter.reading if isinstance(adapter, FolderAdapter) else None
    return f"reading {reading.path if reading else folder}"


def _hint(adapter: object) -> str:
    if isinstance(adapter, FolderAdapter) and adapter.reading:
        return "mend the adapter; for a file that can't be read let it raise Unreadable with the reason"
    return ""
