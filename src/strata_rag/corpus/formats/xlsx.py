"""Excel workbooks (``.xlsx``, ``.xlsm``): each row a record, cells as they are shown."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from strata_rag.corpus.formats.extraction import Extraction, Limits, Options, Unreadable, list_some
from strata_rag.corpus.formats.layout import Row, find_tables
from strata_rag.corpus.formats.packed import Package, attribute, local, whole
from strata_rag.corpus.formats.rows import tables_extraction
from strata_rag.corpus.formats.xlsx_cells import CellFormats, column_of, unescaped
from strata_rag.documents import Scalar

_MOST_COLUMNS = 16_384
_RANGE = re.compile(r"([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})")


def read_xlsx(raw: bytes, *, options: Options, limits: Limits) -> Extraction:
    """Return a workbook's sheets as sections and their rows as records.

    Raises:
        Unreadable: It is damaged, or no workbook.
    """
    package = Package(raw, limits)
    main = package.main_part()
    if main.endswith(".bin"):
        raise Unreadable("a binary workbook")
    root = package.xml(main)
    if local(root) != "workbook":
        raise Unreadable(f"expected a workbook, found a part of kind {local(root)}")
    return _Workbook(package, main, root, options, limits).read()


@dataclass(slots=True)
class _Sheet:
    """A sheet at work: what its cells show and are, by row and column."""

    shown: dict[int, dict[int, str]] = field(default_factory=dict)
    values: dict[int, dict[int, Scalar]] = field(default_factory=dict)
    uncomputed: list[str] = field(default_factory=list)
    last: int = 0

    def rows(self) -> Iterator[Row]:
        previous = 0
        for number in sorted(self.shown):
            if number > previous + 1:
                yield Row((), (), previous + 1)
            previous = number
            cells = self.shown[number]
            width = max(cells, default=-1) + 1
            values = self.values[number]
            yield Row(
                tuple(cells.get(at, "") for at in range(width)),
                tuple(values.get(at, "") for at in range(width)),
                number,
            )


class _Workbook:
    def __init__(self, package: Package, main: str, root: Any, options: Options, limits: Limits) -> None:
        self._package = package
        self._root = root
        self._options = options
        self._limits = limits
        self._relations = package.relations(main)
        self._strings = self._shared_strings()
        setting = next((node for node in root if local(node) == "workbookPr"), None)
        is_1904 = setting is not None and attribute(setting, "date1904") in ("1", "true", "on")
        self._formats = CellFormats.read(self._part("styles"), is_1904=is_1904)
        self._warnings: list[str] = []
        self._lost_strings = 0

    def read(self) -> Extraction:
        sheets = [node for node in self._root.iter() if local(node) == "sheet"]
        if len(sheets) > self._limits.max_pages:
            raise Unreadable(
                f"{len(sheets)} sheets, more than corpus.limits.max_pages {self._limits.max_pages}"
            )
        found, hidden = [], []
        for node in sheets:
            name = attribute(node, "name") or ""
            if attribute(node, "state") in ("hidden", "veryHidden") and not self._options.hidden_sheets:
                hidden.append(name)
                continue
            sheet = self._sheet(name, node)
            if sheet is not None:
                found.append((name, find_tables(sheet.rows())))
        if hidden:
            self._warnings.append(f"hidden sheets left out: {list_some(hidden)}")
        if self._lost_strings:
            noun = "1 cell" if self._lost_strings == 1 else f"{self._lost_strings} cells"
            self._warnings.append(f"{noun} without text: the workbook's list of strings lacks it")
        if all(not tables for _, tables in found):
            found = []
        return tables_extraction(found, format="xlsx", options=self._options, warnings=self._warnings)

    def _part(self, kind: str) -> Any:
        for target, one in self._relations.values():
            if one == kind and self._package.has(target):
                return self._package.xml(target)
        return None

    def _shared_strings(self) -> list[str]:
        root = self._part("sharedStrings")
        return [] if root is None else [_rich_text(node) for node in root if local(node) == "si"]

    def _sheet(self, name: str, node: Any) -> _Sheet | None:
        target, kind = self._relations.get(_relation_id(node), ("", ""))
        if kind != "worksheet":
            what = f"a {kind}, no cells" if kind else "damaged: nothing says which part holds it"
            self._warnings.append(f"{name}: {what}")
            return None
        try:
            root = self._package.xml(target)
        except Unreadable as error:
            self._warnings.append(f"sheet {name} can't be read: {error}")
            return None
        sheet = _Sheet()
        for row in root.iter("{*}row"):
            self._row(row, sheet)
        self._fill_merged(root, sheet)
        if sheet.uncomputed:
            count = len(sheet.uncomputed)
            noun = "a formula has" if count == 1 else f"{count} formulas have"
            self._warnings.append(f"{name}: {noun} no stored value: {list_some(sheet.uncomputed)}")
        return sheet

    def _row(self, row: Any, sheet: _Sheet) -> None:
        stated = attribute(row, "r") or ""
        sheet.last = number = whole(stated, sheet.last + 1)
        shown: dict[int, str] = {}
        values: dict[int, Scalar] = {}
        next_column = 0
        for cell in row:
            if local(cell) != "c":
                continue
            place = attribute(cell, "r") or ""
            column = column_of(place)
            column = next_column if column is None else column
            next_column = column + 1
            if column >= _MOST_COLUMNS:
                continue
            text, value = self._cell(cell)
            if text is None:
                sheet.uncomputed.append(place or f"row {number}")
            elif text:
                shown[column], values[column] = text, value
        if shown:
            sheet.shown[number] = shown
            sheet.values[number] = values

    def _cell(self, cell: Any) -> tuple[str | None, Scalar]:
        """Return what a cell shows and is; None where a formula's value was never stored."""
        kind = attribute(cell, "t") or "n"
        parts = {local(node): node for node in cell}
        if kind == "inlineStr":
            text = _rich_text(parts["is"]) if "is" in parts else ""
            return text, text
        raw = None if "v" not in parts else parts["v"].text
        if raw is None:
            # Some writers leave an empty value behind; only a text can be empty once it was worked out.
            is_uncomputed = "f" in parts and ("v" not in parts or kind != "str")
            return (None if is_uncomputed else ""), ""
        if kind == "s":
            index = whole(raw.strip(), -1)
            if not 0 <= index < len(self._strings):
                self._lost_strings += 1
                return "", ""
            return self._strings[index], self._strings[index]
        if kind == "b":
            return ("TRUE" if raw.strip() == "1" else "FALSE"), raw.strip() == "1"
        if kind in ("str", "e"):
            return unescaped(raw), unescaped(raw)
        if kind == "d":
            return raw, raw
        return self._formats.show(raw.strip(), attribute(cell, "s") or "0")

    def _fill_merged(self, root: Any, sheet: _Sheet) -> None:
        """Give each row below a cell merged downwards that cell's value: it holds for all of them."""
        for node in root.iter("{*}mergeCell"):
            found = _RANGE.fullmatch(attribute(node, "ref") or "")
            if not found:
                continue
            column, top, bottom = column_of(found.group(1)), int(found.group(2)), int(found.group(4))
            if column is None or column not in sheet.shown.get(top, {}):
                continue
            rows = range(top + 1, bottom + 1)
            for number in rows if len(rows) < len(sheet.shown) else list(sheet.shown):
                if number not in rows or number not in sheet.shown:
                    continue
                sheet.shown[number].setdefault(column, sheet.shown[top][column])
                sheet.values[number].setdefault(column, sheet.values[top][column])


def _relation_id(node: Any) -> str:
    return next((str(value) for key, value in node.attrib.items() if key.endswith("}id")), "")


def _rich_text(node: Any) -> str:
    """Return a string's text: its runs joined, phonetic guides left out."""
    parts = []
    for one in node.iter("{*}t"):
        if local(one.getparent()) != "rPh":
            parts.append(one.text or "")
    return unescaped("".join(parts))
