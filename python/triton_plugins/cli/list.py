"""Lists the plugins that can be found: in TRITON_PLUGIN_PATHS, as entry points of installed
packages, beside Python packages of triton_plugins, and in the folders of a source tree.

Each is loaded, fits (nobody loaded it yet), or is refused, and then the reason is shown.
"""

from __future__ import annotations

import argparse

from . import found
from .output import Output, Section

_COLUMNS = ("name", "version", "triton", "state", "place", "library", "reason")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """It takes none."""


def run(args: argparse.Namespace, out: Output) -> int:
    """Prints the list; 1 if a library is refused."""
    plugins = found.plugins()
    records = [
        {
            "name": plugin.name,
            "version": plugin.note.version if plugin.note else "",
            "triton": plugin.note.triton_version if plugin.note else "",
            "state": plugin.state,
            "place": plugin.place,
            "library": plugin.path,
            "reason": plugin.refusal,
        }
        for plugin in plugins
    ]
    empty = (
        f"No plugin was found. {found.search.PATHS_VARIABLE} can name libraries, and installed "
        "packages can bring them."
    )
    out.show([Section("plugins", _COLUMNS, records, empty=empty)])
    return int(any(plugin.refusal for plugin in plugins))
