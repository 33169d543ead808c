"""Older and other workbooks (``.xls``, ``.xlsb``, ``.ods``), by calamine."""

from __future__ import annotations

import io
from datetime import date, datetime, time, timedelta

from strata_rag.corpus.formats.extraction import INSTALL, Extraction, Limits, Options, Unreadable, list_some
from strata_rag.corpus.formats.layout import Row, find_tables
from strata_rag.corpus.formats.rows import tables_extraction
from strata_rag.documents import Scalar


def read_sheets(raw: bytes, *, format: str, options: Options, limits: Limits) -> Extraction:
    """Return a workbook's sheets as sections and their rows as records.

    Raises:
        Unreadable: It is damaged or encrypted, or calamine is missing.
    """
    try:
        from python_calamine import CalamineError, CalamineWorkbook, SheetVisibleEnum
    except ImportError:
        raise Unreadable(f"{format} needs the extra formats: {INSTALL}") from None
    try:
        book = CalamineWorkbook.from_filelike(io.BytesIO(raw))
    except (CalamineError, OSError, ValueError) as error:
        message = " ".join(str(error).split())
        if "password" in message.lower() or "encrypt" in message.lower():
            raise Unreadable("encrypted: a password is needed") from error
        raise Unreadable(f"damaged: {message}") from error
    except BaseException as error:
        raise _as_unreadable(error) from error
    if len(book.sheets_metadata) > limits.max_pages:
        raise Unreadable(
            f"{len(book.sheets_metadata)} sheets, more than corpus.limits.max_pages {limits.max_pages}"
        )
    found, hidden, warnings = [], [], []
    for meta in book.sheets_metadata:
        if meta.visible != SheetVisibleEnum.Visible and not options.hidden_sheets:
            hidden.append(meta.name)
            continue
        try:
            sheet = book.get_sheet_by_name(meta.name)
            cells = sheet.to_python(skip_empty_area=False)
        except BaseException as error:
            warnings.append(f"sheet {meta.name} can't be read: {_as_unreadable(error)}")
            continue
        rows = (
            Row(tuple(map(_shown, row)), tuple(map(_value, row)), number)
            for number, row in enumerate(cells, 1)
        )
        found.append((meta.name, find_tables(rows)))
    if hidden:
        warnings.append(f"hidden sheets left out: {list_some(hidden)}")
    if all(not tables for _, tables in found):
        found = []
    return tables_extraction(found, format=format, options=options, warnings=warnings)


def _as_unreadable(error: BaseException) -> Unreadable:
    """Return what a failure of calamine means; a panic of its Rust code is no `Exception`.

    Raises:
        BaseException: It is not calamine's, such as an interrupt.
    """
    if isinstance(error, KeyboardInterrupt | SystemExit | MemoryError):
        raise error
    return Unreadable(f"damaged: {' '.join(str(error).split())}")


def _shown(cell: object) -> str:
    if isinstance(cell, bool):
        return "TRUE" if cell else "FALSE"
    if isinstance(cell, float):
        return str(int(cell)) if cell == int(cell) and abs(cell) < 1e21 else f"{cell:.15g}"
    if isinstance(cell, datetime):
        is_day = (cell.hour, cell.minute, cell.second) == (0, 0, 0)
        return f"{cell:%Y-%m-%d}" if is_day else f"{cell:%Y-%m-%d %H:%M:%S}".removesuffix(":00")
    if isinstance(cell, date | time):
        return cell.isoformat()
    if isinstance(cell, timedelta):
        return str(cell)
    return str(cell)


def _value(cell: object) -> Scalar:
    if isinstance(cell, float):
        return int(cell) if cell == int(cell) and abs(cell) < 2**53 else cell
    return cell if isinstance(cell, bool | int | str) else _shown(cell)
