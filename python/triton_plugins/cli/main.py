"""Reads the command line and runs one command."""

from __future__ import annotations

import argparse
import importlib
import json
import os
import sys
from collections.abc import Sequence
from types import ModuleType

from .. import __version__, running
from ..errors import PluginError
from .output import CommandError, Output, UsageError

_COMMANDS = {
    "list": "plugins that can be found, whether they are loaded, and why not",
    "info": "what a plugin library says about itself, and whether it fits this Triton",
    "doctor": "checks the wheel, the plugins, the GPUs and the settings",
    "passes": "the passes that this Triton runs for a target, and what pipelines change",
    "opt": "runs passes over MLIR text",
    "diff": "what a kernel compiles to under two pipelines",
}

_EPILOG = """\
Exit status: 0 all is well, 1 something was found (a library is refused, a check fails, two
pipelines differ, an error), 2 the command line makes no sense.
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command.

    Args:
        argv: Arguments; those of the process when None.

    Returns:
        The exit status.
    """
    arguments = sys.argv[1:] if argv is None else argv
    as_json = "--json" in arguments
    try:
        args = _parser(arguments).parse_args(arguments)
        status = args.run(args, Output(as_json))
        sys.stdout.flush()
        return status
    except UsageError as error:
        return _fail(as_json, error, 2)
    except (PluginError, CommandError) as error:
        return _fail(as_json, error, 1)
    except BrokenPipeError:
        # The reader has seen enough (`| head`); Python would complain once more when it exits.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def _parser(arguments: Sequence[str]) -> argparse.ArgumentParser:
    """The parser of the command line, complete for the command that the arguments name.

    No other command is imported: those that compile need more of Triton than those that explain why
    it takes no plugin.
    """
    top = argparse.ArgumentParser(
        prog="python -m triton_plugins",
        description="Looks at plugins for Triton, and at what pipelines do to kernels.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--version", action="version", version=__version__)
    commands = top.add_subparsers(required=True, metavar="COMMAND")
    wanted = next((argument for argument in arguments if argument in _COMMANDS), None)
    for name, summary in _COMMANDS.items():
        if name != wanted:
            commands.add_parser(name, help=summary)
            continue
        module = _module(name)
        command = commands.add_parser(
            name,
            help=summary,
            description=module.__doc__,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        command.add_argument("--json", action="store_true", help="print one JSON document")
        module.add_arguments(command)
        command.set_defaults(run=module.run)
    return top


def _module(name: str) -> ModuleType:
    try:
        return importlib.import_module(f".{name}", __package__)
    except ImportError as error:
        if (error.name or "").partition(".")[0] != "triton":
            raise
        raise CommandError(
            f"The command {name} compiles with pipelines, which need Triton 3.9.0; "
            f"{running.described()} ({error}). Install triton==3.9.0."
        ) from error


def _fail(as_json: bool, error: Exception, status: int) -> int:
    if as_json:
        print(json.dumps({"error": {"kind": type(error).__name__, "message": str(error)}}))
    print(f"error: {error}", file=sys.stderr)
    return status
