"""TFLOPS of plain GEMM kernels with warp_spec's decorator beside stock Triton, in one process.

Both compile the same kernels, through descriptors and through pointers, each in its best of a few
configurations. Stock Triton is measured twice: with the best that it has, flattened loops and its
own warp specialization among it, and with the very kernels that the decorator gets. Without
arguments it measures the usual shapes. One shape, and a result file:

    python -m bench.warp_spec --shape 4096x4096x4096 --out bench/results/warp-spec.json
"""

from __future__ import annotations

import argparse
import functools
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import rich.table

from bench import command_line

# M x N x K. With few steps of K the epilogue of a tile weighs more.
SHAPES = ((4096, 4096, 4096), (8192, 8192, 8192), (8192, 8192, 512), (4096, 16384, 1024))
LOADS = ("descriptors", "pointers")
# Stock Triton on the very kernels that the decorator gets.
_SAME = "stock Triton, same kernels"

# Tile, num_warps, stages: of stock Triton's pipeline, of warp_spec's channels.
_WIDE, _TALL, _SMALL = (128, 256, 64), (256, 128, 64), (128, 128, 64)


def parse_args(argv: Sequence[str]) -> argparse.Namespace:
    """Parses the command line."""
    parser = command_line.parser("warp_spec", __doc__, rounds=5)
    command_line.add_shape(parser)
    parser.add_argument("--loads", action="append", choices=LOADS, help="repeatable")
    return parser.parse_args(argv)


def _descriptors(kernel: Any, flatten: bool, stock_specializes: bool, config: Any) -> Any:
    import torch
    import triton
    from triton.tools.tensor_descriptor import TensorDescriptor

    (bm, bn, bk), num_warps, num_stages = config

    def run(a: torch.Tensor, b: torch.Tensor, out: torch.Tensor) -> None:
        (m, k), n = a.shape, b.shape[1]
        kernel[(_programs(triton.cdiv(m, bm) * triton.cdiv(n, bn)),)](
            TensorDescriptor.from_tensor(a, [bm, bk]),
            TensorDescriptor.from_tensor(b, [bk, bn]),
            TensorDescriptor.from_tensor(out, [bm, bn]),
            m, n, k, BM=bm, BN=bn, BK=bk, GROUP_M=8,
            FLATTEN=flatten, STOCK_SPECIALIZES=stock_specializes,
            num_warps=num_warps, num_stages=num_stages,
        )  # fmt: skip

    return run


def _pointers(kernel: Any, persistent: Mapping[str, bool] | None, config: Any) -> Any:
    import torch
    import triton

    (bm, bn, bk), num_warps, num_stages = config

    def run(a: torch.Tensor, b: torch.Tensor, out: torch.Tensor) -> None:
        (m, k), n = a.shape, b.shape[1]
        tiles = triton.cdiv(m, bm) * triton.cdiv(n, bn)
        kernel[(tiles if persistent is None else _programs(tiles),)](
            a, b, out, m, n, k, BM=bm, BN=bn, BK=bk, GROUP_M=8, **(persistent or {}),
            num_warps=num_warps, num_stages=num_stages,
        )  # fmt: skip

    return run


@functools.cache
def _processors() -> int:
    import torch

    return torch.cuda.get_device_properties(torch.cuda.current_device()).multi_processor_count


def _programs(tiles: int) -> int:
    return min(_processors(), tiles)


@functools.cache
def candidates(loads: str) -> dict[str, dict[str, Any]]:
    """What each side may run, by name.

    Args:
        loads: "descriptors" or "pointers".

    Returns:
        For each side its runs: stock Triton's, those among them of warp_spec's very kernels, and
        warp_spec's.
    """
    import triton_plugins.warp_spec as warp_spec
    from bench import warp_spec_kernels as kernels

    def name(kind: str, config: Any) -> str:
        tile, num_warps, num_stages = config
        return f"{kind} {'x'.join(map(str, tile))}, {num_warps} warps, {num_stages} stages"

    def by_descriptors(decorate: Any, configs: Sequence[Any]) -> Iterator[tuple[str, Any]]:
        for config in configs:
            run = _descriptors(decorate(kernels.descriptor_gemm), False, False, config)
            yield name("nested", config), run

    def by_pointers(decorate: Any, configs: Sequence[Any]) -> Iterator[tuple[str, Any]]:
        for config in configs:
            yield name("one tile", config), _pointers(decorate(kernels.pointer_gemm), None, config)
        for config in configs:
            run = _pointers(decorate(kernels.persistent_pointer_gemm), {"FLATTEN": False}, config)
            yield name("nested", config), run

    def tuned() -> Iterator[tuple[str, Any]]:
        if loads == "pointers":
            config = (_SMALL, 4, 4)
            yield name("one tile", config), _pointers(kernels.pointer_gemm, None, config)
        for config in ((_WIDE, 8, 3), (_TALL, 8, 3)):
            if loads == "pointers":
                run = _pointers(kernels.persistent_pointer_gemm, {"FLATTEN": True}, config)
            else:
                run = _descriptors(kernels.descriptor_gemm, True, False, config)
            yield name("flattened", config), run
        if loads == "descriptors":
            # Without flattening its strategy fails on these loops.
            for config in ((_WIDE, 4, 3), (_SMALL, 4, 4)):
                run = _descriptors(kernels.descriptor_gemm, True, True, config)
                yield name("warp_specialize", config), run

    specialize = functools.partial(warp_spec.specialize, strict=True)
    if loads == "descriptors":
        same = dict(by_descriptors(lambda kernel: kernel, ((_WIDE, 8, 3), (_TALL, 8, 3))))
        ours = dict(by_descriptors(specialize, ((_WIDE, 8, 3), (_TALL, 8, 3))))
    else:
        configs = ((_WIDE, 8, 3), (_WIDE, 8, 4), (_TALL, 8, 4))
        same = dict(by_pointers(lambda kernel: kernel, configs))
        ours = dict(by_pointers(specialize, configs[1:]))
    return {"stock Triton": same | dict(tuned()), _SAME: same, "warp_spec": ours}


def compile_stock(loads: str) -> None:
    """Compiles stock Triton's candidates by threads: ptxas, which takes the most time, lets others
    run. Beside a plugin that compiles they would get other keys in Triton's cache."""
    import torch

    matrices = [torch.zeros(256, 256, device="cuda", dtype=torch.float16) for _ in range(3)]
    with ThreadPoolExecutor() as pool:
        for run in candidates(loads)["stock Triton"].values():
            # What does not compile is told when its turn comes.
            pool.submit(run, *matrices)


def measure(shape: tuple[int, int, int], loads: str, generator: Any, rounds: int) -> dict[str, Any]:
    """Chooses each side's best configuration on one problem, checks and times them.

    Raises:
        ArithmeticError: A contender's result is wrong.
    """
    import torch

    from bench import harness

    problem = harness.Problem(*shape, torch.float16)
    a, b = problem.inputs(generator)
    contenders: dict[str, harness.Matmul] = {"cuBLAS": lambda a, b, out: torch.mm(a, b, out=out)}
    chosen = {}
    for side, runs in candidates(loads).items():
        chosen[side] = harness.fastest(problem, runs, generator)
        contenders[side] = runs[chosen[side]]
    harness.check_all(problem, contenders, a, b)
    figures = harness.summarize(
        harness.measure(problem, contenders, generator, rounds=rounds, milliseconds=30)
    )

    def ratio(*to: str) -> float:
        best = max(figures[side]["tflops"] for side in to)
        return round(figures["warp_spec"]["tflops"] / best, 3)

    return {
        "m": problem.m,
        "n": problem.n,
        "k": problem.k,
        "dtype": "float16",
        "loads": loads,
        "configs": chosen,
        "contenders": figures,
        "warp_spec_to_stock": ratio("stock Triton", _SAME),
        "warp_spec_to_same": ratio(_SAME),
    }


def table(results: Sequence[dict[str, Any]]) -> rich.table.Table:
    """The results as a person reads them."""
    shown = rich.table.Table(title="TFLOPS, median of interleaved rounds")
    for column in ("M x N x K", "loads"):
        shown.add_column(column)
    for column in ("cuBLAS", "stock Triton", "same kernels", "warp_spec", "/ stock", "/ same"):
        shown.add_column(column, justify="right")
    for result in results:
        shown.add_row(
            f"{result['m']} x {result['n']} x {result['k']}",
            result["loads"],
            *(f"{figures['tflops']:.0f}" for figures in result["contenders"].values()),
            f"{result['warp_spec_to_stock']:.3f}",
            f"{result['warp_spec_to_same']:.3f}",
        )
    return shown


def measure_all(args: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Measures what the arguments name."""
    import torch

    if not torch.cuda.is_available() or torch.cuda.get_device_capability() != (9, 0):
        raise RuntimeError("warp_spec's kernels need an NVIDIA Hopper GPU (sm_90)")
    generator = torch.Generator(device="cuda").manual_seed(0)
    for loads in args.loads or LOADS:
        compile_stock(loads)
        for shape in args.shape or SHAPES:
            yield measure(shape, loads, generator, args.rounds)


def main(argv: Sequence[str]) -> int:
    """Runs the benchmark and returns its exit code."""
    args = parse_args(argv)
    return command_line.run("warp_spec", argv, args.out, lambda: measure_all(args), table)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
