"""Folders of Markdown and plain-text files."""

from __future__ import annotations

import codecs
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

from strata_rag.corpus.adapter import FileOutcome
from strata_rag.corpus.walk import WalkedFile, printable, walk_files
from strata_rag.documents import SourceDocument

SUFFIXES = (".md", ".markdown", ".txt")
_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


class UnreadableText(Exception):
    """A file that holds no text this project can read."""


class TextFilesAdapter:
    """One document per Markdown or text file; the path is its id, the first two folders source and project.

    Args:
        root: The corpus root.
        follow_symlinks: Whether symbolic links are followed.
        files: The files to read or to account for; None walks the root.
    """

    def __init__(
        self, root: Path, *, follow_symlinks: bool = False, files: Sequence[WalkedFile] | None = None
    ) -> None:
        self._root = root
        self._follow_symlinks = follow_symlinks
        self._files = files
        self._outcomes: list[FileOutcome] = []

    @property
    def outcomes(self) -> Sequence[FileOutcome]:
        return self._outcomes

    def discover(self) -> Iterator[SourceDocument]:
        self._outcomes.clear()
        files = self._files
        for file in walk_files(self._root, follow_symlinks=self._follow_symlinks) if files is None else files:
            if file.failed:
                self._leave_out(file.path, "failed", file.failed)
            elif file.excluded:
                self._leave_out(file.path, "excluded", file.excluded)
            elif not file.path.lower().endswith(SUFFIXES):
                self._leave_out(file.path, "excluded", f"not one of {', '.join(SUFFIXES)}")
            else:
                yield from self._read(file.path)

    def _read(self, path: str) -> Iterator[SourceDocument]:
        try:
            path.encode()
            text = read_text(self._root / path)
        except UnicodeEncodeError:
            self._leave_out(path, "failed", "the file's name is not UTF-8")
            return
        except UnreadableText as error:
            self._leave_out(path, "failed", str(error))
            return
        warnings = () if text.strip() else ("the file is empty: no chunk",)
        self._outcomes.append(FileOutcome(path, "included", doc_ids=(path,), warnings=warnings))
        source, project = source_and_project(path)
        yield SourceDocument(doc_id=path, text=text, source=source, project=project)

    def _leave_out(self, path: str, status: Literal["excluded", "failed"], reason: str) -> None:
        self._outcomes.append(FileOutcome(printable(path), status, printable(reason)))


def source_and_project(path: str) -> tuple[str, str]:
    """Return the first and second folder of `path`; empty where it is not as deep."""
    folders = path.split("/")[:-1]
    return (*folders, "", "")[0], (*folders, "", "")[1]


def read_text(path: Path) -> str:
    """Return the file's text, UTF-8 or what its byte order mark says, with line ends as ``\\n``.

    Raises:
        UnreadableText: It can't be read, or holds something else.
    """
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise UnreadableText(f"can't be read: {error.strerror}") from error
    mark, encoding = next((one for one in _BYTE_ORDER_MARKS if raw.startswith(one[0])), (b"", "utf-8"))
    try:
        text = raw[len(mark) :].decode(encoding)
    except UnicodeDecodeError as error:
        at = len(mark) + error.start
        raise UnreadableText(f"expected {encoding} text, found byte 0x{raw[at]:02x} at {at}") from error
    if "\0" in text:
        raise UnreadableText(f"expected text, found a NUL character at {text.index(chr(0))}")
    return text.replace("\r\n", "\n").replace("\r", "\n")
