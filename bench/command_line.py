"""What the command lines of the benchmarks have in common."""

from __future__ import annotations

import argparse
import os
import pathlib
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import rich


def parse_shape(text: str) -> tuple[int, int, int]:
    """Parses MxNxK."""
    if not re.fullmatch(r"[1-9]\d*x[1-9]\d*x[1-9]\d*", text):
        raise argparse.ArgumentTypeError(f"{text!r} is not MxNxK, such as 4096x4096x4096")
    m, n, k = map(int, text.split("x"))
    return m, n, k


def parse_count(text: str) -> int:
    """Parses a positive number."""
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1 on")
    return int(text)


def parser(
    name: str, description: str | None, *, rounds: int, milliseconds: int | None = None
) -> argparse.ArgumentParser:
    """A benchmark's parser, with the arguments that all have.

    Args:
        name: The benchmark; its module is bench.<name>.
        description: What `--help` says.
        rounds: The default of `--rounds`.
        milliseconds: The default of `--milliseconds`; None for no such argument.
    """
    made = argparse.ArgumentParser(
        prog=f"bench.{name}",
        description=description,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument(
        "--rounds",
        type=parse_count,
        default=rounds,
        metavar="N",
        help="turns of every contender (%(default)s)",
    )
    if milliseconds is not None:
        made.add_argument(
            "--milliseconds",
            type=parse_count,
            default=milliseconds,
            metavar="N",
            help="about how long a turn measures (%(default)s)",
        )
    made.add_argument("--out", type=pathlib.Path, metavar="FILE", help="a JSON file to write")
    return made


def add_shape(to: argparse.ArgumentParser) -> None:
    """Adds `--shape`, which may be given several times."""
    to.add_argument(
        "--shape", action="append", type=parse_shape, metavar="MxNxK", help="repeatable"
    )


def run(
    name: str,
    argv: Sequence[str],
    out: pathlib.Path | None,
    measure: Callable[[], Iterable[dict[str, Any]]],
    table: Callable[[list[dict[str, Any]]], Any],
) -> int:
    """Measures result by result, writes the result file and shows the results.

    Args:
        name: The benchmark; its module is bench.<name>.
        argv: Its arguments, for the result file.
        out: The result file, or None.
        measure: Makes the results. What it raises where a module is missing, the GPU does not do or
            a contender is wrong becomes a message.
        table: What a person is shown of them.

    Returns:
        The exit code.
    """
    # Triton 3.9 warns where this is not set, since 3.10 will have another default.
    os.environ.setdefault("TRITON_DEFAULT_FP_FUSION", "1")
    # `bazel run` starts programs elsewhere and leaves the user's folder in this variable.
    path = out and pathlib.Path(os.environ.get("BUILD_WORKING_DIRECTORY", "."), out)
    results: list[dict[str, Any]] = []
    try:
        for result in measure():
            results.append(result)
            if path:
                from bench import harness

                # After each one, so that what is stopped keeps what it has.
                command = ["python", "-m", f"bench.{name}", *argv]
                harness.write_json(path, name, command, results)
    except (ModuleNotFoundError, RuntimeError, ArithmeticError) as problem:
        print(f"bench.{name}: {problem}", file=sys.stderr)
        return 1
    rich.print(table(results))
    if path:
        print(f"results in {path}")
    return 0
