"""Reads a file's bytes, or says what stands in the way."""

from __future__ import annotations

import difflib
from pathlib import Path


class UnreadableFile(Exception):
    """A file whose bytes could not be had."""

    def __init__(self, problem: str, hint: str) -> None:
        super().__init__(problem)
        self.problem = problem
        self.hint = hint


def read_bytes(path: Path) -> bytes:
    """Return a file's bytes.

    Raises:
        UnreadableFile: It is missing, a folder, or not readable.
    """
    try:
        if path.is_dir():
            raise UnreadableFile("expected a YAML file, found a folder", _names_in(path))
        if not path.exists():
            raise UnreadableFile("expected a YAML file, found no such file", _near_names(path))
        if not path.is_file():
            raise UnreadableFile("expected a YAML file, found a device or pipe", "save it as a file first")
        return path.read_bytes()
    except OSError as error:
        found = error.strerror or "an error of the file system"
        raise UnreadableFile(f"expected a readable file, found: {found}", "check its permissions") from error
    except ValueError as error:
        raise UnreadableFile("expected a file name, found a NUL character in it", "check the name") from error


def _near_names(path: Path) -> str:
    folder = path.parent
    if not folder.is_dir():
        return f"the folder {folder} does not exist either"
    names = sorted(entry.name for entry in folder.iterdir())
    near = difflib.get_close_matches(path.name, names, n=3)
    return f"did you mean {' or '.join(str(folder / name) for name in near)}?" if near else _names_in(folder)


def _names_in(folder: Path) -> str:
    names = sorted(entry.name for entry in folder.iterdir() if entry.suffix in {".yaml", ".yml"})
    if not names:
        return f"no .yaml file stands in {folder}"
    return f"{folder} holds {', '.join(names[:5])}{' ...' if len(names) > 5 else ''}"
