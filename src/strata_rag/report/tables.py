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
    """Print a table, wider than a narrow terminal rather than without its figures."""
    from rich.console import Console

    terminal = sys.stdout is not None and sys.stdout.isatty()
    width = shutil.get_terminal_size((120, 24)).columns
    console = Console(
        file=sys.stdout,
        width=width if terminal else max(width, 80),
        highlight=False,
        emoji=False,
        markup=False,
    )
    needed = console.measure(table, options=console.options.update(width=1000)).minimum
    console.width = max(console.width, needed)
    with console.capture() as captured:  # rich would end the process with 1 where the reader has gone
        console.print(table)
    print(captured.get(), end="")


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
