"""How commands print: tables on a terminal, one record a line elsewhere, JSON on request."""

from __future__ import annotations

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
        tag: The first field of their lines, where one output has lines of several kinds.
        empty: What is said on a terminal if there is no record.
    """

    name: str
    columns: tuple[str, ...]
    records: Sequence[Record] = field(default_factory=list)
    tag: str = ""
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
                _print_table(section)
            else:
                for record in section.records:
                    print(_line(section, record))


def _line(section: Section, record: Record) -> str:
    values = [_cell(record.get(column)) for column in section.columns]
    return "\t".join([section.tag, *values] if section.tag else values)


def _cell(value: Any) -> str:
    """A value without line ends and tabs, "-" for nothing."""
    if isinstance(value, (list, tuple)):
        value = ", ".join(map(str, value))
    return " ".join(str(value).split()) if value is not None and value != "" else "-"


def _plain_value(value: Any) -> Any:
    return str(value) if isinstance(value, Path) else repr(value)


def _print_table(section: Section) -> None:
    # Only here: importing it takes longer than most commands.
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(soft_wrap=True)
    if not section.records:
        if section.empty:
            console.print(Text(section.empty))
        return
    table = Table(title=section.name, title_justify="left")
    for column in section.columns:
        table.add_column(column, overflow="fold")
    for record in section.records:
        cells = [_cell(record.get(column)) for column in section.columns]
        table.add_row(*(Text("" if c == "-" else c, style=_STYLES.get(c, "")) for c in cells))
    # soft_wrap would keep the table from fitting its columns to the window.
    console.print(table, soft_wrap=False)
