"""Small products that test_sanitizer.py runs in processes of their own: one, by name."""

from __future__ import annotations

import dataclasses
import pathlib
import re
import sys
from collections.abc import Callable

import torch
import triton
import triton.language as tl

from examples import (
    hopper_attention,
    hopper_gemm_configs,
    hopper_gemm_kernel,
    hopper_persistent_gemm,
)
from examples.hopper_grouped_gemm import grouped_matmul

# Nothing divides these sizes, and there are several tiles and turns of the ring.
M, N, K = 200, 328, 520


@triton.jit
def stock_tasks_gemm(
    a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr
):  # fmt: skip
    """Warp-specialized by stock Triton itself."""
    a_desc = tl.make_tensor_descriptor(a_ptr, [M, K], [K, 1], [BM, BK])
    b_desc = tl.make_tensor_descriptor(b_ptr, [K, N], [N, 1], [BK, BN])
    c_desc = tl.make_tensor_descriptor(c_ptr, [M, N], [N, 1], [BM, BN])
    row, col = tl.program_id(0) * BM, tl.program_id(1) * BN
    acc = tl.zeros((BM, BN), tl.float32)
    for k in tl.range(0, tl.cdiv(K, BK), warp_specialize=True):
        acc = tl.dot(a_desc.load([row, k * BK]), b_desc.load([k * BK, col]), acc)
    c_desc.store([row, col], acc.to(c_desc.dtype))


def ones(rows: int, cols: int) -> torch.Tensor:
    """A matrix of ones, whose products are exact."""
    return torch.ones(rows, cols, device="cuda", dtype=torch.float16)


def persistent(index: int, **changes: int) -> None:
    """Runs a configuration of the persistent kernel, changed."""
    config = dataclasses.replace(hopper_gemm_configs.candidates(2)[index], **changes)
    c = torch.empty(M, N, device="cuda", dtype=torch.float16)
    hopper_persistent_gemm.Launch(ones(M, K), ones(K, N), c, config)
    assert (c == K).all()


def pipelined() -> None:
    """Runs the kernel without tasks, of sizes that TMA cannot take."""
    assert (hopper_gemm_kernel.matmul(ones(M, K + 1), ones(K + 1, N + 1)) == K + 1).all()


def grouped() -> None:
    """Runs the grouped kernel on more problems than a program has slots for descriptors."""
    results = grouped_matmul([ones(M, 64)] * 7 + [ones(M, K)], [ones(64, N)] * 7 + [ones(K, N)])
    assert all((c == 64).all() for c in results[:7]) and (results[7] == K).all()


def stock_tasks() -> None:
    """Runs stock Triton's own warp specialization."""
    triton.set_allocator(
        lambda size, alignment, stream: torch.empty(size, device="cuda", dtype=torch.int8)
    )
    c = torch.empty(M, N, device="cuda", dtype=torch.float16)
    constants = {"BM": 128, "BN": 128, "BK": 64}
    grid = (triton.cdiv(M, 128), triton.cdiv(N, 128))
    stock_tasks_gemm[grid](
        ones(M, K), ones(K, N), c, M, N, K, **constants, num_warps=4, num_stages=3
    )
    assert (c == K).all()


def attention(head_dim: int) -> None:
    """Runs attention and its gradients on values and gradients of ones, where sums are known."""
    batch, heads, length = 1, 2, 300
    shape = (batch, heads, length, head_dim)
    generator = torch.Generator(device="cuda").manual_seed(0)
    q, k = (
        torch.randn(shape, device="cuda", dtype=torch.float16, generator=generator)
        for _ in range(2)
    )
    leaves = [x.requires_grad_() for x in (q, k, torch.ones_like(q))]
    out = hopper_attention.attention(*leaves, causal=True)
    torch.testing.assert_close(out, torch.ones_like(out), rtol=1e-3, atol=1e-3)
    dq, dk, dv = torch.autograd.grad(out, leaves, torch.ones_like(out))
    # Rows of P add up to one, so dP is the same for all keys, and dS zero.
    sums = dv.float().sum(2)
    torch.testing.assert_close(sums, torch.full_like(sums, length), rtol=1e-2, atol=0)
    assert max(dq.abs().max(), dk.abs().max()) < 0.2


PROGRAMS: dict[str, Callable[[], None]] = {
    "attention of 64 columns": lambda: attention(64),
    "attention of 96 columns": lambda: attention(96),
    "cooperative": lambda: persistent(0),
    "pingpong": lambda: persistent(2),
    "split": lambda: persistent(2, splits=2),
    "shared tiles": lambda: persistent(0, shared=4, sharers=10),
    "cluster": lambda: persistent(8),
    "strips": lambda: persistent(15),
    "pipelined": pipelined,
    "grouped": grouped,
    "stock tasks": stock_tasks,
}


# Bytes of the types that Triton captures in tasks.
_BYTES = {"i8": 1, "i16": 2, "half": 2, "bfloat": 2, "i32": 4, "float": 4, "i64": 8, "double": 8}
_BYTES |= {"ptr": 8, "ptr addrspace(1)": 8, "ptr addrspace(3)": 4}
_STORE = re.compile(r"  store (.+?) [^ ]+, ptr addrspace\(3\) .*@global_smem, i32 (\d+)\).*\n")


def handed_over(code: str) -> set[int]:
    """The bytes of shared memory by which stock's `ttg.warp_specialize` starts other warps.

    Args:
        code: A kernel's LLVM IR. The default warps store a byte for each other warp, which says
            what task it runs, and then the values that tasks use and warps outside have made.
    """
    offsets: set[int] = set()
    for stores in re.finditer(rf"(?:{_STORE.pattern})+", code):
        if re.search(r"store i8 \d+,", stores[0]):
            for kind, start in _STORE.findall(stores[0]):
                offsets.update(range(int(start), int(start) + _BYTES[kind]))
    return offsets


_NUMBER = re.compile(r"  store <1 x i32> [^ ]+, ptr addrspace\(3\) .*@global_smem, i32 (\d+)\)")


def numbers(code: str) -> set[int]:
    """The bytes of shared memory by which attention's default task tells others a tile's number.

    Its threads store the number, meet at a barrier (bar.sync), and one arrives at an mbarrier; each
    thread that reads has waited there itself. That is in order (PTX ISA, "Memory Consistency
    Model"): the arrival is a release, which is cumulative over the barrier in front of it, and the
    wait an acquire. racecheck sees it only where readers also meet at a barrier behind the wait.

    Args:
        code: A kernel's LLVM IR.
    """
    if "@attention_forward" not in code:
        return set()
    starts = map(int, _NUMBER.findall(code))
    return {byte for start in starts for byte in range(start, start + _BYTES["i32"])}


def main(program: str) -> None:
    """Runs a program, and prints what racecheck is expected to see."""
    codes: list[str] = []

    def keep_code(*, metadata_group: dict[str, str], **_: object) -> None:
        codes.extend(
            pathlib.Path(path).read_text()
            for name, path in metadata_group.items()
            if name.endswith(".llir")
        )

    triton.knobs.compilation.listener = keep_code
    PROGRAMS[program]()
    print("handed over:", *sorted(set().union(*map(handed_over, codes))))
    print("numbers:", *sorted(set().union(*map(numbers, codes))))
    print("the result is right")


if __name__ == "__main__":
    main(sys.argv[1])
