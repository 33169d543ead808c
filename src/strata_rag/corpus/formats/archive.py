"""Zip archives: each file inside read like a file of its own, within limits."""

from __future__ import annotations

import posixpath
from collections.abc import Callable

from strata_rag.corpus.formats.extraction import Extraction, Limits, Part, Unreadable, list_some
from strata_rag.corpus.formats.packed import Packed

ReadBytes = Callable[[str, bytes], Extraction]


def read_zip(raw: bytes, *, name: str, limits: Limits, read: ReadBytes) -> Extraction:
    """Return the documents inside an archive; nothing is written to disk, so paths that lead out of it do no harm.

    Args:
        raw: The archive.
        name: What its documents' ids begin with.
        limits: How far it may unpack.
        read: Reads a file, from its name and bytes.

    Raises:
        Unreadable: It is damaged, or would unpack beyond a limit.
    """
    packed = Packed(raw, limits)
    parts: list[Part] = []
    warnings: list[str] = []
    seen: set[str] = set()
    hidden = 0
    for member in packed.members:
        if member.is_dir():
            continue
        path = _harmless(member.filename)
        if not path or path.startswith((".", "__MACOSX/")) or "/." in path:
            hidden += 1
            continue
        if path in seen:
            warnings.append(f"{path}: stands twice, the second left out")
            continue
        seen.add(path)
        try:
            found = read(path, packed.read_member(member))
        except Unreadable as error:
            if "corpus.limits.max_unpacked" in str(error):
                raise
            warnings.append(f"{path}: {error}")
            continue
        warnings += [f"{path}: {warning}" for warning in found.warnings]
        if found.parts:
            parts += [_placed(part, name, path) for part in found.parts]
        else:
            parts.append(Part(f"{name}/{path}", found))
    if hidden:
        warnings.append(f"{hidden} hidden file{'s' if hidden > 1 else ''} inside left out")
    if not parts:
        raise Unreadable(f"no document inside: {list_some(warnings, 3)}" if warnings else "no file inside")
    return Extraction("", "zip", warnings=tuple(warnings), parts=tuple(parts))


def _placed(part: Part, name: str, path: str) -> Part:
    """Return a part under the archive's name; the rows of a table keep the ids that it gives them."""
    return Part(f"{name}/{part.name}", part.extraction) if part.name.startswith(f"{path}/") else part


def _harmless(name: str) -> str:
    """Return a member's path without what would lead out of the archive."""
    plain = posixpath.normpath("/" + name.replace("\\", "/"))
    return plain.lstrip("/")
