"""Folders of files: each a document or several, read as what it is."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from strata_rag.corpus.adapter import FileOutcome
from strata_rag.corpus.formats import SUFFIXES, Extraction, Limits, NoReader, Options, ReaderPool, Unreadable
from strata_rag.corpus.formats.read import extract_bytes, format_of, suffix_of
from strata_rag.corpus.formats.sniff import HEAD, sniff
from strata_rag.corpus.walk import WalkedFile, printable
from strata_rag.documents import SourceDocument

_AHEAD = 64
"""Files that are being read, or wait for one before them."""
_SMALL = 65_536
"""Text files up to this size are read in this process: handing them to another takes longer."""
_IN_PLACE = ("md", "txt")


@dataclass(frozen=True, slots=True)
class _Pending:
    """A file on its way: its outcome if that is known, otherwise where its text will come from."""

    path: str
    outcome: FileOutcome | None = None
    read: Callable[[], Extraction] | None = None
    is_ready: Callable[[], bool] = lambda: True


class FilesAdapter:
    """Reads files in the order of the walk; the path is a document's id, the first two folders source and project.

    Args:
        root: The corpus root.
        walk: Gives the files under it, each with the rule that leaves it out.
        options: What is a reader's choice.
        limits: What one file may cost.
        processes: How many processes read; None means one a core, at most four.
    """

    def __init__(
        self,
        root: Path,
        walk: Callable[[], Iterable[WalkedFile]],
        *,
        options: Options | None = None,
        limits: Limits | None = None,
        processes: int | None = None,
    ) -> None:
        self._root = root
        self._walk = walk
        self._options = options or Options()
        self._limits = limits or Limits()
        self._processes = processes
        self._outcomes: list[FileOutcome] = []

    @property
    def outcomes(self) -> Sequence[FileOutcome]:
        return self._outcomes

    def discover(self) -> Iterator[SourceDocument]:
        self._outcomes.clear()
        pending: deque[_Pending] = deque()
        with ReaderPool(options=self._options, limits=self._limits, processes=self._processes) as pool:
            for file in self._walk():
                pending.append(self._begin(file, pool))
                while pending and (len(pending) > _AHEAD or pending[0].is_ready()):
                    yield from self._finish(pending.popleft())
            while pending:
                yield from self._finish(pending.popleft())

    def _begin(self, file: WalkedFile, pool: ReaderPool) -> _Pending:
        if file.failed:
            return _left_out(file.path, "failed", file.failed)
        if file.excluded:
            return _left_out(file.path, "excluded", file.excluded)
        try:
            file.path.encode()
            return self._opened(file.path, pool)
        except UnicodeEncodeError:
            return _left_out(file.path, "failed", "the file's name is not UTF-8")
        except OSError as error:
            return _left_out(file.path, "failed", f"can't be read: {error.strerror}")

    def _opened(self, path: str, pool: ReaderPool) -> _Pending:
        """Decide by name, size and first bytes who reads a file, if anybody does."""
        full, suffix = self._root / path, suffix_of(path)
        stated = SUFFIXES.get(suffix, "")
        size = os.stat(full).st_size
        if stated and size > self._limits.max_bytes:
            reason = f"{size} bytes, more than corpus.limits.max_bytes {self._limits.max_bytes}"
            return _left_out(path, "failed", reason)
        if stated == "zip" and not self._options.zip:
            return _left_out(path, "excluded", "an archive (corpus.zip is false)")
        if stated in _IN_PLACE and size <= _SMALL:
            raw = full.read_bytes()
            if sniff(raw) in ("text", "html", "mail", "") and format_of_text(raw, path) in _IN_PLACE:
                return _Pending(
                    path, read=lambda: extract_bytes(raw, path, options=self._options, limits=self._limits)
                )
        elif not stated:
            with full.open("rb") as file:
                head = file.read(HEAD)
            if reason := _no_document(head, suffix, size, self._limits):
                return _left_out(path, "excluded", reason)
        future: Future[Extraction] = pool.submit(full)
        return _Pending(path, read=future.result, is_ready=future.done)

    def _finish(self, pending: _Pending) -> Iterator[SourceDocument]:
        path = pending.path
        if pending.read is None:
            if pending.outcome is not None:
                self._outcomes.append(pending.outcome)
            return
        try:
            found = pending.read()
        except NoReader as error:
            self._outcomes.append(FileOutcome(path, "excluded", str(error)))
            return
        except Unreadable as error:
            self._outcomes.append(FileOutcome(path, "failed", str(error)))
            return
        documents = list(documents_of(path, found))
        self._outcomes.append(
            FileOutcome(
                path,
                "included",
                doc_ids=tuple(document.doc_id for document in documents),
                warnings=found.warnings,
                format=found.format,
                encoding=found.encoding,
                pages=len(found.pages) or None,
            )
        )
        yield from documents


def documents_of(path: str, found: Extraction) -> Iterator[SourceDocument]:
    """Yield the documents that a file holds.

    Args:
        path: Of the file, relative to the root, with ``/``.
        found: What was read of it.
    """
    source, project = source_and_project(path)
    name = path.rpartition("/")[2]
    folder = path.removesuffix(name)
    parts = [(part.name, part.extraction) for part in found.parts] if found.parts else [(name, found)]
    for part, extraction in parts:
        # The rows of a table have ids of their own; what lies in an archive is named after its place.
        is_placed = part == name or part.startswith(f"{name}/")
        yield SourceDocument(
            doc_id=folder + part if is_placed else part,
            text=extraction.text,
            title=extraction.title,
            source=source,
            project=project,
            metadata=extraction.metadata,
            pages=extraction.pages,
            sections=extraction.sections,
            records=extraction.records,
        )


def source_and_project(path: str) -> tuple[str, str]:
    """Return the first and second folder of `path`; empty where it is not as deep."""
    folders = path.split("/")[:-1]
    return (*folders, "", "")[0], (*folders, "", "")[1]


def may_hold_documents(path: Path, limits: Limits | None = None) -> bool:
    """Tell by a file's name, or where that promises nothing by its first bytes, whether it is one to read."""
    suffix = suffix_of(path.name)
    if suffix in SUFFIXES:
        return True
    try:
        with path.open("rb") as file:
            head = file.read(HEAD)
        return not _no_document(head, suffix, path.stat().st_size, limits or Limits())
    except OSError:
        return False


def _no_document(head: bytes, suffix: str, size: int, limits: Limits) -> str:
    """Return why a file whose ending promises nothing is none to read, or nothing if it may be one."""
    kind = sniff(head)
    if (kind == "text" and suffix) or kind == "":
        return f"no reader for .{suffix}" if suffix else "no ending, and unknown binary data"
    if kind.startswith(("a ", "an ")) and "OLE" not in kind:
        return f"{kind}: no reader"
    return f"no reader for .{suffix}, and {size} bytes" if size > limits.max_bytes else ""


def format_of_text(raw: bytes, path: str) -> str:
    """Return the format to read a text file as; empty where that takes more than its name and first bytes."""
    try:
        return format_of(raw, path)
    except Unreadable:
        return ""


def _left_out(path: str, status: Literal["excluded", "failed"], reason: str) -> _Pending:
    return _Pending(path, FileOutcome(printable(path), status, printable(reason)))
