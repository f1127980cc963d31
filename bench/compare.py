"""Compares the TLX GEMM with the vendor's library and stock Triton on one problem."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import rich.table
import torch

from bench import harness, stock_gemm


def tlx_matmul() -> harness.Matmul:
    """The TLX kernel for this GPU.

    Raises:
        RuntimeError: There is no GPU, or none that TLX has a GEMM for.
    """
    if not torch.cuda.is_available():
        raise RuntimeError("PyTorch finds no GPU here")
    arch = gpu_arch()
    # Imported here, so that the messages come without a plugin being loaded.
    if arch == "gfx942":
        from examples.amd_gemm_kernel import matmul
    elif arch == "gfx950":
        from examples.cdna4_gemm_kernel import matmul
    elif arch == "sm_90":
        from examples.hopper_persistent_gemm import matmul
    else:
        raise RuntimeError(f"this GPU is {arch}; the TLX GEMMs are for sm_90, gfx942 and gfx950")
    return matmul


def gpu_arch() -> str:
    """The current GPU's architecture: sm_90, gfx942, ..."""
    if torch.version.hip:
        return torch.cuda.get_device_properties(torch.cuda.current_device()).gcnArchName.split(":")[
            0
        ]
    major, minor = torch.cuda.get_device_capability()
    return f"sm_{major}{minor}"


def library_name() -> str:
    """The BLAS library behind torch.mm on this GPU."""
    return "hipBLAS" if torch.version.hip else "cuBLAS"


def run(
    problem: harness.Problem, generator: torch.Generator, rounds: int, milliseconds: int = 100
) -> dict[str, Any]:
    """Checks the contenders on one problem, then times them.

    Args:
        problem: The product.
        generator: Where inputs come from.
        rounds: How often each contender has its turn.
        milliseconds: About how long a turn measures.

    Raises:
        ArithmeticError: A contender's result is wrong.
    """
    a, b = problem.inputs(generator)
    stock = stock_gemm.candidates(a, b, problem.n)
    chosen = harness.fastest(problem, stock, generator)
    contenders: dict[str, harness.Matmul] = {
        library_name(): lambda a, b, out: torch.mm(a, b, out=out),
        "stock Triton": stock[chosen],
        "TLX": tlx_matmul(),
    }
    checks = harness.check_all(problem, contenders, a, b)
    speeds = harness.measure(
        problem, contenders, generator, rounds=rounds, milliseconds=milliseconds
    )
    figures = harness.summarize(speeds)
    ours = figures["TLX"]["tflops"]
    return {
        "m": problem.m,
        "n": problem.n,
        "k": problem.k,
        "dtype": str(problem.dtype).removeprefix("torch."),
        "stock_config": chosen,
        "contenders": figures,
        "worst_error_in_bounds": {name: round(check.worst, 3) for name, check in checks.items()},
        "tlx_to_library": round(ours / figures[library_name()]["tflops"], 3),
        "tlx_to_stock": round(ours / figures["stock Triton"]["tflops"], 3),
    }


def table(results: Sequence[dict[str, Any]]) -> rich.table.Table:
    """The results as a person reads them."""
    gpu = harness.machine()["gpu"]
    shown = rich.table.Table(title=f"{gpu}, TFLOPS, median of interleaved rounds")
    for column in ("M x N x K", "type"):
        shown.add_column(column)
    for column in (library_name(), "stock Triton", "TLX", "TLX / library", "TLX / stock"):
        shown.add_column(column, justify="right")
    for result in results:
        shown.add_row(
            f"{result['m']} x {result['n']} x {result['k']}",
            result["dtype"],
            *(f"{figures['tflops']:.0f}" for figures in result["contenders"].values()),
            f"{result['tlx_to_library']:.3f}",
            f"{result['tlx_to_stock']:.3f}",
        )
    return shown
