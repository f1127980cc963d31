"""What attention's gradients need to know of each row, made ahead of them."""

from __future__ import annotations

import triton
import triton.language as tl


# Rows are read 16 bytes at a time if head_dim is known to be a multiple.
@triton.jit(do_not_specialize=["heads", "max_q", "lse_stride", "padded_stride"])
def row_statistics(
    out_ptr, grad_ptr, lse_ptr, lse2_ptr, delta_ptr, cu_q, heads, max_q, head_dim,
    stride_ob, stride_oh, stride_os, stride_gb, stride_gh, stride_gs, lse_stride, padded_stride,
    BM: tl.constexpr, BD: tl.constexpr, RAGGED: tl.constexpr,
):  # fmt: skip
    """delta = rowsum(O dO), and lse to the base of 2, in rows that are padded to whole tiles.

    A padded row's lse is inf, which makes its P zero; so is that of a row that saw no key.
    """
    row = tl.program_id(0) * BM
    head = tl.program_id(1)
    batch = tl.program_id(2)
    if RAGGED:
        start = tl.load(cu_q + batch)
        length = tl.load(cu_q + batch + 1) - start
        lse_ptr += head.to(tl.int64) * lse_stride + start
        padded = head.to(tl.int64) * padded_stride + (start // BM + batch) * BM
        out_ptr += start.to(tl.int64) * stride_os
        grad_ptr += start.to(tl.int64) * stride_gs
    else:
        length = max_q
        lse_ptr += (batch * heads + head).to(tl.int64) * lse_stride
        padded = (batch * heads + head).to(tl.int64) * padded_stride
        out_ptr += batch.to(tl.int64) * stride_ob
        grad_ptr += batch.to(tl.int64) * stride_gb
    if row < length:
        rows = row + tl.arange(0, BM)
        cols = tl.arange(0, BD)
        mask = (rows < length)[:, None] & (cols < head_dim)[None, :]
        out_ptr += head.to(tl.int64) * stride_oh
        grad_ptr += head.to(tl.int64) * stride_gh
        offsets = rows.to(tl.int64)[:, None]
        out = tl.load(out_ptr + offsets * stride_os + cols[None, :], mask=mask, other=0.0)
        grad = tl.load(grad_ptr + offsets * stride_gs + cols[None, :], mask=mask, other=0.0)
        lse = tl.load(lse_ptr + rows, mask=rows < length, other=float("-inf"))
        lse2 = tl.where(lse == float("-inf"), float("inf"), lse * 1.4426950408889634)
        tl.store(lse2_ptr + padded + rows, lse2)
        tl.store(delta_ptr + padded + rows, tl.sum(out.to(tl.float32) * grad.to(tl.float32), 1))
