"""CSV and TSV files: the delimiter found, cells kept literally."""

from __future__ import annotations

import csv
import re
import sys
from collections.abc import Iterator
from itertools import islice
from typing import Literal

from strata_rag.corpus.formats.encodings import decode
from strata_rag.corpus.formats.extraction import Extraction, Options
from strata_rag.corpus.formats.layout import Row, Table, find_tables, typed_columns
from strata_rag.corpus.formats.rows import tables_extraction
from strata_rag.corpus.formats.texts import Cleaner

_SAMPLE_LINES = 100
_SEPARATOR_LINE = re.compile(r"sep=(.)\n", re.IGNORECASE)
_MOST_LINES_IN_CELL = 500


def read_csv(raw: bytes, *, options: Options, tabs: bool = False) -> Extraction:
    """Return a CSV file's rows as records.

    Args:
        raw: The file.
        options: Which columns hold id, text and title.
        tabs: Whether its name says that tabs separate the cells.
    """
    decoded = decode(raw)
    cleaner = Cleaner()
    text = cleaner.clean(decoded.text)
    warnings = [*decoded.warnings, *cleaner.warnings]
    delimiter = ""
    if stated := _SEPARATOR_LINE.match(text):
        delimiter, text = stated.group(1), text[stated.end() :]
    dialect = (delimiter, None) if delimiter else _delimiter(text, tabs)
    titles, text = _comments(text, *dialect)
    rows, more = _rows(text, *dialect)
    typed = typed_columns([cells for _, cells in rows[1:]])
    types = [tuple(rows[0][1]), *typed] if rows else []
    table_rows = [
        Row(tuple(cells), values, number) for (number, cells), values in zip(rows, types, strict=True)
    ]
    tables = find_tables(table_rows)
    if titles:
        first = tables[0] if tables else Table((), None, ())
        tables[:1] = [Table((*titles, *first.titles), first.names, first.rows)]
    return tables_extraction(
        [("", tables)],
        format="tsv" if tabs else "csv",
        options=options,
        encoding=decoded.encoding,
        warnings=[*warnings, *more],
        delimiter=dialect[0],
    )


def _rows(text: str, delimiter: str, escape: str | None) -> tuple[list[tuple[int, list[str]]], list[str]]:
    csv.field_size_limit(sys.maxsize if sys.maxsize < 2**31 else 2**31 - 1)
    rows = _parsed(text, delimiter, escape, csv.QUOTE_MINIMAL)
    is_long = any(cell.count("\n") > _MOST_LINES_IN_CELL for _, cells in rows for cell in cells)
    if is_long or _is_misquoted(text, rows, delimiter, escape):
        return _parsed(text, delimiter, escape, csv.QUOTE_NONE), [
            "a quote is never closed: quotes read as text"
        ]
    return rows, []


def _parsed(
    text: str, delimiter: str, escape: str | None, quoting: Literal[0, 3], *, strict: bool = False
) -> list[tuple[int, list[str]]]:
    reader = csv.reader(
        _lines(text),
        delimiter=delimiter,
        escapechar=escape,
        quoting=quoting,
        skipinitialspace=_is_padded(text, delimiter),
        strict=strict,
    )
    return [(number, cells) for number, cells in enumerate(reader, 1)]


def _lines(text: str) -> Iterator[str]:
    """Yield lines with their ends: `str.splitlines` would also cut at the separators of Unicode."""
    start = 0
    while start < len(text):
        end = text.find("\n", start) + 1 or len(text)
        yield text[start:end]
        start = end


def _is_misquoted(text: str, rows: list[tuple[int, list[str]]], delimiter: str, escape: str | None) -> bool:
    """Tell whether a quote that nothing closes, or that was none, has swallowed line ends."""
    if not any("\n" in cell for _, cells in rows for cell in cells):
        return False
    try:
        _parsed(text, delimiter, escape, csv.QUOTE_MINIMAL, strict=True)
    except csv.Error as error:
        plain = _parsed(text, delimiter, escape, csv.QUOTE_NONE)
        return "unexpected end" in str(error) or len({len(cells) for _, cells in plain if cells}) == 1
    return False


def _comments(text: str, delimiter: str, escape: str | None) -> tuple[list[str], str]:
    """Split off the lines above the header that begin with ``#``; the last may be the header itself."""
    lines = []
    for line in islice(_lines(text), _SAMPLE_LINES):
        lines.append(line)
        if not line.startswith("#"):
            break
    comments = lines[:-1]
    if not comments or lines[-1].startswith("#"):
        return [], text
    widths = [len(_parsed(line, delimiter, escape, csv.QUOTE_NONE)[0][1]) for line in lines[-2:]]
    if widths[0] == widths[1]:
        comments.pop()
    rest = text[sum(map(len, comments)) :]
    return [" ".join(line.split()) for line in comments if line.strip("# \n")], rest


def _is_padded(text: str, delimiter: str) -> bool:
    """Tell whether quotes stand behind a space, where a reader would not see them as quotes."""
    return f'{delimiter} "' in text[:20_000] and f'{delimiter}"' not in text[:20_000]


def _delimiter(text: str, tabs: bool) -> tuple[str, str | None]:
    sample = "".join(islice(_lines(text), _SAMPLE_LINES))[:200_000]
    escapes = [None, "\\"] if re.search(r"\\[,;\t|\"]", sample) else [None]
    best: tuple[float, str, str | None] = (0.0, "\t" if tabs else ",", None)
    for delimiter in "\t,;|" if tabs else ",;\t|":
        for escape in escapes:
            rows = [cells for _, cells in _parsed(sample, delimiter, escape, csv.QUOTE_MINIMAL) if any(cells)]
            widths = [len(cells) for cells in rows]
            score = _regularity(widths)
            # A backslash is a sign like any other unless reading it as an escape makes all rows alike.
            if score > best[0] + 1e-9 and (escape is None or len(set(widths)) == 1):
                best = (score, delimiter, escape)
    return best[1], best[2]


def _regularity(widths: list[int]) -> float:
    """Return the share of rows with the most frequent width, 0 where that is one; wider counts a little more."""
    if not widths:
        return 0.0
    usual = max(set(widths), key=lambda width: (widths.count(width), width))
    if usual < 2:
        return 0.0
    # What splits the first row counts half as much as what makes all rows alike.
    return widths.count(usual) / len(widths) + min(usual, 50) / 1000 + (0.5 if widths[0] > 1 else 0.0)
