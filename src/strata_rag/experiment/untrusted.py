"""Documents as they are read, with what in them looks meant for a model rather than a reader."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from strata_rag.config import Generation
from strata_rag.corpus import FileOutcome, SourceAdapter
from strata_rag.documents import SourceDocument
from strata_rag.generation import Finding, Severity, at_least, scan
from strata_rag.privacy import Redactor

_SHOWN = 3


def scanned(source: SourceAdapter, generation: Generation, redactor: Redactor) -> SourceAdapter:
    """Return the source behind the scan for instructions, where the config's guards have one."""
    guards = generation.guards
    if not guards.scan:
        return source
    return ScannedSource(
        source,
        lambda text, document: redactor.redact(text, document=document).text,
        least="low" if guards.quarantine == "low" else "medium",
    )


class ScannedSource:
    """A source whose files carry a warning for each finding of the scan; the documents stay as they are.

    Args:
        source: Where the documents come from.
        redact: Makes a decoded text of a document fit to be shown: (text, document id) -> text.
        least: Findings below this severity are not told of.
    """

    def __init__(self, source: SourceAdapter, redact: Callable[[str, str], str], *, least: Severity) -> None:
        self._source = source
        self._redact = redact
        self._least = least
        self._warnings: dict[str, list[str]] = {}

    def discover(self) -> Iterator[SourceDocument]:
        self._warnings.clear()
        for document in self._source.discover():
            named = [replace(one, start=0, end=0) for one in scan(document.title)]
            found = [one for one in (*named, *scan(document.text)) if at_least(one.severity, self._least)]
            if found:
                self._warnings[document.doc_id] = self._told(document.doc_id, found)
            yield document

    @property
    def outcomes(self) -> Sequence[FileOutcome]:
        """Each file once, the scan's warnings behind its own."""
        return [replace(one, warnings=(*one.warnings, *self._of(one))) for one in self._source.outcomes]

    @property
    def notes(self) -> Sequence[str]:
        """What the source within has to say of the corpus."""
        return tuple(getattr(self._source, "notes", ()))

    def _of(self, outcome: FileOutcome) -> list[str]:
        return [
            warning if doc_id == outcome.path else f"{doc_id}: {warning}"
            for doc_id in outcome.doc_ids
            for warning in self._warnings.get(doc_id, ())
        ]

    def _told(self, doc_id: str, found: Sequence[Finding]) -> list[str]:
        told = [
            f"looks like an instruction to a model ({one.kind}, {one.severity}, at {one.start}-{one.end}): "
            f"{self._redact(one.text, doc_id)!r}"
            for one in found[:_SHOWN]
        ]
        rest = len(found) - _SHOWN
        return [*told, f"{rest} more places look like instructions to a model"] if rest > 0 else told
