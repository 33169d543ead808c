"""What an inspection of stored documents found, as text and as JSON values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from strata_rag.corpus import RULES, CorpusQuality, Coverage, DocumentQuality
from strata_rag.report.manifest import known, named, print_coverage, wrapped
from strata_rag.report.tables import new_table, print_rows, print_table
from strata_rag.report.visible import visible

_LINES_SHOWN = 5
_LINE_LENGTH = 60


@dataclass(frozen=True, slots=True)
class InspectedDocument:
    """One stored document.

    Attributes:
        quality: What is known of its text.
        source: First folder under the corpus root.
        project: The next one, or what the adapter said.
        chunks: Chunks stored.
        tokens: Tokens of all of them, or None where they were not counted.
        max_tokens: Tokens of the longest, or None.
        chunk_flags: How many of its chunks have each flag that any has.
    """

    quality: DocumentQuality
    source: str
    project: str
    chunks: int
    tokens: int | None
    max_tokens: int | None
    chunk_flags: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class DocumentInspection:
    """The documents of a collection, or one of them.

    Attributes:
        collection: Where they are stored.
        documents: Those shown, sorted by id.
        quality: What is known of all of them.
        chunk_flags: How many chunks of all documents have each flag that any has.
        coverage: From the saved manifest, or None where there is none.
        warnings: What a reader should know.
    """

    collection: str
    documents: tuple[InspectedDocument, ...]
    quality: CorpusQuality
    chunk_flags: Mapping[str, int]
    coverage: Coverage | None
    warnings: tuple[str, ...]


def document_inspection_document(found: DocumentInspection) -> dict[str, Any]:
    """Return what ``strata inspect --json`` prints."""
    quality = found.quality
    return {
        "collection": found.collection,
        "documents": [_document(one) for one in found.documents],
        "flags": quality.flag_counts(),
        "rules": RULES,
        "chunk_flags": dict(found.chunk_flags),
        "expected_language": quality.language,
        "languages": quality.languages(),
        "repeated_lines": [{"line": line, "documents": count} for line, count in quality.repeated],
        "coverage": found.coverage.as_json() if found.coverage else None,
        "warnings": list(found.warnings),
    }


def _document(one: InspectedDocument) -> dict[str, Any]:
    quality = one.quality
    return {
        "doc_id": quality.doc_id,
        "source": one.source,
        "project": one.project,
        "chunks": one.chunks,
        "characters": quality.characters,
        "tokens": one.tokens,
        "max_tokens": one.max_tokens,
        "language": quality.language,
        "boilerplate": quality.boilerplate,
        "near_duplicate_of": asdict(quality.like) if quality.like else None,
        "flags": list(quality.flags),
        "chunk_flags": dict(one.chunk_flags),
    }


def print_document_inspection(found: DocumentInspection, *, each: bool) -> None:
    """Print totals, flags, repeated lines and coverage; with `each` a row for every document first."""
    if len(found.documents) < len(found.quality.documents):
        for one in found.documents:
            _print_document(one)
        return
    if each:
        _print_documents(found)
        print()
    _print_totals(found)
    _print_flags(found)
    _print_repeated(found.quality)
    if found.coverage is not None:
        print_coverage(found.coverage, documents=False)


def _print_documents(found: DocumentInspection) -> None:
    rows = [
        (
            visible("\n".join([one.quality.doc_id, *(f"  !! {said}" for said in _said(one.quality))])),
            one.quality.language or "",
            str(one.chunks),
            f"{one.quality.characters:,}",
            "" if one.tokens is None else f"{one.tokens:,}",
        )
        for one in found.documents
    ]
    print_rows(("document", "language", "chunks", "chars", "tokens"), rows, text_columns=2)


def _print_document(one: InspectedDocument) -> None:
    quality = one.quality
    tokens = "" if one.tokens is None else f", {one.tokens:,} tokens"
    longest = "" if one.max_tokens is None else f", longest chunk {one.max_tokens:,} tokens"
    print(visible(quality.doc_id))
    print(visible(f"  source {one.source or 'none'}, project {one.project or 'none'}"))
    print(f"  language {quality.language or 'unknown'}, boilerplate {quality.boilerplate:.0%}")
    print(f"  {one.chunks} chunks, {quality.characters:,} characters{tokens}{longest}")
    for said in _said(quality):
        print(wrapped(visible(f"  !! {said}")))
    for flag, count in one.chunk_flags.items():
        print(f"  !! {count} of its chunks: {flag}")


def _said(quality: DocumentQuality) -> list[str]:
    """Return the flags, each with what it was found by."""
    return [f"{flag}{_detail(quality, flag)}" for flag in quality.flags]


def _detail(quality: DocumentQuality, flag: str) -> str:
    if flag == "near-duplicate" and quality.like is not None:
        return f" of {quality.like.first} ({quality.like.share:.0%})"
    if flag == "mostly boilerplate":
        return f" ({quality.boilerplate:.0%})"
    if flag == "other language":
        return f" ({quality.language})"
    if flag in ("far longer", "far shorter"):
        return f" ({quality.characters:,} characters)"
    return ""


def _print_totals(found: DocumentInspection) -> None:
    documents = found.documents
    counted = [one.tokens for one in documents if one.tokens is not None]
    tokens = f", {sum(counted):,} tokens" if len(counted) == len(documents) else ""
    print(f"collection {found.collection}")
    print(
        f"{len(documents)} documents, {sum(one.chunks for one in documents)} chunks, "
        f"{known(sum(one.quality.characters for one in documents))} characters{tokens}"
    )
    languages = ", ".join(f"{name} {count}" for name, count in found.quality.languages().items())
    print(wrapped(f"languages: {languages}; expected: {found.quality.language or 'none'}"))


def _print_flags(found: DocumentInspection) -> None:
    counts = found.quality.flag_counts()
    print()
    if counts:
        table = new_table()
        table.add_column("documents", justify="right")
        for heading in ("flag", "which"):
            table.add_column(heading, overflow="fold")
        for flag, count in counts.items():
            flagged = [one for one in found.quality.documents if flag in one.flags]
            which = named([f"{one.doc_id}{_detail(one, flag)}" for one in flagged])
            table.add_row(str(count), flag, which)
        print_table(table)
        print(
            "flags propose; nothing is left out for them. --documents names every document, --json the rules"
        )
    else:
        print("no document has a flag")
    if found.chunk_flags:
        flags = ", ".join(f"{count} {flag}" for flag, count in found.chunk_flags.items())
        print(wrapped(f"chunks: {flags} (--chunks shows them)"))


def _print_repeated(quality: CorpusQuality) -> None:
    if not quality.repeated:
        return
    print("\nlines that three or more documents have")
    for line, count in quality.repeated[:_LINES_SHOWN]:
        cut = line if len(line) <= _LINE_LENGTH else f"{line[:_LINE_LENGTH]} ..."
        print(f"  {count} documents: {visible(cut)}")
    if len(quality.repeated) > _LINES_SHOWN:
        print(f"  ... and {len(quality.repeated) - _LINES_SHOWN} more; --json gives all")
