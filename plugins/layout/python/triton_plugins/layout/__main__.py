"""Shows what layout conversions kernels have, and draws layouts.

    python -m triton_plugins.layout report kernel.py:gemm --target sm_90 --signature 'a=*fp16:16'
    python -m triton_plugins.layout report gemm.ttgir --json
    python -m triton_plugins.layout draw '#ttg.blocked<{...}>' --shape 16x32 --out blocked.svg

No GPU is needed. Exit status: 0 all is well, 1 an error, 2 the command line makes no sense.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from triton_plugins.cli import kernels
from triton_plugins.cli.output import CommandError, Output, Section, UsageError
from triton_plugins.errors import PluginError

from .picture import draw
from .report import Report, report


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command; returns the exit status."""
    args = _parser().parse_args(argv)
    try:
        args.run(args)
    except UsageError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except (PluginError, CommandError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        print(f"error: {error}; install it: pip install {package}", file=sys.stderr)
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(
        prog="python -m triton_plugins.layout",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = top.add_subparsers(required=True, metavar="COMMAND")

    lists = commands.add_parser("report", help="the layout conversions of a kernel")
    lists.add_argument("kernel", metavar="FILE.py:NAME", help="also MODULE:NAME or FILE.ttgir")
    lists.add_argument("--json", action="store_true", help="print one JSON document")
    kernels.add_target(lists, required=False)
    kernels.add_arguments(lists)
    lists.set_defaults(run=_report)

    picture = commands.add_parser("draw", help="a picture of a layout")
    picture.add_argument("layout", help="a layout of registers as MLIR spells it")
    picture.add_argument("--shape", required=True, type=_shape, help="of the tensor: 16x32")
    picture.add_argument("--target", default="cuda:90", help="%(default)s unless named")
    picture.add_argument("--num-warps", type=int, default=4, help="%(default)s unless named")
    picture.add_argument("--out", required=True, type=Path, help="a file .svg, .png or .pdf")
    picture.set_defaults(run=_draw)
    return top


def _report(args: argparse.Namespace) -> None:
    found = _made(args)
    if args.json:
        print(found.json())
        return
    records = found.records()
    columns = tuple(records[0]) if records else ()
    legend = [{"name": name, "layout": text} for name, text in found.legend().items()]
    Output().show(
        [
            Section("conversions", columns, records, empty="No layout conversions."),
            Section("layouts", ("name", "layout"), legend),
        ]
    )


def _made(args: argparse.Namespace) -> Report:
    if args.kernel.endswith((".ttgir", ".mlir")):
        return report(Path(args.kernel))
    if args.target is None:
        raise UsageError(f"{args.kernel} is compiled for a target; name it with --target.")
    kernel = kernels.load_kernel(args.kernel, args)
    return report(kernels.compiled(kernel, args.target, line_info=True))


def _draw(args: argparse.Namespace) -> None:
    draw(args.layout, args.shape, target=args.target, num_warps=args.num_warps, file=args.out)


def _shape(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(size) for size in text.split("x"))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no shape, such as 16x32") from None


if __name__ == "__main__":
    sys.exit(main())
