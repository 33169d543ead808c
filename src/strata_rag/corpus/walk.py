"""Every file under a folder, each with the rule that leaves it out, if one does."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_HIDDEN, _ENVIRONMENT = "hidden: ", "virtual environment: "


@dataclass(frozen=True, slots=True)
class WalkedFile:
    """One file under a root.

    Attributes:
        path: Relative to the root, with ``/``.
        excluded: The rule that leaves it out, or an empty string.
        failed: Why it, or the folder of that name, can't be looked into, or an empty string.
    """

    path: str
    excluded: str = ""
    failed: str = ""


def walk_files(root: Path, *, follow_symlinks: bool) -> Iterator[WalkedFile]:
    """Yield every file under `root` exactly once, sorted by name within each folder.

    Hidden files and folders (``.strata`` among them) and virtual environments are left out; symbolic links
    too, unless `follow_symlinks`, which then enters each real folder once and never leaves `root`.
    """
    yield from _walk(root, "", "", follow_symlinks, {os.path.realpath(root)})


def printable(name: str) -> str:
    """Return a path as text that can be stored and shown: bytes that are not UTF-8 become ``\\xff``."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def is_machinery(reason: str) -> bool:
    """Tell whether `reason` left a file out as hidden or part of a virtual environment: no part of any corpus."""
    return reason.startswith((_HIDDEN, _ENVIRONMENT))


def _walk(root: Path, prefix: str, rule: str, follow: bool, seen: set[str]) -> Iterator[WalkedFile]:
    try:
        with os.scandir(root / prefix) as listing:
            entries = sorted(listing, key=lambda entry: entry.name)
    except OSError as error:
        yield WalkedFile(prefix.rstrip("/"), failed=f"the folder can't be read: {error.strerror}")
        return
    for entry in entries:
        path = prefix + entry.name
        excluded = rule or _rule(entry, follow)
        if not excluded and follow and entry.is_symlink() and not _leads_inside(root, entry.path):
            yield WalkedFile(path, excluded="symbolic link that leads out of the corpus root")
            continue
        try:
            is_folder = entry.is_dir(follow_symlinks=follow and not excluded)
            is_file = bool(excluded) or entry.is_file()
        except OSError as error:  # a symbolic link to itself
            yield WalkedFile(path, failed=f"can't be looked at: {error.strerror}")
            continue
        if is_folder:
            if follow and not excluded:
                real = os.path.realpath(entry.path)
                if real in seen:
                    yield WalkedFile(path, excluded="a folder that was read already under another name")
                    continue
                seen.add(real)
            yield from _walk(root, f"{path}/", excluded or _folder_rule(entry), follow, seen)
        elif is_file:
            yield WalkedFile(path, excluded=excluded)
        else:
            yield WalkedFile(path, excluded="no regular file")


def _leads_inside(root: Path, path: str) -> bool:
    """Tell whether what a link leads to lies under the root; a link to itself leads nowhere else."""
    inside, target = os.path.realpath(root), os.path.realpath(path)
    return target == inside or target.startswith(inside.rstrip(os.sep) + os.sep)


def _rule(entry: os.DirEntry[str], follow: bool) -> str:
    if entry.name.startswith("."):
        return f"{_HIDDEN}{entry.name}"
    if entry.is_symlink() and not follow:
        return "symbolic link (corpus.follow_symlinks is false)"
    return ""


def _folder_rule(entry: os.DirEntry[str]) -> str:
    is_environment = os.path.exists(os.path.join(entry.path, "pyvenv.cfg"))
    return f"{_ENVIRONMENT}{entry.name}" if is_environment else ""
