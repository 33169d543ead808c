"""What a collection was made from: a JSON file beside an embedded shard, metadata on a server."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from strata_rag.errors import CollectionError, WriteFailed

RECORD_FORMAT = 1


@dataclass(frozen=True, slots=True)
class CollectionRecord:
    """What one collection holds and what it was made from.

    Attributes:
        name: The collection's name.
        says: What the config says about the stored points (it is in the name's digest).
        model: Canonical id, revision, fingerprint of the resolved weights and most tokens of a text.
        dimension: Length of the dense vectors.
        stages: Version of each of our stages that shaped the points.
        privacy: Detector, secret rules and digest of the policy that its texts were redacted with.
        sources: Digests of the relevance rules, the plugins and the rosters in use; without them, empty.
        avg_len: Average terms a chunk, as it stands in the BM25 weights.
        corpus: Root, digest and number of documents.
        chunks: Number of points.
        truncated: Chunks longer than the model's limit.
        complete: Written last; False while an ingest is at work or was cut short.
    """

    name: str
    says: Mapping[str, Any]
    model: Mapping[str, Any]
    dimension: int
    stages: Mapping[str, int]
    privacy: Mapping[str, Any] = field(default_factory=dict)
    sources: Mapping[str, Any] = field(default_factory=dict)
    avg_len: float = 1.0
    corpus: Mapping[str, Any] = field(default_factory=dict)
    chunks: int = 0
    truncated: int = 0
    complete: bool = False

    def unfinished(self) -> CollectionRecord:
        """Return the record as it stands while an ingest is at work."""
        return replace(self, complete=False)

    def differences(self, other: CollectionRecord) -> list[str]:
        """Name what `other` was made from that differs, as ``key: here, there``."""
        mine, theirs = _flat(self._origin()), _flat(other._origin())
        return [
            f"{key}: {mine.get(key)!r} here, {theirs.get(key)!r} there"
            for key in sorted(mine.keys() | theirs.keys())
            if mine.get(key) != theirs.get(key)
        ]

    def _origin(self) -> dict[str, Any]:
        return {
            "says": self.says,
            "model": self.model,
            "dimension": self.dimension,
            "stages": self.stages,
            "privacy": self.privacy,
            "sources": self.sources,
        }


def _flat(value: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, item in value.items():
        if isinstance(item, Mapping):
            flat |= _flat(item, f"{prefix}{key}.")
        else:
            flat[f"{prefix}{key}"] = item
    return flat


def write_record(path: Path, record: CollectionRecord) -> None:
    """Write `record` beside `path` and rename it into place.

    Raises:
        WriteFailed: The disk refused.
    """
    text = record_text(record)
    partial = path.with_suffix(".partial")
    try:
        with partial.open("w", encoding="utf-8") as file:
            file.write(text + "\n")
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    except OSError as error:
        raise WriteFailed(
            f"{path}: expected to write the collection's record, found: {error.strerror}",
            hint="free some disk space and run the same command again; it continues from here",
        ) from error


def read_record(path: Path) -> CollectionRecord | None:
    """Return the record at `path`, or None where there is none.

    Raises:
        CollectionError: The file is no record of this format.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as error:
        text = f"not UTF-8: {error}"
    return record_from_text(text, str(path))


def record_text(record: CollectionRecord) -> str:
    """Return `record` as JSON, the same text for the same record."""
    return json.dumps({"format": RECORD_FORMAT, **asdict(record)}, indent=2, sort_keys=True, allow_nan=False)


def record_from_text(text: str, where: str) -> CollectionRecord:
    """Return the record that `text`, found at `where`, holds.

    Raises:
        CollectionError: It is no record of this format.
    """
    try:
        stored = json.loads(text)
        if stored.pop("format") != RECORD_FORMAT:
            raise ValueError("another format")
        return CollectionRecord(**stored)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise CollectionError(
            f"{where}: expected a collection's record of format {RECORD_FORMAT}, found something else ({error})",
            hint="run `strata ingest CONFIG --recreate` to build the collection anew",
        ) from error
