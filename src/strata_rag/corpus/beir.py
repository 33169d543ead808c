"""Corpora in BEIR layout: ``corpus.jsonl`` with ``_id``, ``title`` and ``text``."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from strata_rag.corpus.adapter import FileOutcome
from strata_rag.corpus.walk import printable, walk_files
from strata_rag.documents import SourceDocument
from strata_rag.errors import CorpusError

CORPUS_FILE = "corpus.jsonl"
_SURROGATE = re.compile("[\ud800-\udfff]")


class BeirAdapter:
    """One document per line of ``corpus.jsonl``; a document without text stands by its title.

    Args:
        root: The folder that holds it.

    Raises:
        CorpusError: There is no such file, a line is no document, or an id stands twice.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._outcomes: list[FileOutcome] = []

    @property
    def outcomes(self) -> Sequence[FileOutcome]:
        return self._outcomes

    def discover(self) -> Iterator[SourceDocument]:
        self._outcomes.clear()
        path = self._root / CORPUS_FILE
        lines_by_id: dict[str, int] = {}
        warnings = []
        for number, line in _lines(path):
            document = _document(line, f"{path}:{number}")
            if document.doc_id in lines_by_id:
                raise CorpusError(
                    f"{path}:{number}: expected ids that stand once, found {document.doc_id!r} on line "
                    f"{lines_by_id[document.doc_id]} too",
                    hint="give every document an id of its own",
                )
            lines_by_id[document.doc_id] = number
            if not document.text.strip():
                warnings.append(f"document {document.doc_id} is empty: no chunk")
            yield document
        for file in walk_files(self._root, follow_symlinks=False):
            if file.path == CORPUS_FILE:
                outcome = FileOutcome(
                    file.path, "included", doc_ids=tuple(lines_by_id), warnings=tuple(warnings)
                )
            else:
                reason = file.excluded or "BEIR layout: not the corpus"
                outcome = FileOutcome(printable(file.path), "excluded", printable(reason))
            self._outcomes.append(outcome)


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines that are not blank with their numbers; only ``\\n`` ends a line."""
    try:
        with path.open(encoding="utf-8-sig", newline="\n") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    yield number, line
    except OSError as error:
        raise CorpusError(
            f"{path}: expected a BEIR corpus, found: {error.strerror}",
            hint="set corpus.root to the folder that holds corpus.jsonl, or corpus.format to files",
        ) from error
    except UnicodeDecodeError as error:
        raise CorpusError(
            f"{path}: expected UTF-8, found: {error.reason}", hint="convert the file to UTF-8"
        ) from error


def _document(line: str, where: str) -> SourceDocument:
    hint = 'each line is a JSON object like {"_id": "1", "title": "...", "text": "..."}'
    try:
        fields: Any = json.loads(line)
    except ValueError as error:
        raise CorpusError(f"{where}: expected a JSON object, found: {error}", hint=hint) from error
    if not isinstance(fields, dict):
        raise CorpusError(f"{where}: expected a JSON object, found {type(fields).__name__}", hint=hint)
    doc_id = fields.get("_id")
    if isinstance(doc_id, int) and not isinstance(doc_id, bool):
        doc_id = str(doc_id)
    if not isinstance(doc_id, str) or not doc_id:
        raise CorpusError(f"{where}: _id: expected a text that is not empty, found {doc_id!r}", hint=hint)
    title, text = ("" if fields.get(key) is None else fields[key] for key in ("title", "text"))
    for key, value in (("_id", doc_id), ("title", title), ("text", text)):
        if not isinstance(value, str):
            raise CorpusError(f"{where}: {key}: expected text, found {value!r:.60}", hint=hint)
        if _SURROGATE.search(value):
            raise CorpusError(f"{where}: {key}: expected text, found half a surrogate pair", hint=hint)
    if not text.strip():
        title, text = "", title
    return SourceDocument(doc_id=doc_id, text=text, title=title)
