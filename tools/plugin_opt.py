"""Runs passes of plugins, and of stock Triton, over MLIR text: the driver of the lit tests.

    plugin-opt --plugin libtlx.so --pass tlx_lower in.mlir | FileCheck in.mlir
    plugin-opt --plugin libtlx.so --split-input-file --expect-failure invalid.mlir
    plugin-opt --pass ttgpuir.coalesce --pass nvidia.passes.ttnvgpuir.fence_insertion=90 in.mlir

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

import triton_plugins
from triton_plugins import errors, opt

# The separator of mlir-opt's --split-input-file.
_SEPARATOR = re.compile(r"^// -----[ \t]*$", re.MULTILINE)

Pass = tuple[str, tuple[str, ...]]


def parse_pass(text: str) -> Pass:
    """Parses NAME or NAME=ARG,ARG,...; nothing after the = is a mistake."""
    name, equals, args = text.partition("=")
    if not name or (equals and not args):
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME or NAME=ARG[,ARG...]")
    return name, tuple(args.split(",")) if equals else ()


def parse_args(argv: Sequence[str] | None) -> argparse.Namespace:
    """Parses the command line."""
    parser = argparse.ArgumentParser(
        prog="plugin-opt", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", metavar="FILE", help="MLIR text; - is standard input")
    parser.add_argument(
        "--plugin",
        action="append",
        default=[],
        metavar="PATH",
        help="a plugin library to load (repeatable, in order)",
    )
    parser.add_argument(
        "--pass",
        action="append",
        default=[],
        dest="passes",
        type=parse_pass,
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
    return parser.parse_args(argv)


def split(text: str) -> list[str]:
    """The modules between separators, each moved down to the line where it stands in the file."""
    starts = [0, *(match.end() for match in _SEPARATOR.finditer(text))]
    ends = [*(match.start() for match in _SEPARATOR.finditer(text)), len(text)]
    # Diagnostics and --expect-failure tests name lines of the whole file.
    return [
        "\n" * text.count("\n", 0, start) + text[start:end]
        for start, end in zip(starts, ends, strict=True)
    ]


@contextlib.contextmanager
def captured_diagnostics() -> Iterator[list[str]]:
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


def run_module(text: str, passes: Sequence[Pass], name: str) -> tuple[bool, str, str]:
    """Runs the passes over one module.

    Returns:
        Whether it succeeded, the module's text afterwards, and the diagnostics with the error.
    """
    error = output = ""
    with captured_diagnostics() as diagnostics:
        try:
            output = opt.run_passes(text, passes, name=name)
        except (errors.PluginError, RuntimeError) as problem:
            error = f"error: {problem}\n"
    return not error, output, "".join(diagnostics) + error


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the driver; returns 0, 1 (a module did not do what was asked) or 2 (usage)."""
    args = parse_args(argv)
    try:
        text = sys.stdin.read() if args.file == "-" else pathlib.Path(args.file).read_text()
        for path in args.plugin:
            triton_plugins.load_path(path)
    except (OSError, UnicodeDecodeError, errors.PluginError) as problem:
        print(f"plugin-opt: {problem}", file=sys.stderr)
        return 2
    parts = split(text) if args.split_input_file else [text]
    as_wanted = True
    for index, part in enumerate(parts):
        succeeded, output, diagnostics = run_module(part, args.passes, args.file)
        if index:
            print("// -----")
        if output:
            print(output.rstrip("\n"))
        print(diagnostics, end="", file=sys.stdout if args.expect_failure else sys.stderr)
        if args.expect_failure and succeeded:
            print(
                f"plugin-opt: module {index + 1} of {len(parts)} was expected to fail and did not",
                file=sys.stderr,
            )
        as_wanted = as_wanted and succeeded != args.expect_failure
    return 0 if as_wanted else 1


if __name__ == "__main__":
    sys.exit(main())
