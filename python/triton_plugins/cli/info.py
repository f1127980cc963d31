"""Tells what a plugin library says about itself without opening it, and whether it fits the Triton
that runs here."""

from __future__ import annotations

import argparse
import dataclasses
import hashlib
from typing import Any

from . import found
from .output import Output, Section


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the library."""
    parser.add_argument("plugin", metavar="PATH|NAME", help="a library, or the name of a plugin")


def run(args: argparse.Namespace, out: Output) -> int:
    """Prints the note and the verdict; 1 if the library is refused."""
    plugin = found.look(found.library_path(args.plugin))
    document: dict[str, Any] = {
        "library": str(plugin.path),
        "place": plugin.place,
        "state": plugin.state,
        "reason": plugin.refusal,
    }
    if plugin.library is not None:
        document |= {
            "size": len(plugin.library.contents),
            "sha256": hashlib.sha256(plugin.library.contents).hexdigest(),
            "needed": plugin.library.needed,
            "has_note": plugin.library.note is not None,
        }
    if plugin.note is not None:
        document |= dataclasses.asdict(plugin.note)
    records = [
        {"key": key, "value": value}
        for key, values in document.items()
        for value in (values if isinstance(values, tuple) else (values,))
    ]
    out.show([Section(plugin.name, ("key", "value"), records)], document)
    return int(bool(plugin.refusal))
