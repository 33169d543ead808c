"""The manifest: what becomes of every file, and what it amounts to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from hashlib import blake2b
from typing import Any

from strata_rag.corpus.adapter import FileOutcome
from strata_rag.corpus.coverage import Coverage, MeasuredFile, measure_coverage


@dataclass(frozen=True, slots=True)
class DocumentFigures:
    """What one document amounts to.

    Attributes:
        chunks: Number of chunks, or None where it could not be told.
        characters: Code points of its text.
        max_tokens: Tokens of its longest chunk, or None where no tokenizer was at hand.
        warnings: Chunks longer than the model's limit.
        redactions: Placeholders that stand for personal data in it.
        secrets: Placeholders that stand for secrets in it.
        tokens: Tokens of all its chunks, or None where no tokenizer was at hand.
        digest: Of its text after redaction; empty where it was not kept.
        empty_pages: Its pages without text, counted from 1.
    """

    chunks: int | None
    characters: int
    max_tokens: int | None
    warnings: tuple[str, ...] = ()
    redactions: int = 0
    secrets: int = 0
    tokens: int | None = None
    digest: str = ""
    empty_pages: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class RedactedDocument:
    """A document that holds placeholders.

    Attributes:
        doc_id: Its id.
        redactions: Placeholders that stand for personal data in it.
        secrets: Placeholders that stand for secrets in it.
    """

    doc_id: str
    redactions: int
    secrets: int


@dataclass(frozen=True, slots=True)
class ManifestRow:
    """One file under the corpus root.

    Attributes:
        path: Relative to the root.
        status: ``included``, ``excluded`` or ``failed``.
        reason: The rule that decided, or why it failed; empty where no rule spoke.
        documents: Documents it gave.
        chunks: Their chunks, or None where that could not be told.
        characters: Their code points.
        max_tokens: Tokens of the longest chunk, or None.
        warnings: What a reader should know.
        redactions: Placeholders that stand for personal data in its documents.
        secrets: Placeholders that stand for secrets in them.
        redacted: The documents that hold a placeholder.
        format: What it was read as; empty where it was not read.
        encoding: Of its text; empty where the format fixes it.
        pages: Number of its pages, or None where it has none.
        empty_pages: The pages without text, counted from 1.
        tokens: Tokens of all chunks, or None.
        digest: Of its documents' texts after redaction; empty for a file that gave none.
    """

    path: str
    status: str
    reason: str = ""
    documents: int = 0
    chunks: int | None = 0
    characters: int = 0
    max_tokens: int | None = None
    warnings: tuple[str, ...] = ()
    redactions: int = 0
    secrets: int = 0
    redacted: tuple[RedactedDocument, ...] = ()
    format: str = ""
    encoding: str = ""
    pages: int | None = None
    empty_pages: tuple[int, ...] = ()
    tokens: int | None = None
    digest: str = ""

    def as_json(self) -> dict[str, Any]:
        """Return every field as a JSON value."""
        values = {one.name: getattr(self, one.name) for one in fields(self)}
        lists = {"empty_pages": list(self.empty_pages), "warnings": list(self.warnings)}
        return {**values, **lists, "redacted": [asdict(one) for one in self.redacted]}


@dataclass(frozen=True, slots=True)
class Manifest:
    """Every file under a corpus root, once.

    Attributes:
        rows: Sorted by path.
        coverage: What of the corpus was read, and what stands out.
        privacy: Digest of the detector and policy that its paths and counts were redacted by.
    """

    rows: tuple[ManifestRow, ...]
    coverage: Coverage = field(default_factory=Coverage)
    privacy: str = ""

    def count(self, status: str) -> int:
        """Return the number of files with `status`."""
        return sum(row.status == status for row in self.rows)

    @property
    def warnings(self) -> list[str]:
        """Every row's warnings, each with its file."""
        return [f"{row.path}: {warning}" for row in self.rows for warning in row.warnings]

    def totals(self) -> dict[str, int | None]:
        """Return the sums over all files, and the longest chunk of any."""
        longest = [row.max_tokens for row in self.rows if row.max_tokens is not None]
        return {
            "files": len(self.rows),
            "included": self.count("included"),
            "excluded": self.count("excluded"),
            "failed": self.count("failed"),
            "documents": sum(row.documents for row in self.rows),
            "chunks": _total([row.chunks for row in self.rows]),
            "characters": sum(row.characters for row in self.rows),
            "max_tokens": max(longest, default=None),
            "tokens": _total([row.tokens for row in self.rows if row.chunks != 0]),
            "redactions": sum(row.redactions for row in self.rows),
            "secrets": sum(row.secrets for row in self.rows),
        }

    def as_json(self) -> dict[str, Any]:
        """Return everything as JSON values."""
        return {
            "privacy": self.privacy,
            "files": [row.as_json() for row in self.rows],
            "totals": self.totals(),
            "coverage": self.coverage.as_json(),
        }


def build_manifest(
    outcomes: Sequence[FileOutcome],
    figures: Mapping[str, DocumentFigures],
    *,
    adapters: Sequence[str] | None = None,
    privacy: str = "",
) -> Manifest:
    """Join what became of each file with what its documents amount to.

    Args:
        outcomes: Each file once.
        figures: By document id; a document without chunks may be absent.
        adapters: Source folders that have an adapter of their own, or None where no plugin names any.
        privacy: Digest of what redacted the documents.
    """
    by_file = []
    ordered = []
    for outcome in sorted(outcomes, key=lambda one: one.path):
        known = {doc_id: figures[doc_id] for doc_id in outcome.doc_ids if doc_id in figures}
        empty = {page for one in known.values() for page in one.empty_pages}
        ordered.append(replace(outcome, empty_pages=outcome.empty_pages or tuple(sorted(empty))))
        by_file.append(known)
    measured = [
        MeasuredFile(
            outcome, {doc_id: 0 if one.chunks == 0 else one.characters for doc_id, one in known.items()}
        )
        for outcome, known in zip(ordered, by_file, strict=True)
    ]
    rows = tuple(map(_row, ordered, by_file))
    return Manifest(rows, measure_coverage(measured, adapters=adapters), privacy)


def pages_without_text(text: str, pages: Sequence[int]) -> tuple[int, ...]:
    """Return the pages that hold white space alone, counted from 1.

    Args:
        text: A document's text.
        pages: First code point of each page, ascending.
    """
    ends = [*pages[1:], len(text)]
    return tuple(
        number
        for number, (start, end) in enumerate(zip(pages, ends, strict=False), 1)
        if not text[start:end].strip()
    )


def text_digest(text: str) -> str:
    """Return a short digest of a text, to tell whether it is still the same."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def _row(outcome: FileOutcome, by_id: Mapping[str, DocumentFigures]) -> ManifestRow:
    known = list(by_id.values())
    longest = [one.max_tokens for one in known if one.max_tokens is not None]
    tokens = _total([one.tokens for one in known if one.chunks != 0])
    return ManifestRow(
        path=outcome.path,
        status=outcome.status,
        reason=outcome.reason,
        format=outcome.format,
        encoding=outcome.encoding,
        pages=outcome.pages,
        empty_pages=outcome.empty_pages,
        documents=len(outcome.doc_ids),
        chunks=_total([one.chunks for one in known]),
        characters=sum(one.characters for one in known),
        max_tokens=max(longest, default=None),
        tokens=tokens if longest else None,
        redactions=sum(one.redactions for one in known),
        secrets=sum(one.secrets for one in known),
        digest=_joined_digest([one.digest for one in known]),
        redacted=tuple(
            RedactedDocument(doc_id, one.redactions, one.secrets)
            for doc_id, one in by_id.items()
            if one.redactions or one.secrets
        ),
        warnings=outcome.warnings + tuple(warning for one in known for warning in one.warnings),
    )


def _joined_digest(digests: Sequence[str]) -> str:
    return digests[0] if len(digests) == 1 else text_digest(" ".join(digests)) if any(digests) else ""


def _total(counts: Sequence[int | None]) -> int | None:
    """Return the sum, or None where a part of it is unknown."""
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else None
