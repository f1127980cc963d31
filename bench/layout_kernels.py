"""Kernels whose layout conversions are counted and timed: of every kind that Triton's users write.

They are written as one would write them for stock Triton; none names a layout.
"""

import triton
import triton.language as tl


@triton.jit
def softmax(x, out, cols, STRIDE: tl.constexpr, BLOCK: tl.constexpr):
    """Softmax of rows, as in Triton's tutorial 2."""
    row = tl.program_id(0)
    offsets = tl.arange(0, BLOCK)
    mask = offsets < cols
    v = tl.load(x + row * STRIDE + offsets, mask=mask, other=-float("inf")).to(tl.float32)
    v = tl.exp(v - tl.max(v, 0))
    tl.store(out + row * STRIDE + offsets, (v / tl.sum(v, 0)).to(tl.float16), mask=mask)


@triton.jit
def layernorm(x, w, b, out, mean, rstd, cols, eps, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    """Layer normalization of rows with the statistics, as in Triton's tutorial 5."""
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    c = tl.arange(0, BLOCK)
    mask = c[None, :] < cols
    v = tl.load(x + r[:, None] * cols + c[None, :], mask=mask, other=0.0).to(tl.float32)
    m = tl.sum(v, 1) / cols
    d = tl.where(mask, v - m[:, None], 0.0)
    s = 1 / tl.sqrt(tl.sum(d * d, 1) / cols + eps)
    tl.store(mean + r, m)
    tl.store(rstd + r, s)
    weight = tl.load(w + c, mask=c < cols).to(tl.float32)
    bias = tl.load(b + c, mask=c < cols).to(tl.float32)
    y = d * s[:, None] * weight[None, :] + bias[None, :]
    tl.store(out + r[:, None] * cols + c[None, :], y.to(tl.float16), mask=mask)


@triton.jit
def layernorm_bwd(dy, x, w, mean, rstd, dx, dw, db, cols, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    """Gradients of the layer normalization; those of weight and bias are sums for each program."""
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    c = tl.arange(0, BLOCK)
    mask = c[None, :] < cols
    g = tl.load(dy + r[:, None] * cols + c[None, :], mask=mask, other=0.0).to(tl.float32)
    v = tl.load(x + r[:, None] * cols + c[None, :], mask=mask, other=0.0).to(tl.float32)
    m = tl.load(mean + r)
    s = tl.load(rstd + r)
    weight = tl.load(w + c, mask=c < cols).to(tl.float32)
    xhat = tl.where(mask, (v - m[:, None]) * s[:, None], 0.0)
    wdy = g * weight[None, :]
    c1 = tl.sum(xhat * wdy, 1) / cols
    c2 = tl.sum(wdy, 1) / cols
    d = (wdy - (xhat * c1[:, None] + c2[:, None])) * s[:, None]
    tl.store(dx + r[:, None] * cols + c[None, :], d.to(tl.float16), mask=mask)
    tl.store(dw + tl.program_id(0) * cols + c, tl.sum(g * xhat, 0), mask=c < cols)
    tl.store(db + tl.program_id(0) * cols + c, tl.sum(g, 0), mask=c < cols)


@triton.jit
def matmul(a, b, bias, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """a @ b + bias and a leaky ReLU, as in Triton's tutorial 3."""
    pm = tl.program_id(0)
    pn = tl.program_id(1)
    rm = pm * BM + tl.arange(0, BM)
    rn = pn * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    pa = a + rm[:, None] * K + rk[None, :]
    pb = b + rk[:, None] * N + rn[None, :]
    acc = tl.zeros((BM, BN), tl.float32)
    for _ in range(0, K, BK):
        acc = tl.dot(tl.load(pa), tl.load(pb), acc)
        pa += BK
        pb += BK * N
    acc += tl.load(bias + rn).to(tl.float32)[None, :]
    acc = tl.where(acc > 0, acc, 0.01 * acc)
    tl.store(c + rm[:, None] * N + rn[None, :], acc.to(tl.float16))


@triton.jit
def matmul_tn(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """(a.T @ b.T).T of matrices that all lie transposed in memory."""
    pm = tl.program_id(0)
    pn = tl.program_id(1)
    rm = pm * BM + tl.arange(0, BM)
    rn = pn * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    pa = a + rk[:, None] * M + rm[None, :]
    pb = b + rn[:, None] * K + rk[None, :]
    acc = tl.zeros((BM, BN), tl.float32)
    for _ in range(0, K, BK):
        acc = tl.dot(tl.load(pa).T, tl.load(pb).T, acc)
        pa += BK * M
        pb += BK
    tl.store(c + rn[:, None] * M + rm[None, :], acc.T.to(tl.float16))


@triton.jit
def matmul_int8(a, b, scale, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """a @ (b * scale) with weights of 8 bits and a scale for each column."""
    pm = tl.program_id(0)
    pn = tl.program_id(1)
    rm = pm * BM + tl.arange(0, BM)
    rn = pn * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    pa = a + rm[:, None] * K + rk[None, :]
    pb = b + rk[:, None] * N + rn[None, :]
    acc = tl.zeros((BM, BN), tl.float32)
    s = tl.load(scale + rn).to(tl.float32)
    for _ in range(0, K, BK):
        w = tl.load(pb).to(tl.float16)
        acc = tl.dot(tl.load(pa), w, acc)
        pa += BK
        pb += BK * N
    tl.store(c + rm[:, None] * N + rn[None, :], (acc * s[None, :]).to(tl.float16))


@triton.jit
def matmul_int4(
    a,
    b,
    scale,
    c,
    M,
    N,
    K,
    GROUP: tl.constexpr,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
):
    """a @ b.T with weights of 4 bits, two in a byte, and a scale for each group."""
    pm = tl.program_id(0)
    pn = tl.program_id(1)
    rm = pm * BM + tl.arange(0, BM)
    rn = pn * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    pa = a + rm[:, None] * K + rk[None, :]
    pb = b + rn[:, None] * (K // 2) + tl.arange(0, BK // 2)[None, :]
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        packed = tl.load(pb)
        low = (packed & 15).to(tl.int8) - 8
        high = (packed >> 4).to(tl.int8) - 8
        s = tl.load(scale + rn * (K // GROUP) + k // GROUP)
        w = tl.interleave(low.to(tl.float16), high.to(tl.float16)) * s[:, None]
        acc = tl.dot(tl.load(pa), w.T, acc)
        pa += BK
        pb += BK // 2
    tl.store(c + rm[:, None] * N + rn[None, :], acc.to(tl.float16))


@triton.jit
def chained(
    a,
    b,
    bias,
    c,
    bias2,
    out,
    K,
    BM: tl.constexpr,
    BK: tl.constexpr,
    H: tl.constexpr,
    D: tl.constexpr,
):
    """relu(a @ b + bias) @ c + bias2."""
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rh = tl.arange(0, H)
    rd = tl.arange(0, D)
    rk = tl.arange(0, BK)
    acc = tl.zeros((BM, H), tl.float32)
    for k in range(0, K, BK):
        x = tl.load(a + rm[:, None] * K + k + rk[None, :])
        w = tl.load(b + (k + rk[:, None]) * H + rh[None, :])
        acc = tl.dot(x, w, acc)
    acc += tl.load(bias + rh).to(tl.float32)[None, :]
    h = tl.maximum(acc, 0.0).to(tl.float16)
    y = tl.dot(h, tl.load(c + rh[:, None] * D + rd[None, :]))
    y += tl.load(bias2 + rd).to(tl.float32)[None, :]
    tl.store(out + rm[:, None] * D + rd[None, :], y.to(tl.float16))


@triton.jit
def attention(
    q,
    k,
    v,
    bias,
    o,
    lse,
    N,
    scale,
    BIAS: tl.constexpr,
    BM: tl.constexpr,
    BN: tl.constexpr,
    D: tl.constexpr,
):
    """Attention with the logarithms of its sums, and with a bias if there is one."""
    head = tl.program_id(1).to(tl.int64) * N * D
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.arange(0, BN)
    rd = tl.arange(0, D)
    qt = tl.load(q + head + rm[:, None] * D + rd[None, :])
    m = tl.full((BM,), -float("inf"), tl.float32)
    total = tl.zeros((BM,), tl.float32)
    acc = tl.zeros((BM, D), tl.float32)
    for n in range(0, N, BN):
        kt = tl.load(k + head + (n + rn)[:, None] * D + rd[None, :])
        s = tl.dot(qt, kt.T) * scale
        if BIAS:
            s += tl.load(bias + rm[:, None] * N + n + rn[None, :]).to(tl.float32) * 1.4427
        mn = tl.maximum(m, tl.max(s, 1))
        p = tl.exp2(s - mn[:, None])
        alpha = tl.exp2(m - mn)
        total = total * alpha + tl.sum(p, 1)
        acc *= alpha[:, None]
        vt = tl.load(v + head + (n + rn)[:, None] * D + rd[None, :])
        acc = tl.dot(p.to(tl.float16), vt, acc)
        m = mn
    acc /= total[:, None]
    tl.store(lse + tl.program_id(1) * N + rm, m + tl.log2(total))
    tl.store(o + head + rm[:, None] * D + rd[None, :], acc.to(tl.float16))


@triton.jit
def topk(x, values, cols, ROWS: tl.constexpr, BLOCK: tl.constexpr, K: tl.constexpr):
    """The largest elements of rows."""
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    c = tl.arange(0, BLOCK)
    v = tl.load(x + r[:, None] * cols + c[None, :], mask=c[None, :] < cols, other=-float("inf"))
    y = tl.topk(v, K)
    tl.store(values + r[:, None] * K + tl.arange(0, K)[None, :], y)


@triton.jit
def transpose(x, out, M, N, BM: tl.constexpr, BN: tl.constexpr):
    """A transposed copy."""
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    v = tl.load(x + rm[:, None] * N + rn[None, :])
    tl.store(out + rn[:, None] * M + rm[None, :], v.T)


@triton.jit
def permute4(x, out, S, H: tl.constexpr, D: tl.constexpr, BS: tl.constexpr):
    """[B, S, H, D] to [B, H, D, S]."""
    s = tl.program_id(0) * BS + tl.arange(0, BS)
    base = tl.program_id(1).to(tl.int64) * S * H * D
    h = tl.arange(0, H)
    d = tl.arange(0, D)
    v = tl.load(x + base + (s[:, None, None] * H + h[None, :, None]) * D + d[None, None, :])
    # [S, H, D] -> [H, D, S]
    tl.store(
        out + base + (h[:, None, None] * D + d[None, :, None]) * S + s[None, None, :],
        v.permute(1, 2, 0),
    )


@triton.jit
def matmul_quant(a, b, w, c, scale, M, N: tl.constexpr, K, BM: tl.constexpr, BK: tl.constexpr):
    """a @ (b * w) quantized to 8 bits with a scale for each row."""
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.arange(0, N)
    rk = tl.arange(0, BK)
    acc = tl.zeros((BM, N), tl.float32)
    for k in range(0, K, BK):
        acc = tl.dot(
            tl.load(a + rm[:, None] * K + k + rk[None, :]),
            tl.load(b + (k + rk[:, None]) * N + rn[None, :]),
            acc,
        )
    acc *= tl.load(w + rn).to(tl.float32)[None, :]
    s = tl.max(tl.abs(acc), 1) / 127
    tl.store(scale + rm, s)
    tl.store(c + rm[:, None] * N + rn[None, :], (acc / s[:, None]).to(tl.int8))


@triton.jit
def cumsum(x, out, cols, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    """Cumulative sums of rows, block by block."""
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    carry = tl.zeros((ROWS,), tl.float32)
    for c0 in range(0, cols, BLOCK):
        c = c0 + tl.arange(0, BLOCK)
        v = tl.load(x + r[:, None] * cols + c[None, :]).to(tl.float32)
        y = tl.cumsum(v, 1) + carry[:, None]
        carry += tl.sum(v, 1)
        tl.store(out + r[:, None] * cols + c[None, :], y)
