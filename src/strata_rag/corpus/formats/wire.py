"""What a reading process and its parent say to one another: JSON behind its length."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import IO, Any

from strata_rag.corpus.formats.extraction import Extraction, Part
from strata_rag.documents import Record, Section

_LENGTH_BYTES = 8


def send(stream: IO[bytes], message: dict[str, Any]) -> None:
    """Write one message."""
    body = json.dumps(message, separators=(",", ":")).encode("ascii")
    stream.write(len(body).to_bytes(_LENGTH_BYTES, "big") + body)
    stream.flush()


def receive(stream: IO[bytes]) -> dict[str, Any] | None:
    """Return the next message, or None where the other side has ended."""
    head = stream.read(_LENGTH_BYTES)
    if len(head) < _LENGTH_BYTES:
        return None
    length = int.from_bytes(head, "big")
    body = stream.read(length)
    if len(body) < length:
        return None
    message: dict[str, Any] = json.loads(body)
    return message


def as_message(extraction: Extraction) -> dict[str, Any]:
    """Return an extraction as JSON values."""
    return asdict(extraction)


def as_extraction(message: dict[str, Any]) -> Extraction:
    """Return the extraction that a message holds."""
    return Extraction(
        text=message["text"],
        format=message["format"],
        title=message["title"],
        metadata=message["metadata"],
        pages=tuple(message["pages"]),
        sections=tuple(Section(**one) for one in message["sections"]),
        records=tuple(Record(**one) for one in message["records"]),
        encoding=message["encoding"],
        warnings=tuple(message["warnings"]),
        parts=tuple(Part(one["name"], as_extraction(one["extraction"])) for one in message["parts"]),
    )
