"""From tables to one document, or to one document a row."""

from __future__ import annotations

from collections.abc import Sequence

from strata_rag.corpus.formats.extraction import Extraction, Options, Part, Unreadable, list_some
from strata_rag.corpus.formats.layout import Row, Table, row_text, write_table
from strata_rag.corpus.formats.texts import Cleaner, TextBuilder
from strata_rag.documents import Record


def tables_extraction(
    sheets: Sequence[tuple[str, Sequence[Table]]],
    *,
    format: str,
    options: Options,
    encoding: str = "",
    warnings: Sequence[str] = (),
) -> Extraction:
    """Return the tables as one document with their sheets as sections, or with an id column as a document a row.

    Args:
        sheets: Name and tables of each sheet; the name is empty where there is one without a name.
        format: What the file was read as.
        options: Which columns hold id, text and title.
        encoding: Of the file's text.
        warnings: What was found before.

    Raises:
        Unreadable: The id or text column is nowhere, or an id stands twice.
    """
    noted = [*warnings, *_ragged(sheets)]
    if options.id_column is not None:
        parts, more = _parts(sheets, format, options, encoding)
        return Extraction("", format, encoding=encoding, warnings=(*noted, *more), parts=parts)
    builder = TextBuilder()
    for name, tables in sheets:
        builder.end_line(blank=True)
        builder.section(name)
        for table in tables:
            builder.end_line(blank=True)
            write_table(builder, table, may_be_lists=format in ("csv", "tsv"))
    return Extraction(
        text=builder.build(),
        format=format,
        sections=tuple(builder.sections),
        records=tuple(builder.records),
        encoding=encoding,
        warnings=(*noted, *builder.cleaner.warnings),
    )


def _ragged(sheets: Sequence[tuple[str, Sequence[Table]]]) -> list[str]:
    found = []
    for name, tables in sheets:
        rows = [number for table in tables for number in table.ragged]
        if rows:
            where = f"{name}: " if name else ""
            found.append(f"{where}more cells than the header in row {list_some(rows)}")
    return found


def _parts(
    sheets: Sequence[tuple[str, Sequence[Table]]], format: str, options: Options, encoding: str
) -> tuple[tuple[Part, ...], list[str]]:
    parts: dict[str, Part] = {}
    without: list[int] = []
    found: list[str] = []
    for _, tables in sheets:
        for table in tables:
            names = {name.casefold(): name for name in table.names or ()}
            found += [name for name in table.names or () if name]
            id_name = names.get((options.id_column or "").casefold())
            if id_name is None:
                continue
            for name in (options.text_column, options.title_column):
                if name is not None and name.casefold() not in names:
                    raise Unreadable(f"expected a column {name!r}, found {_listed(found)}")
            for row in table.rows:
                part = _part(table, row, id_name, names, options, format, encoding)
                if part is None:
                    without.append(row.number)
                elif part.name in parts:
                    raise Unreadable(
                        f"row {row.number}: expected ids that stand once, found {part.name!r} again"
                    )
                else:
                    parts[part.name] = part
    if not parts and not without:
        raise Unreadable(f"expected a column {options.id_column!r}, found {_listed(found)}")
    return tuple(parts.values()), [f"no id in row {list_some(without)}: left out"] if without else []


def _listed(names: list[str]) -> str:
    return ", ".join(repr(name) for name in names[:12]) or "no header"


def _part(
    table: Table, row: Row, id_name: str, names: dict[str, str], options: Options, format: str, encoding: str
) -> Part | None:
    by_name = {table.name(at): cell for at, cell in enumerate(row.cells)}
    cleaner = Cleaner()
    doc_id = cleaner.clean(by_name.get(id_name, "")).strip()
    if not doc_id:
        return None
    title = _cell(by_name, names, options.title_column)
    if options.text_column is None:
        others = Table(
            (), tuple("" if table.name(at) == id_name else table.name(at) for at in range(len(row.cells))), ()
        )
        hidden = {id_name, names.get((options.title_column or "").casefold(), id_name)}
        cells = tuple("" if table.name(at) in hidden else cell for at, cell in enumerate(row.cells))
        text = row_text(others, Row(cells, row.values, row.number))
    else:
        text = _cell(by_name, names, options.text_column)
    text = cleaner.clean(text)
    values = {
        name: value
        for name, value in table.record(row).items()
        if name not in (id_name, names.get((options.text_column or "").casefold()))
    }
    records = (Record(0, len(text), values),) if values and text else ()
    return Part(
        doc_id,
        Extraction(
            text=text,
            format=format,
            title=" ".join(cleaner.clean(title).split()),
            records=records,
            encoding=encoding,
            warnings=tuple(cleaner.warnings),
        ),
    )


def _cell(by_name: dict[str, str], names: dict[str, str], column: str | None) -> str:
    return by_name.get(names.get(column.casefold(), ""), "") if column is not None else ""
