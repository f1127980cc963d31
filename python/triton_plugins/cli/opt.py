"""Runs passes of plugins, and of stock Triton, over MLIR text.

    opt --plugin libtlx.so --pass tlx_lower in.mlir
    opt --plugin tlx --split-input-file --expect-failure invalid.mlir
    opt --pass ttgpuir.coalesce --pass nvidia.passes.ttnvgpuir.fence_insertion=90 in.mlir

It is Python over the Triton wheel, so what it runs is what the wheel runs.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import pathlib
import re
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

from ..errors import PluginError
from ..loading import load_path
from ..opt import run_passes
from .found import library_path
from .output import Output, UsageError

# The separator of mlir-opt's --split-input-file.
_SEPARATOR = re.compile(r"^// -----[ \t]*$", re.MULTILINE)

Pass = tuple[str, tuple[str, ...]]


@dataclass(frozen=True)
class Result:
    """What became of one module.

    Attributes:
        ok: Whether every pass succeeded.
        text: The module afterwards; empty after an error.
        diagnostics: What MLIR said, and the error.
    """

    ok: bool
    text: str
    diagnostics: str


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the file, the plugins and the passes."""
    parser.add_argument("file", metavar="FILE", help="MLIR text; - is standard input")
    parser.add_argument(
        "--plugin",
        action="append",
        default=[],
        metavar="PATH|NAME",
        help="a plugin to load (repeatable, in order)",
    )
    parser.add_argument(
        "--pass",
        action="append",
        default=[],
        dest="passes",
        type=_parse_pass,
        metavar="NAME[=ARG,...]",
        help="a pass to run (repeatable, in order): a plugin's, or a stock one (ttgpuir.coalesce)",
    )
    parser.add_argument(
        "--split-input-file",
        action="store_true",
        help="treat every part between lines '// -----' as a module of its own",
    )
    parser.add_argument(
        "--expect-failure",
        action="store_true",
        help="print diagnostics and errors to standard output; succeed only if every module fails",
    )


def run(args: argparse.Namespace, out: Output) -> int:
    """Runs the passes; 1 if a module did not do what was asked."""
    try:
        text = sys.stdin.read() if args.file == "-" else pathlib.Path(args.file).read_text()
        for plugin in args.plugin:
            load_path(library_path(plugin))
    except OSError as error:
        raise UsageError(f"{args.file} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{args.file} is not text ({error}). Give a file of MLIR text.") from error
    except PluginError as error:
        raise UsageError(str(error)) from error
    parts = _split(text) if args.split_input_file else [text]
    results = [_run_module(part, args.passes, args.file) for part in parts]
    if out.as_json:
        out.show([], {"modules": [asdict(result) for result in results]})
    else:
        _print(results, sys.stdout if args.expect_failure else sys.stderr)
    for index, result in enumerate(results, 1):
        if args.expect_failure and result.ok:
            print(
                f"error: module {index} of {len(results)} was expected to fail and did not",
                file=sys.stderr,
            )
    return int(any(result.ok == args.expect_failure for result in results))


def _parse_pass(text: str) -> Pass:
    """Parses NAME or NAME=ARG,ARG,...; nothing after the = is a mistake."""
    name, equals, args = text.partition("=")
    if not name or (equals and not args):
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME or NAME=ARG[,ARG...]")
    return name, tuple(args.split(",")) if equals else ()


def _split(text: str) -> list[str]:
    """The modules between separators, each moved down to the line where it stands in the file."""
    starts = [0, *(match.end() for match in _SEPARATOR.finditer(text))]
    ends = [*(match.start() for match in _SEPARATOR.finditer(text)), len(text)]
    # Diagnostics and --expect-failure tests name lines of the whole file.
    return [
        "\n" * text.count("\n", 0, start) + text[start:end]
        for start, end in zip(starts, ends, strict=True)
    ]


def _run_module(text: str, passes: Sequence[Pass], name: str) -> Result:
    error = output = ""
    with _captured_diagnostics() as diagnostics:
        try:
            output = run_passes(text, passes, name=name)
        except (PluginError, RuntimeError) as problem:
            error = f"error: {problem}\n"
    return Result(not error, output, "".join(diagnostics) + error)


@contextlib.contextmanager
def _captured_diagnostics() -> Iterator[list[str]]:
    """Collects what MLIR writes to file descriptor 2, past Python's sys.stderr."""
    collected: list[str] = []
    sys.stderr.flush()
    kept = os.dup(2)
    with tempfile.TemporaryFile() as file:
        os.dup2(file.fileno(), 2)
        try:
            yield collected
        finally:
            os.dup2(kept, 2)
            os.close(kept)
            file.seek(0)
            collected.append(file.read().decode(errors="replace"))


def _print(results: Sequence[Result], diagnostics: object) -> None:
    for index, result in enumerate(results):
        if index:
            print("// -----")
        if result.text:
            print(result.text.rstrip("\n"))
        print(result.diagnostics, end="", file=diagnostics)
