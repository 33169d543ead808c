"""Console tables that every text renderer shares."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.table import Table


def new_table() -> Table:
    """Return an empty table in the house style."""
    from rich import box
    from rich.table import Table

    return Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)


def print_table(table: Table) -> None:
    """Print a table; where stdout is no terminal, at a fixed width."""
    from rich.console import Console

    width = None if sys.stdout.isatty() else max(shutil.get_terminal_size((120, 24)).columns, 80)
    Console(file=sys.stdout, width=width, highlight=False, emoji=False, markup=False).print(table)


def print_rows(headings: Sequence[str], rows: Sequence[Sequence[str]], *, text_columns: int = 1) -> None:
    """Print rows under headings; the first `text_columns` columns are text, the rest numbers."""
    table = new_table()
    for place, heading in enumerate(headings):
        if place < text_columns:
            table.add_column(heading, overflow="fold")
        else:
            table.add_column(heading, justify="right", overflow="fold")
    for row in rows:
        table.add_row(*row)
    print_table(table)
