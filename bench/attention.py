"""TFLOPS of TLX attention beside cuDNN and stock Triton, in one process.

Without arguments it measures 16384 tokens a batch with 2048 = heads x head_dim, forward. Backward,
one head_dim, and a result file:

    python -m bench.attention --backward --head-dim 128 --out bench/results/attention.json
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import rich.table

from bench import command_line

TOKENS = 16384
WIDTH = 2048
HEAD_DIMS = (64, 96, 128)
LENGTHS = (4096, 16384)
DTYPES = ("float16", "bfloat16")


def parse_args(argv: Sequence[str]) -> argparse.Namespace:
    """Parses the command line."""
    parser = command_line.parser("attention", __doc__, rounds=7, milliseconds=100)
    parser.add_argument("--head-dim", action="append", type=int, help="repeatable (64, 96, 128)")
    parser.add_argument("--length", action="append", type=int, help="repeatable (4096, 16384)")
    parser.add_argument("--dtype", action="append", choices=DTYPES, help="repeatable (float16)")
    parser.add_argument("--mask", action="append", choices=("full", "causal"), help="repeatable")
    parser.add_argument("--backward", action="store_true", help="measure the gradients")
    return parser.parse_args(argv)


def run(
    head_dim: int, length: int, dtype: str, causal: bool, backward: bool, args: argparse.Namespace
) -> dict[str, Any]:
    """Checks the contenders on one problem, then times them.

    Raises:
        ArithmeticError: A contender's result is wrong.
    """
    import torch
    from torch.nn.attention import SDPBackend, sdpa_kernel

    from bench import attention_reference, harness, stock_attention
    from examples.hopper_attention import attention

    generator = torch.Generator(device="cuda").manual_seed(0)
    # As many heads as fit into the width; 21 of 96 columns.
    batch, heads = TOKENS // length, WIDTH // head_dim
    shape = (batch, heads, length, head_dim)
    inputs = [
        torch.randn(shape, device="cuda", dtype=getattr(torch, dtype), generator=generator)
        for _ in range(4)
    ]
    q, k, v, grad = inputs
    scale = head_dim**-0.5

    def cudnn(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
            return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal)

    def tlx(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        return attention(q, k, v, causal=causal)

    functions: dict[str, Callable[..., torch.Tensor]] = {"cuDNN": cudnn, "TLX": tlx}
    config = None
    if not backward:
        stock = stock_attention.candidates(causal)
        # Stock Triton is left out where none of its configurations runs.
        with contextlib.suppress(RuntimeError):
            config = harness.fastest_of(
                {name: functools.partial(run, q, k, v) for name, run in stock.items()}
            )
            functions["stock Triton"] = stock[config]

    worst = {}
    runs: dict[str, Callable[[], object]] = {}
    head = (slice(-1, None), slice(-1, None))
    for name, function in functions.items():
        if backward:
            leaves = [x.detach().requires_grad_() for x in (q, k, v)]
            out = function(*leaves)
            runs[name] = lambda out=out, leaves=leaves: torch.autograd.grad(
                out, leaves, grad, retain_graph=True
            )
            results = [x[head] for x in runs[name]()]
            expected = attention_reference.backward(
                *(x[head] for x in inputs), causal, scale
            ) if length <= 4096 else ()  # fmt: skip
        else:
            runs[name] = lambda function=function: function(q, k, v)
            results = [runs[name]()[head][..., -1024:, :]]
            # The last rows see all keys, masked or not.
            expected = attention_reference.forward(
                q[head][..., -1024:, :], k[head], v[head], causal, scale
            )[:1]
        errors = [want.worst(got) for want, got in zip(expected, results, strict=False)]
        worst[name] = round(max(errors), 3) if errors else None
        if not all(error <= 1.0 for error in errors) and name == "TLX":
            raise ArithmeticError(
                f"{name} is wrong on {shape}: the largest errors are {errors} of their bounds"
            )

    def refresh() -> None:
        # What a graph has saved for its gradients must stay as it is.
        for x in inputs[3:] if backward else inputs:
            x.normal_(generator=generator)

    flops = (10 if backward else 4) * batch * heads * length**2 * head_dim // (2 if causal else 1)
    figures = harness.summarize(
        harness.take_turns(runs, refresh, flops, rounds=args.rounds, milliseconds=args.milliseconds)
    )
    ours = figures["TLX"]["tflops"]
    return {
        "direction": "backward" if backward else "forward",
        "batch": batch,
        "heads": heads,
        "length": length,
        "head_dim": head_dim,
        "dtype": dtype,
        "causal": causal,
        "stock_config": config,
        "contenders": figures,
        "worst_error_in_bounds": worst,
        "tlx_to_library": round(ours / figures["cuDNN"]["tflops"], 3),
        "tlx_to_stock": round(ours / figures["stock Triton"]["tflops"], 3)
        if "stock Triton" in figures
        else None,
    }


def table(results: Sequence[dict[str, Any]]) -> rich.table.Table:
    """The results as a person reads them."""
    shown = rich.table.Table(title="attention, TFLOPS, median of interleaved rounds")
    for column in ("direction", "B x H x S x D", "type", "mask"):
        shown.add_column(column)
    for column in ("cuDNN", "stock Triton", "TLX", "TLX / cuDNN"):
        shown.add_column(column, justify="right")
    for result in results:
        figures = result["contenders"]
        sizes = (result[name] for name in ("batch", "heads", "length", "head_dim"))
        shown.add_row(
            result["direction"],
            " x ".join(map(str, sizes)),
            result["dtype"],
            "causal" if result["causal"] else "full",
            *(
                f"{figures[name]['tflops']:.0f}" if name in figures else "-"
                for name in ("cuDNN", "stock Triton", "TLX")
            ),
            f"{result['tlx_to_library']:.3f}",
        )
    return shown


def measure(args: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Measures what the arguments name."""
    for head_dim in args.head_dim or HEAD_DIMS:
        for length in args.length or LENGTHS:
            for dtype in args.dtype or DTYPES[:1]:
                for mask in args.mask or ("full", "causal"):
                    yield run(head_dim, length, dtype, mask == "causal", args.backward, args)


def main(argv: Sequence[str]) -> int:
    """Runs the benchmark and returns its exit code."""
    args = parse_args(argv)
    return command_line.run("attention", argv, args.out, lambda: measure(args), table)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
