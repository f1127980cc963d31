"""Reads the command line and runs one command."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence

from .. import __version__
from ..errors import PluginError
from . import diff, doctor, info, list, opt, passes
from .output import CommandError, Output, UsageError

_COMMANDS = {
    "list": (list, "plugins that can be found, whether they are loaded, and why not"),
    "info": (info, "what a plugin library says about itself, and whether it fits this Triton"),
    "doctor": (doctor, "checks the wheel, the plugins, the GPUs and the settings"),
    "passes": (passes, "the passes that this Triton runs for a target, and what pipelines change"),
    "opt": (opt, "runs passes over MLIR text"),
    "diff": (diff, "what a kernel compiles to under two pipelines"),
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
    args = parser().parse_args(argv)
    try:
        status = args.run(args, Output(args.json))
        sys.stdout.flush()
        return status
    except UsageError as error:
        return _fail(args, error, 2)
    except (PluginError, CommandError) as error:
        return _fail(args, error, 1)
    except BrokenPipeError:
        # The reader has seen enough (`| head`); Python would complain once more when it exits.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def parser() -> argparse.ArgumentParser:
    """The parser of the whole command line."""
    top = argparse.ArgumentParser(
        prog="python -m triton_plugins",
        description="Looks at plugins for Triton, and at what pipelines do to kernels.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--version", action="version", version=__version__)
    commands = top.add_subparsers(required=True, metavar="COMMAND")
    for name, (module, summary) in _COMMANDS.items():
        command = commands.add_parser(
            name,
            help=summary,
            description=module.__doc__,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        command.add_argument("--json", action="store_true", help="print one JSON document")
        module.add_arguments(command)
        command.set_defaults(run=module.run)
    return top


def _fail(args: argparse.Namespace, error: Exception, status: int) -> int:
    if args.json:
        print(json.dumps({"error": {"kind": type(error).__name__, "message": str(error)}}))
    print(f"error: {error}", file=sys.stderr)
    return status
