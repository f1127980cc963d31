"""How commands print: tables on a terminal, one record a line elsewhere, JSON on request."""

from __future__ import annotations

import itertools
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Record = Mapping[str, Any]

_STYLES = {
    "ok": "green",
    "loaded": "green",
    "added": "green",
    "warning": "yellow",
    "replaced": "yellow",
    "problem": "bold red",
    "refused": "bold red",
    "disabled": "red",
}


class UsageError(Exception):
    """The command line asks for something that cannot be meant: exit status 2."""


class CommandError(Exception):
    """A command could not do its work: exit status 1."""


@dataclass(frozen=True)
class Section:
    """Records of one kind.

    Attributes:
        name: Their key in the JSON document, and the title of their table.
        columns: The keys that lines and tables show, in this order; JSON has all of them.
        records: The records.
        heading: A column whose value a terminal shows once above a table of its own, not in every
            line.
        empty: What is said on a terminal if there is no record.
    """

    name: str
    columns: tuple[str, ...]
    records: Sequence[Record] = field(default_factory=list)
    heading: str = ""
    empty: str = ""


class Output:
    """Where a command prints.

    Attributes:
        as_json: Whether the output is one JSON document.
        terminal: Whether somebody reads it on a terminal.
    """

    def __init__(self, as_json: bool = False) -> None:
        self.as_json = as_json
        # Asked of the stream alone: variables that force colours must not change what a pipe gets.
        self.terminal = not as_json and sys.stdout.isatty()

    def show(
        self, sections: Iterable[Section], document: Record | None = None, text: str = ""
    ) -> None:
        """Prints what a command found.

        Args:
            sections: The records.
            document: The JSON document, where it is not just the records of each section.
            text: Lines that come before the records; not part of the JSON document.
        """
        sections = list(sections)
        if self.as_json:
            if document is None:
                document = {section.name: section.records for section in sections}
            print(json.dumps(document, indent=2, default=_plain_value))
            return
        if text:
            print(text.rstrip("\n"))
        for section in sections:
            if self.terminal:
                _print_tables(section)
            else:
                for record in section.records:
                    cells = (_cell(record.get(column)) for column in section.columns)
                    print("\t".join(cell or "-" for cell in cells))


def _cell(value: Any) -> str:
    """A value without line ends and tabs."""
    if isinstance(value, (list, tuple)):
        value = ", ".join(map(str, value))
    return " ".join(str(value).split()) if value is not None else ""


def _plain_value(value: Any) -> Any:
    return str(value) if isinstance(value, Path) else repr(value)


def _print_tables(section: Section) -> None:
    # Only here: importing it takes longer than most commands.
    from rich.console import Console
    from rich.text import Text

    console = Console()
    if not section.records and section.empty:
        console.print(Text(section.empty))
    for heading, records in itertools.groupby(
        section.records, lambda record: _cell(record.get(section.heading))
    ):
        if section.heading:
            console.print(Text(f"\n{heading}", style="bold"))
        console.print(_table(section, list(records)))


def _table(section: Section, records: Sequence[Record]) -> Any:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    rows = {
        column: [_cell(record.get(column)) for record in records]
        for column in section.columns
        if column != section.heading
    }
    # A column without a value only takes room from the others.
    shown = {column: cells for column, cells in rows.items() if any(cells)}
    for column in shown:
        table.add_column(column, overflow="fold")
    for cells in zip(*shown.values(), strict=True):
        table.add_row(*(Text(cell, style=_STYLES.get(cell, "")) for cell in cells))
    return table
