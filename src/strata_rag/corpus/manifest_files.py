"""Manifests on disk: one file, and the earlier ones of a collection."""

from __future__ import annotations

import json
import os
import re
import shutil
from hashlib import sha256
from pathlib import Path

from strata_rag.corpus.manifest import Manifest
from strata_rag.errors import InputError, WriteFailed

EARLIER_KEPT = 20
"""How many earlier manifests of a collection stay."""
PREVIEW = "dry-run"

_REFERENCE = re.compile(rf"(?P<name>.+?)(?:~(?P<back>[0-9]{{1,9}})|@(?P<preview>{PREVIEW}))?", re.DOTALL)
_NAMED = 5  # candidates that a message names


def write_manifest(path: Path, manifest: Manifest) -> None:
    """Write the manifest as JSON beside `path` and rename it into place.

    Raises:
        WriteFailed: The disk refused.
    """
    _write(path, _text(manifest))


def keep_manifest(folder: Path, collection: str, manifest: Manifest) -> Path:
    """Write the manifest of an ingest, and keep the one it replaces if that said anything else.

    The last `EARLIER_KEPT` stay in ``earlier/<collection>/``, numbered in the order they came in. Where the policy of
    redaction has changed they go, since they may name what is taken out now.

    Raises:
        WriteFailed: The disk refused.
    """
    path, text = folder / f"{collection}.json", _text(manifest)
    try:
        before = path.read_bytes() if path.is_file() else None
    except OSError as error:
        raise _write_failed(path, error) from error
    _forget_otherwise_redacted(folder, collection, manifest.privacy)
    if before is not None and before != text.encode() and _privacy(before) == manifest.privacy:
        _keep_earlier(folder / "earlier" / collection, before)
    _write(path, text)
    return path


def remove_manifests(folder: Path, collection: str) -> None:
    """Remove every manifest of a collection that is removed itself."""
    (folder / f"{collection}.json").unlink(missing_ok=True)
    preview_path(folder, collection).unlink(missing_ok=True)
    shutil.rmtree(folder / "earlier" / collection, ignore_errors=True)


def _forget_otherwise_redacted(folder: Path, collection: str, privacy: str) -> None:
    """Remove a dry run's and the earlier manifests that were redacted by another policy."""
    for path in [preview_path(folder, collection), *_earlier(folder / "earlier" / collection)]:
        if path.is_file() and _privacy(path.read_bytes()) != privacy:
            path.unlink(missing_ok=True)


def _privacy(content: bytes) -> str | None:
    """Return what a saved manifest was redacted by, or None where it is damaged."""
    try:
        return str(json.loads(content)["privacy"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


def preview_path(folder: Path, collection: str) -> Path:
    """Return where the manifest of a dry run is saved."""
    return folder / f"{collection}.{PREVIEW}.json"


def find_manifest(folder: Path, reference: str) -> Path:
    """Find a saved manifest.

    Args:
        folder: The workspace's manifests.
        reference: A file's path; or a collection's name or a unique prefix of it: its last ingest's, with ``~2``
            the one kept two before it, with ``@dry-run`` its last dry run's.

    Raises:
        InputError: None or several match.
    """
    if Path(reference).is_file():
        return Path(reference)
    match = _REFERENCE.fullmatch(reference)
    name = match["name"] if match else reference
    collection = _collection(folder, name)
    if match and match["preview"]:
        return _existing(preview_path(folder, collection), f"{name}: a dry run's", "--dry-run")
    back = int(match["back"] or 0) if match else 0
    if back == 0:
        return _existing(folder / f"{collection}.json", f"{name}: an ingest's")
    earlier = _earlier(folder / "earlier" / collection)
    if back > len(earlier):
        raise InputError(
            f"{reference}: at least {back} earlier manifests were expected, found {len(earlier) or 'none'}",
            hint=f"an ingest that changes the manifest keeps the one before it, the last {EARLIER_KEPT} in all",
        )
    return earlier[-back]


def split_reference(reference: str) -> tuple[str, str]:
    """Return the name in a reference, and what follows it, such as ``~1`` or ``@dry-run``."""
    match = _REFERENCE.fullmatch(reference)
    return (match["name"], reference[len(match["name"]) :]) if match else (reference, "")


def _existing(path: Path, expected: str, option: str = "") -> Path:
    if path.is_file():
        return path
    command = f"strata ingest CONFIG {option}".rstrip()
    raise InputError(f"{expected} manifest was expected, found none", hint=f"run `{command}` first")


def _collection(folder: Path, name: str) -> str:
    """Return the collection that `name` is, or begins, among those with a manifest."""
    saved = sorted(path.name for path in folder.glob("*.json")) if folder.is_dir() else []
    known = sorted({one.removesuffix(".json").removesuffix(f".{PREVIEW}") for one in saved})
    matches = [one for one in known if one == name] or [one for one in known if one.startswith(name)]
    if len(matches) == 1:
        return matches[0]
    if matches:
        problem = f"manifest: one collection was expected, found {len(matches)} that begin with {name!r}"
        raise InputError(f"{problem}: {_names(matches)}", hint="give more of the name")
    hint = (
        f"manifests there are: {_names(known)}"
        if known
        else f"{folder} holds none; run `strata ingest CONFIG` first"
    )
    raise InputError(f"manifest: a file, a config or a collection was expected, found {name!r}", hint=hint)


def _names(names: list[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more


def _earlier(folder: Path) -> list[Path]:
    """Return the earlier manifests, oldest first."""
    return sorted(folder.glob("*.json")) if folder.is_dir() else []


def _keep_earlier(folder: Path, content: bytes) -> None:
    earlier = _earlier(folder)
    digest = sha256(content).hexdigest()[:12]
    if earlier and earlier[-1].stem.endswith(digest):  # an ingest that ended between keeping and replacing
        return
    number = int(earlier[-1].name.partition("-")[0]) + 1 if earlier else 1
    _write(folder / f"{number:06}-{digest}.json", content.decode("utf-8", "surrogateescape"))
    for old in earlier[: max(len(earlier) + 1 - EARLIER_KEPT, 0)]:
        old.unlink(missing_ok=True)


def _text(manifest: Manifest) -> str:
    return json.dumps(manifest.as_json(), indent=1, ensure_ascii=False) + "\n"


def _write(path: Path, text: str) -> None:
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        partial.write_text(text, encoding="utf-8", errors="surrogateescape", newline="\n")
        partial.replace(path)
    except OSError as error:
        raise _write_failed(path, error) from error


def _write_failed(path: Path, error: OSError) -> WriteFailed:
    return WriteFailed(
        f"{path}: expected to write the manifest, found: {error.strerror}",
        hint="free some disk space, check the folder's permissions, or point STRATA_HOME elsewhere",
    )
