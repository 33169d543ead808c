"""The manifest: what becomes of every file, and what it amounts to."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from strata_rag.corpus.adapter import FileOutcome
from strata_rag.errors import WriteFailed


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
    """

    chunks: int | None
    characters: int
    max_tokens: int | None
    warnings: tuple[str, ...] = ()
    redactions: int = 0
    secrets: int = 0


@dataclass(frozen=True, slots=True)
class ManifestRow:
    """One file under the corpus root.

    Attributes:
        path: Relative to the root.
        status: ``included``, ``excluded`` or ``failed``.
        reason: The rule that excluded it, or why it failed.
        documents: Documents it gave.
        chunks: Their chunks, or None where that could not be told.
        characters: Their code points.
        max_tokens: Tokens of the longest chunk, or None.
        warnings: What a reader should know.
        redactions: Placeholders that stand for personal data in its documents.
        secrets: Placeholders that stand for secrets in them.
        redacted: The documents that hold a placeholder: id, redactions, secrets.
    """

    path: str
    status: str
    reason: str
    documents: int
    chunks: int | None
    characters: int
    max_tokens: int | None
    warnings: tuple[str, ...]
    redactions: int = 0
    secrets: int = 0
    redacted: tuple[tuple[str, int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Manifest:
    """Every file under a corpus root, once.

    Attributes:
        rows: Sorted by path.
    """

    rows: tuple[ManifestRow, ...]

    def count(self, status: str) -> int:
        """Return the number of files with `status`."""
        return sum(row.status == status for row in self.rows)

    @property
    def warnings(self) -> list[str]:
        """Every row's warnings, each with its file."""
        return [f"{row.path}: {warning}" for row in self.rows for warning in row.warnings]

    def totals(self) -> dict[str, int | None]:
        """Return the sums over all files, and the longest chunk of any."""
        tokens = [row.max_tokens for row in self.rows if row.max_tokens is not None]
        return {
            "files": len(self.rows),
            "included": self.count("included"),
            "excluded": self.count("excluded"),
            "failed": self.count("failed"),
            "documents": sum(row.documents for row in self.rows),
            "chunks": _total([row.chunks for row in self.rows]),
            "characters": sum(row.characters for row in self.rows),
            "max_tokens": max(tokens, default=None),
            "redactions": sum(row.redactions for row in self.rows),
            "secrets": sum(row.secrets for row in self.rows),
        }

    def as_json(self) -> dict[str, Any]:
        """Return files and totals as JSON values."""
        files = [
            {
                "path": row.path,
                "status": row.status,
                "reason": row.reason,
                "documents": row.documents,
                "chunks": row.chunks,
                "characters": row.characters,
                "max_tokens": row.max_tokens,
                "redactions": row.redactions,
                "secrets": row.secrets,
                "redacted": [
                    {"doc_id": doc_id, "redactions": redactions, "secrets": secrets}
                    for doc_id, redactions, secrets in row.redacted
                ],
                "warnings": list(row.warnings),
            }
            for row in self.rows
        ]
        return {"files": files, "totals": self.totals()}


def build_manifest(outcomes: Sequence[FileOutcome], figures: Mapping[str, DocumentFigures]) -> Manifest:
    """Join what became of each file with what its documents amount to.

    Args:
        outcomes: Each file once.
        figures: By document id; a document without chunks may be absent.
    """
    rows = []
    for outcome in sorted(outcomes, key=lambda one: one.path):
        by_id = {doc_id: figures[doc_id] for doc_id in outcome.doc_ids if doc_id in figures}
        known = list(by_id.values())
        tokens = [one.max_tokens for one in known if one.max_tokens is not None]
        rows.append(
            ManifestRow(
                path=outcome.path,
                status=outcome.status,
                reason=outcome.reason,
                documents=len(outcome.doc_ids),
                chunks=_total([one.chunks for one in known]),
                characters=sum(one.characters for one in known),
                max_tokens=max(tokens, default=None),
                warnings=outcome.warnings + tuple(warning for one in known for warning in one.warnings),
                redactions=sum(one.redactions for one in known),
                secrets=sum(one.secrets for one in known),
                redacted=tuple(
                    (doc_id, one.redactions, one.secrets)
                    for doc_id, one in by_id.items()
                    if one.redactions or one.secrets
                ),
            )
        )
    return Manifest(tuple(rows))


def _total(counts: Sequence[int | None]) -> int | None:
    """Return the sum, or None where a part of it is unknown."""
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else None


def write_manifest(path: Path, manifest: Manifest) -> None:
    """Write the manifest as JSON beside `path` and rename it into place.

    Raises:
        WriteFailed: The disk refused.
    """
    partial = path.with_suffix(".partial")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        partial.write_text(
            json.dumps(manifest.as_json(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
        )
        partial.replace(path)
    except OSError as error:
        raise WriteFailed(
            f"{path}: expected to write the manifest, found: {error.strerror}",
            hint="free some disk space, check the folder's permissions, or point STRATA_HOME elsewhere",
        ) from error
