"""Compiles the TLX GEMMs for Hopper and AMD Instinct, and runs one where there is a GPU.

With no GPU it shows what the compiler made for each target and saves every stage of it. With a GPU
it also runs the kernel of that GPU, checks it against a float64 reference and compares its speed
with the vendor's library and stock Triton.
"""

from __future__ import annotations

import argparse
import dataclasses
import os
import pathlib
import sys
from collections.abc import Sequence
from types import ModuleType
from typing import Any, NoReturn

import rich.console
import rich.table
from triton.backends.compiler import GPUTarget

import triton_plugins
from examples import amd_gemm_kernel, cdna4_gemm_kernel, hopper_gemm_kernel
from triton_plugins import machine_code

DTYPES = {"float16": "fp16", "bfloat16": "bf16"}
# Sizes travel as 32-bit kernel arguments.
LARGEST = 2**31 - 1


@dataclasses.dataclass(frozen=True)
class Target:
    """A GPU to compile for, its kernel and the module of the kernel."""

    gpu: GPUTarget
    kernel: Any
    module: ModuleType


TARGETS = {
    "sm_90a": Target(GPUTarget("cuda", 90, 32), hopper_gemm_kernel.hopper_gemm, hopper_gemm_kernel),
    "gfx942": Target(GPUTarget("hip", "gfx942", 64), amd_gemm_kernel.amd_gemm, amd_gemm_kernel),
    "gfx950": Target(
        GPUTarget("hip", "gfx950", 64), cdna4_gemm_kernel.cdna4_gemm, cdna4_gemm_kernel
    ),
}


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one paragraph, without the usage text in front of it."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message} (--help lists the arguments)\n")


def size(text: str) -> int:
    """Parses a matrix size."""
    # isdecimal() admits other scripts' digits, int() reads them: both are numbers to whoever typed
    # them.
    if not text.isdecimal() or not 0 < int(text) <= LARGEST:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1 to {LARGEST}")
    return int(text)


def parse_args(argv: Sequence[str] | None) -> argparse.Namespace:
    """Parses the command line and makes the output folder an absolute path."""
    parser = Parser(prog="gemm", description=__doc__)
    for name, meaning in (
        ("m", "rows of A and C"),
        ("n", "columns of B and C"),
        ("k", "columns of A, rows of B"),
    ):
        parser.add_argument(
            f"--{name}",
            type=size,
            default=4096,
            metavar=name.upper(),
            help=f"{meaning} (%(default)s)",
        )
    parser.add_argument(
        "--dtype", choices=DTYPES, default="float16", help="of all three matrices (%(default)s)"
    )
    parser.add_argument(
        "--target",
        action="append",
        choices=TARGETS,
        help="a GPU to compile for (repeatable; all of them)",
    )
    parser.add_argument(
        "--out",
        type=pathlib.Path,
        default=pathlib.Path("gemm-out"),
        metavar="DIR",
        help="where the compiler's output is saved (%(default)s)",
    )
    args = parser.parse_args(argv)
    # `bazel run` starts programs elsewhere and leaves the user's folder in this variable.
    args.out = pathlib.Path(os.environ.get("BUILD_WORKING_DIRECTORY", "."), args.out).resolve()
    try:
        args.out.mkdir(parents=True, exist_ok=True)
        (args.out / ".writable").touch()
        (args.out / ".writable").unlink()
    except OSError as problem:
        parser.error(
            f"argument --out: cannot write into {args.out}: {problem.strerror}; name another folder"
        )
    args.target = list(dict.fromkeys(args.target or TARGETS))
    return args


def signature(m: int, n: int, k: int, dtype: str) -> dict[str, str]:
    """The types of the kernels' arguments, and which a launch would find divisible by 16."""

    def integer(value: int) -> str:
        return "i32:16" if value % 16 == 0 else "i32"

    pointers = dict.fromkeys(("a_ptr", "b_ptr", "c_ptr"), f"*{DTYPES[dtype]}:16")
    sizes = {"M": integer(m), "N": integer(n), "K": integer(k)}
    # Of contiguous matrices; the strides of 1 are constants, as they are in a launch.
    strides = {"stride_am": integer(k), "stride_bk": integer(n), "stride_cm": integer(n)}
    return pointers | sizes | strides


def compile_for(target: Target, args: argparse.Namespace) -> Any:
    """Compiles a target's kernel without a GPU, as a launch on it would."""
    aligned = args.n % 16 == args.k % 16 == 0
    if target.module is cdna4_gemm_kernel and not aligned:
        # Its direct loads need aligned rows.
        target = dataclasses.replace(TARGETS["gfx942"], gpu=target.gpu)
    constants = target.module.CONSTANTS if aligned else target.module.UNALIGNED_CONSTANTS
    types = signature(args.m, args.n, args.k, args.dtype)
    if target.module is cdna4_gemm_kernel:
        types["stride_cs"] = "i32:16"
    # AMD's launches tell tensors below 2 GiB apart ("S"), for which 32-bit offsets are enough.
    elements = {"a_ptr": args.m * args.k, "b_ptr": args.k * args.n, "c_ptr": args.m * args.n}
    small = {name: "S" for name, count in elements.items() if 2 * count < 2**31}
    return triton_plugins.compile(
        target.kernel,
        signature=types,
        constexprs={"stride_ak": 1, "stride_bn": 1, "stride_cn": 1} | constants,
        target=target.gpu,
        options=target.module.OPTIONS,
        attrs=small if target.gpu.backend == "hip" else {},
    )


def save(kernel: Any, folder: pathlib.Path) -> None:
    """Writes every stage of a compiled kernel; the SASS is disassembled from the cubin."""
    for stage, code in kernel.asm.items():
        path = folder / f"{kernel.metadata.name}.{stage}"
        if isinstance(code, bytes):
            path.write_bytes(code)
        else:
            path.write_text(str(code))
    if "cubin" in kernel.asm:
        (folder / f"{kernel.metadata.name}.sass").write_text(
            machine_code.disassemble(kernel.asm["cubin"])
        )


def column(kernel: Any, passes: Sequence[str]) -> list[str]:
    """One target's cells: stages, plugin passes, instructions, waits, and resources."""
    code = machine_code.inspect(kernel)
    resources = code.resources
    # PTX names what it waits for, while SASS has one instruction for several kinds of copies.
    waits = (code.ptx or code.final).waits
    registers = str(resources.registers)
    if resources.agprs is not None:
        registers = f"{registers} vector ({resources.agprs} AGPRs), {resources.sgprs} scalar"
    return [
        " > ".join(stage for stage in kernel.asm if stage != "source"),
        "\n".join(passes),
        "\n".join(f"{count:4} {name}" for name, count in code.final.classes().items()),
        "\n".join(
            f"{name}: {' '.join(map(str, counts))}" for name, counts in waits.items() if counts
        ),
        f"{resources.shared_bytes:,} B",
        registers,
        str(resources.spills),
        "-" if resources.occupancy is None else f"{resources.occupancy} waves a SIMD by registers",
    ]


ROWS = (
    "stages",
    "plugin passes",
    "instructions",
    "waits (may stay in flight)",
    "shared memory",
    "registers",
    "spills",
    "occupancy",
)


def compile_all(args: argparse.Namespace) -> rich.table.Table:
    """Compiles for every target, saves the stages, and returns the table that compares them."""
    shown = rich.table.Table(
        title=f"C = A @ B, {args.m} x {args.n} x {args.k}, {args.dtype}", show_lines=True
    )
    shown.add_column("")
    columns = []
    for name in args.target:
        target = TARGETS[name]
        folder = args.out / name
        folder.mkdir(exist_ok=True)
        with triton_plugins.dump(folder / "passes") as dumped:
            kernel = compile_for(target, args)
        save(kernel, folder)
        passes = [f"{file.stage}: {file.step}" for file in dumped.files if file.moment == "before"]
        shown.add_column(name)
        columns.append(column(kernel, passes))
    for label, *cells in zip(ROWS, *columns, strict=True):
        shown.add_row(label, *cells)
    return shown


def run_on_gpu(args: argparse.Namespace, console: rich.console.Console) -> int:
    """Checks and times the kernel where there is a GPU for it; returns the exit code."""
    try:
        import torch
    except ImportError:
        console.print("No PyTorch here, so the kernels were compiled only.")
        return 0
    # The harness needs PyTorch, the compile-only path must not.
    from bench import compare, harness

    try:
        compare.tlx_matmul()
    except RuntimeError as reason:
        console.print(f"The kernels were compiled only: {reason}.")
        return 0
    problem = harness.Problem(args.m, args.n, args.k, getattr(torch, args.dtype))
    try:
        result = compare.run(problem, torch.Generator(device="cuda").manual_seed(0), rounds=5)
    except torch.OutOfMemoryError:
        sizes = f"{args.m} x {args.n} x {args.k}"
        console.print(f"gemm: {sizes} does not fit into this GPU's memory; use smaller ones")
        return 1
    except ArithmeticError as wrong:
        console.print(f"gemm: {wrong}")
        return 1
    console.print(compare.table([result]))
    worst = result["worst_error_in_bounds"]["TLX"]
    console.print(
        f"Right: the largest error is {worst} of its bound (float64 reference). "
        f"Stock Triton: {result['stock_config']}."
    )
    return 0


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the example and returns its exit code."""
    args = parse_args(argv)
    # Triton 3.9 warns where this is not set, since 3.10 will have another default.
    os.environ.setdefault("TRITON_DEFAULT_FP_FUSION", "1")
    console = rich.console.Console(soft_wrap=False)
    if not console.is_terminal:
        # A pipe or a log has no width of its own, and the default of 80 breaks names in the table.
        console.width = 140
    try:
        console.print(compile_all(args))
    except triton_plugins.PluginError as problem:
        print(f"gemm: {problem}", file=sys.stderr)
        return 1
    console.print(
        f"PTX, SASS, AMDGCN and the IR before and after each plugin pass: {args.out}",
        soft_wrap=True,
    )
    return run_on_gpu(args, console)


if __name__ == "__main__":
    sys.exit(main())
