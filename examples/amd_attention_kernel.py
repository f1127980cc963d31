"""Attention forward on CDNA3 and CDNA4: which kernel a GPU gets, and its launch.

Each program computes BM rows of one head. A head dimension is the sum of two powers of two, D0 and
D1: 96 is 64 and 32, for which no product is larger than it has to be. D1 is 0 for 64 and 128.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import triton

from examples.cdna3_attention_kernel import cdna3_attention
from examples.cdna4_attention_kernel import cdna4_attention

if TYPE_CHECKING:
    import torch

# The parts of each head dimension.
PARTS = {64: (64, 0), 96: (64, 32), 128: (128, 0)}
# As good as they can be by the estimate (bench.amd_loops), as far as there are registers.
OF_CDNA3 = {
    64: {"BN": 64, "V0_PIECE": 4, "PAIRS": 8},
    96: {"BN": 32, "V0_PIECE": 1, "PAIRS": 4},
    128: {"BN": 32, "V0_PIECE": 2, "PAIRS": 0},
}
OF_CDNA4 = {
    64: {"BN": 128, "STEP": 64, "PAIRS": 0, "NUM_BUFFERS": 4},
    96: {"BN": 128, "STEP": 32, "PAIRS": 6, "NUM_BUFFERS": 3},
    128: {"BN": 64, "STEP": 32, "PAIRS": 12, "NUM_BUFFERS": 4},
}
# Arithmetic on pairs of numbers cannot run beside products: the compiler is told of a GPU without.
NO_PAIRS = "target-features=-packed-fp32-ops"
# Waves alternate in pairs on each of a compute unit's four SIMDs: eight of them.
OPTIONS = {"num_warps": 8, "matrix_instr_nonkdim": 32, "llvm_fn_attrs": NO_PAIRS}
# For the tiles that need all registers.
FEW_REGISTERS = OPTIONS | {"llvm_fn_attrs": f"{NO_PAIRS},amdgpu-sched-strategy=iterative-minreg"}


def settings(arch: str, head_dim: int) -> tuple[Any, dict[str, int], dict[str, Any]]:
    """The kernel for a GPU ("gfx942", "gfx950") and a head dimension, its constants and options.

    Raises:
        ValueError: There is none.
    """
    if head_dim not in PARTS or arch not in ("gfx942", "gfx950"):
        raise ValueError(
            f"attention takes a head dimension of 64, 96 or 128 on gfx942 or gfx950, but they are "
            f"{head_dim} and {arch}"
        )
    constants = {"BM": 256, "XCDS": 8, "D0": PARTS[head_dim][0], "D1": PARTS[head_dim][1]}
    if arch == "gfx950":
        return cdna4_attention, constants | OF_CDNA4[head_dim], OPTIONS
    options = FEW_REGISTERS if head_dim == 128 else OPTIONS
    return cdna3_attention, constants | {"V1_PIECE": 1} | OF_CDNA3[head_dim], options


def attention(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    *,
    causal: bool = False,
    scale: float | None = None,
    out: torch.Tensor | None = None,
) -> torch.Tensor:
    """Computes softmax(q @ k^T * scale) @ v on a CDNA GPU.

    Args:
        q: float16 or bfloat16 of shape (batch, heads, length, head_dim), the last dimension
            contiguous; head_dim is 64, 96 or 128.
        k, v: Of shape (batch, kv_heads, kv_length, head_dim); heads is a multiple of kv_heads.
        causal: Row i sees columns up to i + kv_length - length. A row that sees none is zero.
        scale: 1 / sqrt(head_dim) by default.
        out: Where the result goes, of q's shape; a new tensor by default.

    Raises:
        ValueError: Shapes or dtypes don't fit.
    """
    batch, heads, length, head_dim = q.shape
    kv_heads, kv_length = k.shape[1:3]
    fits = k.shape == v.shape == (batch, kv_heads, kv_length, head_dim) and heads % kv_heads == 0
    if not fits or not q.dtype == k.dtype == v.dtype:
        raise ValueError(
            "attention does not fit: " + ", ".join(f"{x.dtype} {tuple(x.shape)}" for x in (q, k, v))
        )
    o = q.new_empty(q.shape) if out is None else out
    if any(x.stride(-1) != 1 for x in (q, k, v, o)):
        raise ValueError("attention needs the last dimension of every tensor to be contiguous")
    arch = triton.runtime.driver.active.get_current_target().arch
    kernel, constants, options = settings(arch, head_dim)
    scale = head_dim**-0.5 if scale is None else scale
    programs = triton.cdiv(length, constants["BM"]) * heads * batch
    strides = [stride for x in (q, k, v, o) for stride in x.stride()[:3]]
    kernel[(programs,)](
        q, k, v, o, length, kv_length, heads, programs, scale, *strides,
        CAUSAL=causal, HEADS_PER_KV=heads // kv_heads, **constants, **options,
    )  # fmt: skip
    return o
