"""Kernels drawn from a seed: loops around matrix products as people write them.

Two kernels have their structure in constants: what loads, what masks, what is multiplied and what
follows. A `Case` is one choice of all of them, the same for a seed everywhere.
"""

from __future__ import annotations

import dataclasses
import random
from typing import Any

import triton
import triton.language as tl


@triton.jit
def _load_pointers(ptr, rows, cols, stride, row_limit, col_limit, MASK: tl.constexpr):
    """A tile of a row-major matrix; masked at its edges or, without, whole."""
    places = ptr + rows[:, None] * stride + cols[None, :]
    if MASK:
        return tl.load(
            places, mask=(rows[:, None] < row_limit) & (cols[None, :] < col_limit), other=0.0
        )
    return tl.load(places)


@triton.jit
def _finish(acc, bias_ptr, cols, N, EPILOGUE: tl.constexpr):
    if EPILOGUE == "bias" or EPILOGUE == "bias_relu":
        acc += tl.load(bias_ptr + cols, mask=cols < N, other=0.0)[None, :]
    if EPILOGUE == "bias_relu":
        acc = tl.maximum(acc, 0.0)
    if EPILOGUE == "silu":
        acc = acc / (1.0 + tl.exp(-acc))
    if EPILOGUE == "row_softmax":
        acc = tl.softmax(acc, 1)
    return acc


@triton.jit
def gemm(
    a_ptr, b_ptr, c_ptr, bias_ptr, M, N, K,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
    A_LOAD: tl.constexpr, B_LOAD: tl.constexpr, B_BY_ROWS_OF_N: tl.constexpr,
    C_STORE: tl.constexpr, MASK: tl.constexpr, PERSISTENT: tl.constexpr,
    LOOP: tl.constexpr, EPILOGUE: tl.constexpr,
):  # fmt: skip
    """epilogue(a @ b + bias); LOOP says what else the loop over K does."""
    if A_LOAD == "descriptor":
        a_desc = tl.make_tensor_descriptor(a_ptr, [M, K], [K, 1], [BM, BK])
    if B_LOAD == "descriptor":
        if B_BY_ROWS_OF_N:
            b_desc = tl.make_tensor_descriptor(b_ptr, [N, K], [K, 1], [BN, BK])
        else:
            b_desc = tl.make_tensor_descriptor(b_ptr, [K, N], [N, 1], [BK, BN])
    if C_STORE == "descriptor":
        c_desc = tl.make_tensor_descriptor(c_ptr, [M, N], [N, 1], [BM, BN])
    tiles_m = tl.cdiv(M, BM)
    tiles = tiles_m * tl.cdiv(N, BN)
    first = tl.program_id(0)
    last = tiles if PERSISTENT else first + 1
    for tile in tl.range(first, last, tl.num_programs(0)):
        row, col = tile % tiles_m * BM, tile // tiles_m * BN
        rows, cols = row + tl.arange(0, BM), col + tl.arange(0, BN)
        acc = tl.zeros((BM, BN), tl.float32)
        sums = tl.zeros((BM,), tl.float32)
        for step in tl.range(0, tl.cdiv(K, BK)):
            k = step * BK
            ks = k + tl.arange(0, BK)
            if A_LOAD == "descriptor":
                a = a_desc.load([row, k])
            else:
                a = _load_pointers(a_ptr, rows, ks, K, M, K, MASK)
            if B_BY_ROWS_OF_N:
                if B_LOAD == "descriptor":
                    b = b_desc.load([col, k]).T
                else:
                    b = _load_pointers(b_ptr, cols, ks, K, N, K, MASK).T
            else:
                if B_LOAD == "descriptor":
                    b = b_desc.load([k, col])
                else:
                    b = _load_pointers(b_ptr, ks, cols, N, K, N, MASK)
            if LOOP == "scaled":
                acc += tl.dot(a, b) * (1.0 + step.to(tl.float32))
            elif LOOP == "row_sums":
                acc = tl.dot(a, b, acc)
                sums += tl.sum(a.to(tl.float32), 1)
            elif LOOP == "conditional":
                if step % 3 != 1:
                    acc = tl.dot(a, b, acc)
            else:
                acc = tl.dot(a, b, acc)
        if LOOP == "row_sums":
            acc += sums[:, None]
        c = _finish(acc, bias_ptr, cols, N, EPILOGUE).to(c_ptr.dtype.element_ty)
        if C_STORE == "descriptor":
            c_desc.store([row, col], c)
        else:
            mask = (rows[:, None] < M) & (cols[None, :] < N)
            tl.store(c_ptr + rows[:, None] * N + cols[None, :], c, mask=mask)


@triton.jit
def attention(
    q_ptr, k_ptr, v_ptr, o_ptr, S, scale,
    BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr,
    LOAD: tl.constexpr, MASK: tl.constexpr, CAUSAL: tl.constexpr,
):  # fmt: skip
    """softmax(q @ k.T * scale / log2(e)) @ v of one head."""
    if LOAD == "descriptor":
        k_desc = tl.make_tensor_descriptor(k_ptr, [S, D], [D, 1], [BN, D])
        v_desc = tl.make_tensor_descriptor(v_ptr, [S, D], [D, 1], [BN, D])
    row = tl.program_id(0) * BM
    rows, dims = row + tl.arange(0, BM), tl.arange(0, D)
    q = _load_pointers(q_ptr, rows, dims, D, S, D, MASK)
    top = tl.full((BM,), -1.0e30, tl.float32)
    total = tl.zeros((BM,), tl.float32)
    acc = tl.zeros((BM, D), tl.float32)
    end = tl.minimum(row + BM, S) if CAUSAL else S
    for start in tl.range(0, end, BN):
        keys = start + tl.arange(0, BN)
        if LOAD == "descriptor":
            k = k_desc.load([start, 0])
        else:
            k = _load_pointers(k_ptr, keys, dims, D, S, D, MASK)
        scores = tl.dot(q, k.T) * scale
        if CAUSAL:
            scores = tl.where(rows[:, None] >= keys[None, :], scores, -1.0e30)
        if MASK:
            scores = tl.where(keys[None, :] < S, scores, -1.0e30)
        higher = tl.maximum(top, tl.max(scores, 1))
        p = tl.exp2(scores - higher[:, None])
        shrink = tl.exp2(top - higher)
        total = total * shrink + tl.sum(p, 1)
        if LOAD == "descriptor":
            v = v_desc.load([start, 0])
        else:
            v = _load_pointers(v_ptr, keys, dims, D, S, D, MASK)
        acc = tl.dot(p.to(v.dtype), v, acc * shrink[:, None])
        top = higher
    o = (acc / total[:, None]).to(o_ptr.dtype.element_ty)
    tl.store(o_ptr + rows[:, None] * D + dims[None, :], o, mask=rows[:, None] < S)


# Triton's name of a type, and its bytes.
_DTYPES = {"fp16": 2, "bf16": 2, "fp32": 4, "fp8e4nv": 1}
_SHARED_BYTES = 220 * 1024


@dataclasses.dataclass(frozen=True)
class Case:
    """One kernel.

    Attributes:
        kernel: `gemm` or `attention`.
        dtype: Triton's name of the inputs' type.
        constants: The kernel's constants.
        sizes: M, N, K of a GEMM, or the sequence's length.
        num_warps: Warps that multiply.
        num_stages: Stages of the pipeline.
    """

    kernel: Any
    dtype: str
    constants: dict[str, Any]
    sizes: tuple[int, ...]
    num_warps: int
    num_stages: int

    @property
    def signature(self) -> dict[str, str]:
        """The kernel's arguments as `triton_plugins.compile` wants them."""
        out = "fp16" if self.dtype == "fp8e4nv" else self.dtype
        types = {"scale": "fp32", "bias_ptr": "*fp32", "c_ptr": f"*{out}"}
        return {
            name: types.get(name, f"*{self.dtype}" if name.endswith("_ptr") else "i32")
            for name in self.kernel.arg_names
            if name not in self.constants
        }


def draw(seed: int) -> Case:
    """Returns the case of a seed."""
    choose = random.Random(seed)
    while True:
        case = _attention(choose) if choose.random() < 0.25 else _gemm(choose)
        if case is not None:
            return case


def _gemm(choose: random.Random) -> Case | None:
    dtype = choose.choices(list(_DTYPES), weights=(5, 3, 1, 1))[0]
    size = _DTYPES[dtype]
    warps, stages = choose.choice((4, 8)), choose.choice((2, 3, 3, 4, 5))
    bm, bn = choose.choice((64, 128, 256)), choose.choice((32, 64, 128, 256))
    bk = choose.choice((64, 128)) // size * 2 if size < 4 else 32
    # One accumulator of the warps that multiply; beside the stages the tile to store.
    shared_bytes = (bm + bn) * bk * size * stages + bm * bn * max(size, 2)
    if bm < 16 * warps or bm * bn > warps * 32 * 128 or shared_bytes > _SHARED_BYTES:
        return None
    mask = choose.random() < 0.5
    return Case(
        kernel=gemm,
        dtype=dtype,
        constants={
            "BM": bm,
            "BN": bn,
            "BK": bk,
            "A_LOAD": choose.choice(("descriptor", "pointers")),
            "B_LOAD": choose.choice(("descriptor", "pointers")),
            # Only 16-bit products on wgmma read b by rows of K.
            "B_BY_ROWS_OF_N": size != 2 or choose.random() < 0.5,
            "C_STORE": choose.choice(("descriptor", "pointers")),
            "MASK": mask,
            "PERSISTENT": choose.random() < 0.5,
            "LOOP": choose.choice(("plain", "plain", "plain", "scaled", "row_sums", "conditional")),
            "EPILOGUE": choose.choice(("none", "bias", "bias_relu", "silu", "row_softmax")),
        },
        # Masked tiles end inside, by steps that keep rows aligned for TMA and 16-byte copies.
        sizes=tuple(
            block * choose.randint(1, 9) - (16 * choose.randint(0, 1) if mask else 0)
            for block in (bm, bn, bk)
        ),
        num_warps=warps,
        num_stages=stages,
    )


def _attention(choose: random.Random) -> Case | None:
    warps, stages = choose.choice((4, 8)), choose.choice((2, 3))
    bm, bn, dim = choose.choice((64, 128)), choose.choice((32, 64, 128)), choose.choice((64, 128))
    if bm < 16 * warps or (bm + 2 * bn * stages) * dim * 2 > _SHARED_BYTES:
        return None
    mask = choose.random() < 0.5
    return Case(
        kernel=attention,
        dtype=choose.choice(("fp16", "bf16")),
        constants={
            "BM": bm,
            "BN": bn,
            "D": dim,
            "LOAD": choose.choice(("descriptor", "pointers")),
            "MASK": mask,
            "CAUSAL": choose.random() < 0.5,
        },
        sizes=(128 * choose.randint(1, 9) - (24 if mask else 0),),
        num_warps=warps,
        num_stages=stages,
    )
