"""Read one file: what it is decides who reads it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from importlib import import_module
from inspect import signature
from pathlib import Path, PurePosixPath

from strata_rag.corpus.formats.extraction import Extraction, Limits, NoReader, Options, Unreadable
from strata_rag.corpus.formats.sniff import sniff
from strata_rag.corpus.formats.texts import Cleaner
from strata_rag.documents import Record, Scalar

SUFFIXES = {
    "md": "md", "markdown": "md", "mdown": "md", "mkd": "md",
    "txt": "txt", "text": "txt", "rst": "txt", "adoc": "txt",
    "html": "html", "htm": "html", "xhtml": "html", "php": "html", "phtml": "html", "mht": "eml", "mhtml": "eml",
    "docx": "docx", "docm": "docx", "dotx": "docx", "dotm": "docx",
    "pdf": "pdf",
    "xlsx": "xlsx", "xlsm": "xlsx", "xltx": "xlsx", "xltm": "xlsx", "xls": "xls", "xlsb": "xlsb", "ods": "ods",
    "csv": "csv", "tsv": "tsv", "tab": "tsv",
    "json": "json", "jsonl": "jsonl", "ndjson": "jsonl",
    "eml": "eml",
    "odt": "odt", "fodt": "odt", "odp": "odt",
    "rtf": "rtf",
    "doc": "doc",
    "zip": "zip",
}  # fmt: skip
"""Endings of names, and the format that each promises."""
TEXTUAL = frozenset({"md", "txt", "html", "csv", "tsv", "json", "jsonl", "eml"})
_DEEPEST = 3


def extract(path: Path | str, *, options: Options | None = None, limits: Limits | None = None) -> Extraction:
    """Read a file in this process, as plugins may.

    The reader follows from the file's content; its name decides only where the content leaves a choice, as between
    text formats. No limit on time or memory holds here: `ReaderPool` sets those.

    Args:
        path: The file.
        options: What is a reader's choice.
        limits: What it may cost.

    Raises:
        Unreadable: It can't be read; the message says why.
    """
    path = Path(path)
    limits = limits or Limits()
    try:
        size = os.stat(path).st_size
        if size > limits.max_bytes:
            raise Unreadable(f"{size} bytes, more than corpus.limits.max_bytes {limits.max_bytes}")
        raw = path.read_bytes()
    except OSError as error:
        raise Unreadable(f"can't be read: {error.strerror}") from error
    return extract_bytes(raw, path.name, options=options, limits=limits)


def extract_bytes(
    raw: bytes, name: str, *, options: Options | None = None, limits: Limits | None = None, depth: int = 0
) -> Extraction:
    """Read a file's bytes; see `extract`.

    Args:
        raw: The bytes.
        name: The file's name.
        options: What is a reader's choice.
        limits: What it may cost.
        depth: How many archives or mails it lies in.

    Raises:
        Unreadable: They can't be read; the message says why.
    """
    options, limits = options or Options(), limits or Limits()
    stated = SUFFIXES.get(suffix_of(name), "")
    kind = format_of(raw, name)
    read = _reader(kind, name, options, limits, depth)
    try:
        found = read(raw)
    except RecursionError:
        raise Unreadable(f"expected {kind}, found parts nested too deep") from None
    except MemoryError:
        raise Unreadable(f"needs more memory than corpus.limits.memory_mb {limits.memory_mb}") from None
    if stated and kind != stated and not (kind == "eml" and stated == "txt"):
        found = replace(found, warnings=(f"its name says {stated}, it was read as {kind}", *found.warnings))
    if not found.parts and not found.text.strip():
        what = "the file is empty" if kind in TEXTUAL else "no text found"
        found = replace(found, warnings=(*found.warnings, f"{what}: no chunk"))
    blank = [part.name for part in found.parts if not part.extraction.text.strip()]
    if blank and kind != "zip":  # what lies in an archive was read by itself, and has told
        told = tuple(f"document {name} is empty: no chunk" for name in blank)
        found = replace(found, warnings=(*found.warnings, *told))
    return _with_whole_texts(found)


def _with_whole_texts(found: Extraction) -> Extraction:
    """Return the extraction with metadata and record values in the one form that texts have."""
    clean = Cleaner().clean

    def cleaned(values: Mapping[str, Scalar]) -> dict[str, Scalar]:
        return {
            clean(key): clean(value) if isinstance(value, str) else value for key, value in values.items()
        }

    return replace(
        found,
        title=clean(found.title),
        metadata=cleaned(found.metadata),
        records=tuple(Record(one.start, one.end, cleaned(one.values)) for one in found.records),
        parts=tuple(replace(part, extraction=_with_whole_texts(part.extraction)) for part in found.parts),
        warnings=tuple(map(clean, found.warnings)),
    )


def suffix_of(name: str) -> str:
    """Return a name's ending in small letters, without the stop."""
    return PurePosixPath(name).suffix[1:].lower()


def format_of(raw: bytes, name: str) -> str:
    """Return the format to read a file as.

    Raises:
        Unreadable: There is no reader for what it holds.
    """
    suffix = suffix_of(name)
    stated = SUFFIXES.get(suffix, "")
    found = sniff(raw)
    if found == "text":
        return _textual(stated, suffix, raw)
    if found in ("html", "mail"):
        kind = "eml" if found == "mail" else "html"
        # A page may stand inside a Markdown or text file, and be meant as text.
        return stated if stated in ("md", "txt", "csv", "tsv", "json", "jsonl", "html", "eml") else kind
    if found == "" and stated in TEXTUAL:
        return stated
    if "encrypted" in found:
        raise Unreadable("encrypted: a password is needed")
    if found == "doc":
        raise NoReader("a Word 97-2003 document: no reader; save it as .docx")
    if found == "" or found.startswith(("a ", "an ")):
        what = found or "unknown binary data"
        raise Unreadable(f"expected {stated}, found {what}") if stated else NoReader(f"{what}: no reader")
    if found == "zip" and stated in ("docx", "xlsx", "odt"):
        return stated  # its parts may lie anywhere; the reader says what is missing
    if found == "zip" and stated not in ("", "zip"):
        raise Unreadable(f"expected {stated}, found a zip archive of something else")
    return found


def _textual(stated: str, suffix: str, raw: bytes) -> str:
    if stated in TEXTUAL:
        return stated
    if stated == "odt" and raw.lstrip()[:5] == b"<?xml":
        return "odt"
    if stated and not raw.strip():
        raise Unreadable(f"expected {stated}, found an empty file")
    if stated or not suffix:
        return "txt"
    raise NoReader(f"no reader for .{suffix}")


def _reader(
    kind: str, name: str, options: Options, limits: Limits, depth: int
) -> Callable[[bytes], Extraction]:
    """Return what reads `kind`; each reader's module is imported when it is first needed."""

    def inner(inner_name: str, raw: bytes) -> Extraction:
        if depth >= _DEEPEST:
            raise Unreadable("archives and mails nested too deep")
        return extract_bytes(raw, inner_name, options=options, limits=limits, depth=depth + 1)

    if kind == "zip" and not options.zip:
        raise NoReader("an archive (corpus.zip is false)")
    module, function = _READERS[kind]
    read = getattr(import_module(f"strata_rag.corpus.formats.{module}"), function)
    given = {"options": options, "limits": limits, "name": name, "read": inner, "format": kind}
    wanted = {key: given[key] for key in signature(read).parameters if key in given}
    return partial(read, **wanted, **({"tabs": True} if kind == "tsv" else {}))


_READERS = {
    "md": ("plain", "read_markdown"),
    "txt": ("plain", "read_plain"),
    "html": ("html", "read_html"),
    "rtf": ("rtf", "read_rtf"),
    "pdf": ("pdf", "read_pdf"),
    "odt": ("odt", "read_odt"),
    "docx": ("docx", "read_docx"),
    "xlsx": ("xlsx", "read_xlsx"),
    "xls": ("sheets", "read_sheets"),
    "xlsb": ("sheets", "read_sheets"),
    "ods": ("sheets", "read_sheets"),
    "csv": ("csv", "read_csv"),
    "tsv": ("csv", "read_csv"),
    "json": ("json_lines", "read_json"),
    "jsonl": ("json_lines", "read_jsonl"),
    "eml": ("mail", "read_mail"),
    "zip": ("archive", "read_zip"),
}
"""Module and function that read each format."""
