"""Rosters: tab-separated files of authoritative values, read by header name and without quoting rules."""

from __future__ import annotations

import codecs
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from strata_rag.corpus.checked_adapter import RESERVED
from strata_rag.corpus.registry import Family
from strata_rag.documents import Scalar
from strata_rag.errors import CorpusError

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


@dataclass(frozen=True, slots=True)
class RosterRow:
    """One row.

    Attributes:
        line: 1-based line of the file.
        values: By column; a column whose cell is empty is absent, and so is the key's.
    """

    line: int
    values: Mapping[str, Scalar]


@dataclass(frozen=True, slots=True)
class RosterProblem:
    """A row, or a cell of it, that is not joined.

    Attributes:
        line: 1-based line of the file.
        text: What was expected and what was found.
    """

    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Roster:
    """The rows of one family.

    Attributes:
        path: The file.
        rows: By key; only rows whose values can be relied on.
        columns: The columns that are joined, in the file's order.
        problems: What was left out, by line.
        unusable: Keys whose rows contradict each other or are damaged, with the lines.
    """

    path: Path
    rows: Mapping[str, RosterRow]
    columns: tuple[str, ...]
    problems: tuple[RosterProblem, ...] = ()
    unusable: frozenset[str] = frozenset()

    @property
    def digest(self) -> str:
        """Return 16 hexadecimal digits over what is joined: columns, keys and values."""
        rows = {key: dict(row.values) for key, row in self.rows.items()}
        canonical = json.dumps([self.columns, rows], sort_keys=True, ensure_ascii=True)
        return sha256(canonical.encode()).hexdigest()[:16]


def read_roster(family: Family, folder: Path) -> Roster:
    """Return the roster of `family`.

    Cells are kept literally. A row with too few or too many cells, without a key, or with a key that stands in
    several differing rows, is left out and reported, since none of its values could be relied on.

    Args:
        family: Says which file, and which columns.
        folder: The rosters' folder.

    Raises:
        CorpusError: The file can't be read or its header can't be used; names file and line.
    """
    path = roster_path(family, folder)
    lines = _lines(path, family)
    if not lines:
        raise CorpusError(
            f"{path}:1: expected a header with the column {family.column!r}, found an empty file",
            hint="write the columns' names in the first line, separated by tabs",
        )
    header = _header(lines[0], path, family)
    joined = tuple(
        name
        for name in header
        if name != family.column and (family.columns is None or name in family.columns)
    )
    return _Rows(family, path, header, joined).read(lines[1:])


def roster_path(family: Family, folder: Path) -> Path:
    """Return where the roster of `family` lies."""
    return folder / f"{family.roster}.tsv"


class _Rows:
    """Sorts the rows of one roster into those to rely on and those to report."""

    def __init__(self, family: Family, path: Path, header: Sequence[str], joined: tuple[str, ...]) -> None:
        self._family = family
        self._path = path
        self._header = header
        self._joined = joined
        self._problems: list[RosterProblem] = []
        self._rows: dict[str, RosterRow] = {}
        self._unusable: dict[str, int] = {}

    def read(self, lines: Iterable[str]) -> Roster:
        for number, line in enumerate(lines, 2):
            if line.strip():
                self._row(number, line.split("\t"))
        return Roster(self._path, self._rows, self._joined, tuple(self._problems), frozenset(self._unusable))

    def _row(self, number: int, cells: list[str]) -> None:
        while len(cells) > len(self._header) and not cells[-1].strip():
            cells.pop()
        at = self._header.index(self._family.column)
        key = cells[at] if at < len(cells) else ""
        if len(cells) != len(self._header):
            self._report(
                number, f"expected {len(self._header)} cells, found {len(cells)}: the row is left out"
            )
            if key and key not in self._rows:
                self._unusable.setdefault(key, number)
            return
        if not key.strip():
            self._report(number, f"{self._family.column}: expected a key, found nothing: the row is left out")
            return
        row = RosterRow(number, self._values(number, dict(zip(self._header, cells, strict=True))))
        if (known := self._rows.get(key)) is None and key not in self._unusable:
            self._rows[key] = row
        elif known is not None and known.values == row.values:
            self._report(number, f"{key!r} stands in line {known.line} too, with the same values")
        else:
            first = known.line if known else self._unusable[key]
            self._report(
                number, f"{key!r} stands in line {first} too, with other values: neither row is joined"
            )
            self._rows.pop(key, None)
            self._unusable.setdefault(key, first)

    def _values(self, number: int, cells: Mapping[str, str]) -> Mapping[str, Scalar]:
        values: dict[str, Scalar] = {}
        for name in self._joined:
            if name not in self._family.numbers:
                if cells[name]:
                    values[name] = cells[name]
            elif cells[name].strip():
                value = _number(cells[name])
                if value is None:
                    self._report(
                        number, f"{name}: expected a number, found {cells[name]!r:.60}: the value is left out"
                    )
                else:
                    values[name] = value
        return values

    def _report(self, line: int, text: str) -> None:
        self._problems.append(RosterProblem(line, text))


def _number(text: str) -> int | float | None:
    try:
        if text.strip().lstrip("+-").isdecimal() and len(text.strip()) <= 18:
            return int(text)
        value = float(text.strip())
    except ValueError:
        return None
    return value if math.isfinite(value) and "_" not in text else None


def _lines(path: Path, family: Family) -> list[str]:
    r"""Return the lines without their ends; only ``\n`` and ``\r\n`` end one."""
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise CorpusError(
            f"{path}: expected the roster of family {family.name}, found: {error.strerror}",
            hint="put it there, or set corpus.rosters_dir to the folder that holds it",
        ) from error
    mark, encoding = next((one for one in _MARKS if raw.startswith(one[0])), (b"", "utf-8"))
    try:
        text = raw[len(mark) :].decode(encoding)
    except UnicodeDecodeError as error:
        line = raw[: len(mark) + error.start].count(b"\n") + 1
        raise CorpusError(
            f"{path}:{line}: expected {encoding}, found byte 0x{raw[len(mark) + error.start]:02x}",
            hint="save the roster as UTF-8",
        ) from error
    if "\0" in text:
        line = text[: text.index("\0")].count("\n") + 1
        raise CorpusError(
            f"{path}:{line}: expected text, found a NUL character", hint="save the roster as UTF-8"
        )
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    return lines[:-1] if lines[-1] == "" else lines


def _header(line: str, path: Path, family: Family) -> list[str]:
    names = [name.strip() for name in line.split("\t")]
    while names and not names[-1]:
        names.pop()
    where = f"{path}:1"
    if "" in names:
        raise CorpusError(
            f"{where}: expected a name for each column, found none for column {names.index('') + 1}",
            hint="name the column, or take it out",
        )
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise CorpusError(
            f"{where}: expected each column once, found {twice!r} twice", hint="rename one of the two"
        )
    for name in (family.column, *(family.columns or ()), *family.numbers):
        if name not in names:
            raise CorpusError(
                f"{where}: expected a column {name!r}, as family {family.name} asks for, found {', '.join(names)}",
                hint="columns are separated by tabs; register_family(..., column=...) names the key's",
            )
    for name in names:
        if name == family.column or (family.columns is not None and name not in family.columns):
            continue
        if name in RESERVED or name.startswith("_"):
            raise CorpusError(
                f"{where}: expected column names other than our own fields, found {name!r}",
                hint="rename the column, or let register_family(..., columns=[...]) name those to join",
            )
    return names
