"""Plain kernels that the tests specialize."""

import triton
import triton.language as tl

import triton_plugins.warp_spec as warp_spec


@triton.jit
def descriptor_gemm(
    a_ptr, b_ptr, c_ptr, bias_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr
):
    """relu(a @ b.T + bias), persistent."""
    a_desc = tl.make_tensor_descriptor(a_ptr, [M, K], [K, 1], [BM, BK])
    b_desc = tl.make_tensor_descriptor(b_ptr, [N, K], [K, 1], [BN, BK])
    c_desc = tl.make_tensor_descriptor(c_ptr, [M, N], [N, 1], [BM, BN])
    tiles_m = tl.cdiv(M, BM)
    for tile in tl.range(tl.program_id(0), tiles_m * tl.cdiv(N, BN), tl.num_programs(0)):
        row, col = tile % tiles_m * BM, tile // tiles_m * BN
        acc = tl.zeros((BM, BN), tl.float32)
        for k in tl.range(0, tl.cdiv(K, BK)):
            a = a_desc.load([row, k * BK])
            b = b_desc.load([col, k * BK])
            acc = tl.dot(a, b.T, acc)
        acc += tl.load(bias_ptr + col + tl.arange(0, BN))[None, :]
        c_desc.store([row, col], tl.maximum(acc, 0).to(c_ptr.dtype.element_ty))


@triton.jit
def pointer_gemm(
    a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr
):
    """a @ b, with masks."""
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    cols = tl.program_id(1) * BN + tl.arange(0, BN)
    ks = tl.arange(0, BK)
    a = a_ptr + rows[:, None] * K + ks[None, :]
    b = b_ptr + ks[:, None] * N + cols[None, :]
    acc = tl.zeros((BM, BN), tl.float32)
    for k in tl.range(0, tl.cdiv(K, BK)):
        a_mask = (rows[:, None] < M) & (ks[None, :] + k * BK < K)
        acc = tl.dot(
            tl.load(a, mask=a_mask, other=0.0),
            tl.load(b, mask=ks[:, None] + k * BK < K, other=0.0),
            acc,
        )
        a += BK
        b += BK * N
    mask = (rows[:, None] < M) & (cols[None, :] < N)
    tl.store(c_ptr + rows[:, None] * N + cols[None, :], acc.to(c_ptr.dtype.element_ty), mask=mask)


@triton.jit
def marked_gemm(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """a @ b.T of whole tiles; its loop is marked."""
    a_desc = tl.make_tensor_descriptor(a_ptr, [M, K], [K, 1], [BM, BK])
    b_desc = tl.make_tensor_descriptor(b_ptr, [N, K], [K, 1], [BN, BK])
    c_desc = tl.make_tensor_descriptor(c_ptr, [M, N], [N, 1], [BM, BN])
    row, col = tl.program_id(0) * BM, tl.program_id(1) * BN
    acc = tl.zeros((BM, BN), tl.float32)
    for k in warp_spec.range(0, tl.cdiv(K, BK)):
        acc = tl.dot(a_desc.load([row, k * BK]), b_desc.load([col, k * BK]).T, acc)
    c_desc.store([row, col], acc.to(c_ptr.dtype.element_ty))


@triton.jit
def attention(
    q_ptr, k_ptr, v_ptr, o_ptr, S, scale, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr
):
    """softmax(q @ k.T * scale / log2(e)) @ v of one head; S is a multiple of both blocks."""
    q_desc = tl.make_tensor_descriptor(q_ptr, [S, D], [D, 1], [BM, D])
    k_desc = tl.make_tensor_descriptor(k_ptr, [S, D], [D, 1], [BN, D])
    v_desc = tl.make_tensor_descriptor(v_ptr, [S, D], [D, 1], [BN, D])
    o_desc = tl.make_tensor_descriptor(o_ptr, [S, D], [D, 1], [BM, D])
    row = tl.program_id(0) * BM
    q = q_desc.load([row, 0])
    top = tl.full((BM,), -float("inf"), tl.float32)
    total = tl.zeros((BM,), tl.float32)
    acc = tl.zeros((BM, D), tl.float32)
    for start in tl.range(0, S, BN):
        scores = tl.dot(q, k_desc.load([start, 0]).T)
        higher = tl.maximum(top, tl.max(scores, 1) * scale)
        p = tl.exp2(scores * scale - higher[:, None])
        shrink = tl.exp2(top - higher)
        total = total * shrink + tl.sum(p, 1)
        v = v_desc.load([start, 0])
        acc = tl.dot(p.to(v.dtype), v, acc * shrink[:, None])
        top = higher
    o_desc.store([row, 0], (acc / total[:, None]).to(o_ptr.dtype.element_ty))


@triton.jit
def gathered_gemm(
    a_ptr, b_ptr, c_ptr, index_ptr, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr
):
    """Where to load b depends on the product before: no producer can run ahead."""
    ks = tl.arange(0, BK)
    cols = tl.arange(0, BN)
    acc = tl.zeros((BM, BN), tl.float32)
    first = 0
    for _ in tl.range(0, K):
        a = tl.load(a_ptr + tl.arange(0, BM)[:, None] * BK + ks[None, :])
        b = tl.load(b_ptr + first + ks[:, None] * BN + cols[None, :])
        acc = tl.dot(a, b, acc)
        first = tl.max(tl.max(acc, 1), 0).to(tl.int32) * 16
    tl.store(c_ptr + tl.arange(0, BM)[:, None] * BN + cols[None, :], acc)


@triton.jit
def in_place_gemm(x_ptr, b_ptr, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Stores into what the next iteration loads."""
    ks = tl.arange(0, BK)
    rows = tl.arange(0, BM)
    for _ in tl.range(0, K):
        places = x_ptr + rows[:, None] * BK + ks[None, :]
        b = tl.load(b_ptr + ks[:, None] * BN + tl.arange(0, BN)[None, :])
        product = tl.dot(tl.load(places), b)
        tl.store(places, product.to(x_ptr.dtype.element_ty))
