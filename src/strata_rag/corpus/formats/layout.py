"""Where a table's header is, and what its rows say: shared by CSV, spreadsheets and lists of records."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from strata_rag.corpus.formats.texts import TextBuilder
from strata_rag.documents import Scalar

_NUMBER = re.compile(
    r"[-+]?[$€£¥]?\s?[-+]?(?:\d{1,3}(?:[,. ]\d{3})+|\d+)(?:[.,]\d+)?(?:[eE][-+]?\d+)?\s?[%€$£¥]?"
)
_ERROR = re.compile(r"#(?:DIV/0!|N/A|NAME\?|NULL!|NUM!|REF!|VALUE!|SPILL!|CALC!|GETTING_DATA)")
_DATE = re.compile(r"\d{1,4}[-./]\d{1,2}[-./]\d{1,4}(?:[ T]\d{1,2}:\d{2}.*)?|\d{1,2}:\d{2}(?::\d{2})?")
_YEAR = re.compile(r"(?:1[5-9]|20|21)\d\d")
_INTEGER = re.compile(r"-?(?:0|[1-9]\d{0,14})")
_DECIMAL = re.compile(r"-?(?:0|[1-9]\d{0,14})\.\d{1,15}")
_SHORT = 3
"""Longest name and cell in a table that is written as two lists a row."""
_LONGEST_NAME = 200


@dataclass(frozen=True, slots=True)
class Row:
    """One row as the source has it.

    Attributes:
        cells: What each cell shows, from the first column on.
        values: What each cell is; the same texts where the source has no types.
        number: Its number in the source, from 1.
    """

    cells: tuple[str, ...]
    values: tuple[Scalar, ...]
    number: int


@dataclass(frozen=True, slots=True)
class Table:
    """A block of rows below one header.

    Attributes:
        titles: Lines above the header.
        names: Of the columns, each once; None where no row is a header.
        rows: The rows below it.
    """

    titles: tuple[str, ...]
    names: tuple[str, ...] | None
    rows: tuple[Row, ...]

    def name(self, column: int) -> str:
        """Return a column's name; one without a name is called after its place."""
        named = self.names is not None and column < len(self.names) and self.names[column]
        return named or f"column {column + 1}"

    def record(self, row: Row) -> dict[str, Scalar]:
        """Return the row's values by column name, without empty cells."""
        return {self.name(at): value for at, value in enumerate(row.values) if row.cells[at].strip()}

    @property
    def unused(self) -> list[str]:
        """Names of columns in which no row has a value: no row would show them."""
        used = {at for row in self.rows for at, cell in enumerate(row.cells) if cell.strip()}
        return [name for at, name in enumerate(self.names or ()) if name and at not in used]

    @property
    def ragged(self) -> list[int]:
        """Numbers of the rows that have another number of cells than the header, empty cells at the end aside."""
        width = len(self.names or ())
        return [row.number for row in self.rows if width and len(row.cells) > width]


def find_tables(rows: Iterable[Row]) -> list[Table]:
    """Return the tables of a sheet: a blank row ends one unless what follows is more of the same."""
    tables: list[Table] = []
    for block in _blocks(rows):
        table = _table(block)
        if tables and table.names is None and _continues(tables[-1], block):
            last = tables[-1]
            tables[-1] = Table(last.titles, last.names, (*last.rows, *block))
        else:
            tables.append(table)
    return _joined_titles(tables)


def write_table(builder: TextBuilder, table: Table, *, may_be_lists: bool = False) -> None:
    """Write title lines, then each row as a record on a line of its own.

    Args:
        builder: Takes the lines.
        table: The rows.
        may_be_lists: Whether a table of very short names and cells keeps its commas, as ``a,b: 1,2``.
    """
    for title in table.titles:
        builder.line(title)
    if unused := table.unused:
        builder.line("; ".join(unused))
    narrow = may_be_lists and _is_narrow(table)
    for row in table.rows:
        builder.record(_short_form(table, row) if narrow else row_text(table, row), table.record(row))


def row_text(table: Table, row: Row) -> str:
    """Return a row as ``name: value; name: value``; without a header its cells alone."""
    shown = []
    for at, cell in enumerate(row.cells):
        cell = " ".join(cell.split())
        if not cell:
            continue
        named = table.names is not None and (at >= len(table.names) or table.names[at])
        shown.append(f"{table.name(at).rstrip(':') or table.name(at)}: {cell}" if named else cell)
    return "; ".join(shown)


def typed_columns(rows: Sequence[Sequence[str]]) -> list[tuple[Scalar, ...]]:
    """Return cells as numbers in the columns where every cell is a plain one; ``007`` and ``1e5`` are texts."""
    width = max(map(len, rows), default=0)
    kinds: list[type] = []
    for at in range(width):
        cells = [row[at] for row in rows if at < len(row) and row[at]]
        if cells and all(map(_INTEGER.fullmatch, cells)):
            kinds.append(int)
        elif cells and all(_INTEGER.fullmatch(cell) or _DECIMAL.fullmatch(cell) for cell in cells):
            kinds.append(float)
        else:
            kinds.append(str)
    return [tuple(kinds[at](cell) if cell else "" for at, cell in enumerate(row)) for row in rows]


def _blocks(rows: Iterable[Row]) -> list[list[Row]]:
    blocks: list[list[Row]] = [[]]
    for row in rows:
        if any(cell.strip() for cell in row.cells):
            blocks[-1].append(_trimmed(row))
        elif blocks[-1]:
            blocks.append([])
    return [block for block in blocks if block]


def _trimmed(row: Row) -> Row:
    end = len(row.cells)
    while end and not row.cells[end - 1].strip():
        end -= 1
    return Row(row.cells[:end], row.values[:end], row.number)


def _filled(row: Row) -> int:
    return sum(1 for cell in row.cells if cell.strip())


def _table(block: list[Row]) -> Table:
    at = _header_at(block)
    if at is None:
        return Table((), None, tuple(block))
    titles = tuple(_plain(row) for row in block[:at])
    rows = tuple(block[at + 1 :])
    width = max((len(block[at].cells), *(0 for _ in rows)))
    return Table(titles, _unique_names(block[at].cells[:width]), rows)


def _header_at(block: list[Row]) -> int | None:
    """Return the index of the row that names the columns, or None."""
    usual = sorted(_filled(row) for row in block)[len(block) // 2]
    for at, row in enumerate(block[:10]):
        filled = _filled(row)
        if filled < min(2, usual) or filled * 2 < usual:
            continue
        return at if _is_header(row, block[at + 1 :]) else None
    return None


def _is_header(row: Row, below: list[Row]) -> bool:
    cells = [cell.strip() for cell in row.cells if cell.strip()]
    if any(len(cell) > _LONGEST_NAME for cell in cells):
        return False
    odd = [at for at, cell in enumerate(row.cells) if _is_value(cell) or not isinstance(row.values[at], str)]
    if not odd:
        return len(row.cells) > 1 or bool(below)
    if below and len(odd) > 1 and _are_years([row.cells[at] for at in odd]):
        return True
    if len(odd) < len(cells) and _are_years([row.cells[at] for at in odd]):
        return True
    # Numbers head columns whose cells are none.
    return (
        bool(below)
        and all(not any(_is_value(one.cells[at]) for one in below[:20] if at < len(one.cells)) for at in odd)
        and any(at < len(one.cells) and one.cells[at].strip() for at in odd for one in below[:20])
    )


def _are_years(cells: list[str]) -> bool:
    """Tell whether cells are years that rise or fall, as they stand above columns."""
    if not all(_YEAR.fullmatch(cell.strip()) for cell in cells):
        return False
    years = [int(cell) for cell in cells]
    return years in (sorted(set(years)), sorted(set(years), reverse=True))


def _is_value(cell: str) -> bool:
    cell = cell.strip()
    return bool(cell) and bool(_NUMBER.fullmatch(cell) or _DATE.fullmatch(cell) or _ERROR.fullmatch(cell))


def _unique_names(cells: Sequence[str]) -> tuple[str, ...]:
    names: list[str] = []
    taken: set[str] = set()
    for cell in cells:
        name = plain = " ".join(cell.split())
        number = 2
        while name and name in taken:
            name, number = f"{plain} ({number})", number + 1
        taken.add(name)
        names.append(name)
    return tuple(names)


def _continues(table: Table, block: list[Row]) -> bool:
    """Tell whether rows without a header of their own stand below the one of `table`."""
    if table.names is None or not table.rows or max(map(_filled, block)) < 2:
        return False
    return max(len(row.cells) for row in block) <= len(table.names)


def _joined_titles(tables: list[Table]) -> list[Table]:
    """Put a single line that stands above a blank row on top of the table that follows."""
    joined: list[Table] = []
    waiting: tuple[str, ...] = ()
    for table in tables:
        lines = [_plain(row) for row in table.rows] if table.names is None else []
        if table.names is None and all(_filled(row) == 1 for row in table.rows):
            waiting += tuple(lines)
        elif table.names is not None and not table.rows and sum(map(bool, table.names)) == 1:
            waiting += (*table.titles, *(name for name in table.names if name))
        else:
            joined.append(Table((*waiting, *table.titles), table.names, table.rows))
            waiting = ()
    if waiting:
        joined.append(Table(waiting, None, ()))
    return joined


def _plain(row: Row) -> str:
    return "; ".join(" ".join(cell.split()) for cell in row.cells if cell.strip())


def _is_narrow(table: Table) -> bool:
    if table.names is None or not all(table.names):
        return False
    if any(len(name) > _SHORT for name in table.names):
        return False
    return all(
        len(row.cells) == len(table.names)
        and all(cell.strip() and len(cell) <= _SHORT and "," not in cell for cell in row.cells)
        for row in table.rows
    )


def _short_form(table: Table, row: Row) -> str:
    return f"{','.join(table.names or ())}: {','.join(cell.strip() for cell in row.cells)}"
