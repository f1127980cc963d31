"""Command line of triton_plugins: `python -m triton_plugins list | info | passes`."""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from . import PluginError, inspection, read_note, search
from .check import check
from .loading import loaded
from .note import Note, read_library


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command.

    Args:
        argv: Arguments; those of the process when None.

    Returns:
        Exit status: 0, or 1 after an error that was printed.
    """
    parser = argparse.ArgumentParser(
        prog="python -m triton_plugins",
        description="Looks at plugins for Triton and at Triton's passes.",
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    command = commands.add_parser("list", help="plugins that can be found, and whether they fit")
    command.set_defaults(run=_list)
    command = commands.add_parser("info", help="what a plugin library says about itself")
    command.add_argument("plugin", metavar="PATH|NAME", help="a library, or the name of a plugin")
    command.set_defaults(run=_info)
    command = commands.add_parser("passes", help="the passes that this Triton runs for a target")
    command.add_argument(
        "--target", required=True, help="cuda:90 (or sm_90), hip:gfx942 (or gfx942), ..."
    )
    command.set_defaults(run=_passes)
    args = parser.parse_args(argv)
    console = Console(soft_wrap=True)
    try:
        return args.run(args, console)
    except PluginError as error:
        Console(stderr=True, soft_wrap=True).print(f"error: {error}", markup=False, highlight=False)
        return 1


def _list(args: argparse.Namespace, console: Console) -> int:
    table = Table("plugin", "version", "for Triton")
    for column in ("verdict", "library"):
        table.add_column(column, overflow="fold")
    present = {plugin.path for plugin in loaded()}
    found = search.installed()
    for name, path in found.items():
        try:
            library = read_library(path)
            check(library)
            verdict = "loaded" if library.path in present else "fits"
            note = library.note or Note(name)
        except PluginError as error:
            verdict, note = str(error), Note(name)
        table.add_row(name, note.version, note.triton_version, verdict, str(path))
    if not found:
        console.print(
            f"No plugin was found. {search.PATHS_VARIABLE} can name libraries, and installed "
            "packages can bring them."
        )
        return 0
    console.print(table)
    return 0


def _info(args: argparse.Namespace, console: Console) -> int:
    path = Path(args.plugin)
    if not path.exists() and path.name == args.plugin and path.suffix != ".so":
        path = search.find(args.plugin)
    note = read_note(path)
    table = Table(show_header=False)
    for key, value in vars(note).items():
        table.add_row(key, "\n".join(value) if isinstance(value, tuple) else str(value))
    table.add_row("library", str(path))
    console.print(table)
    # Last, so that what the library says is seen even if it does not fit.
    check(read_library(path))
    console.print("It fits this Triton.")
    return 0


def _passes(args: argparse.Namespace, console: Console) -> int:
    table = Table("stage", "", "pass", "arguments")
    for stage, managers in inspection.passes(args.target).items():
        number = 0
        for manager in managers:
            for entry in manager:
                number += 1
                table.add_row(stage, str(number), entry.name, ", ".join(map(repr, entry.args)))
            table.add_section()
    console.print(table)
    return 0


if __name__ == "__main__":
    # Triton warns about a default of its own that has no bearing on what is shown here.
    warnings.filterwarnings("ignore", message="TRITON_DEFAULT_FP_FUSION")
    sys.exit(main())
