"""Kernels about views and shared memory that the tests compile and run."""

import triton
import triton.language as tl

import triton_plugins.tlx as tlx


@triton.jit
def transpose(src, dst, M: tl.constexpr, N: tl.constexpr):
    """Writes a matrix half by half and reads its transpose."""
    rows, cols = tl.arange(0, M), tl.arange(0, N)
    half: tl.constexpr = N // 2
    buffers = tlx.local_alloc((M, N), tlx.dtype_of(src), 2)
    view = buffers[1]
    for part in tl.static_range(2):
        offsets = rows[:, None] * N + part * half + tl.arange(0, half)[None, :]
        tlx.local_store(tlx.local_slice(view, [0, part * half], [M, half]), tl.load(src + offsets))
    tl.store(dst + cols[:, None] * M + rows[None, :], tlx.local_load(tlx.local_trans(view)))


@triton.jit
def reinterpret(src, dst, M: tl.constexpr, N: tl.constexpr):
    """Writes float32 and reads the same bytes as pairs of int16, row by row."""
    rows = tl.arange(0, M)
    buffers = tlx.local_alloc((M, N), tl.float32, 1)
    tlx.local_store(buffers[0], tl.load(src + rows[:, None] * N + tl.arange(0, N)[None, :]))
    words = tlx.local_reinterpret(buffers, tl.int16, [M, 2 * N])
    offsets = rows[:, None] * (2 * N) + tl.arange(0, 2 * N)[None, :]
    tl.store(dst + offsets, tlx.local_load(words[0]))


@triton.jit
def reuse(src, dst, BLOCK: tl.constexpr):
    """Two allocations of one memory, one used after the other."""
    offsets = tl.arange(0, BLOCK)
    narrow = tlx.local_alloc((BLOCK,), tl.float32, 1)
    tlx.local_store(narrow[0], tl.load(src + offsets))
    values = tlx.local_load(narrow[0])
    wide = tlx.local_alloc((BLOCK,), tl.float64, 2, reuse=narrow)
    tlx.local_store(wide[1], values.to(tl.float64) * 2)
    tl.store(dst + offsets, tlx.local_load(wide[1]).to(tl.float32))


@triton.jit
def overlap(src, dst, BLOCK: tl.constexpr):
    """Buffers of a storage: `whole` shares bytes with `halves` and `tail`, which do not meet."""
    offsets = tl.arange(0, BLOCK)
    storage = tlx.storage_alias_spec()
    whole = tlx.local_alloc((4 * BLOCK,), tl.float32, 2, reuse=storage)
    halves = tlx.local_alloc((BLOCK,), tl.float32, 4, reuse=storage)
    tail = tlx.local_alloc((BLOCK,), tl.float32, 2, reuse=storage)
    storage.set_buffer_overlap(
        tlx.reuse_group(
            whole,
            tlx.reuse_group(
                tlx.reuse_group(halves, group_size=2),
                tail,
                group_type=tlx.reuse_group_type.distinct,
            ),
        )
    )
    for i in tl.range(0, 4):
        tlx.local_store(halves[i], tl.load(src + i * BLOCK + offsets))
    for i in tl.range(0, 2):
        tlx.local_store(tail[i], tl.load(src + (4 + i) * BLOCK + offsets))
    for i in tl.range(0, 2):
        tl.store(dst + (4 + i) * BLOCK + offsets, tlx.local_load(tail[i]))
    for i in tl.range(0, 4):
        tl.store(dst + i * BLOCK + offsets, tlx.local_load(halves[i]))
    longer = tl.arange(0, 4 * BLOCK)
    tlx.local_store(whole[1], tl.load(src + longer))
    tl.store(dst + 6 * BLOCK + longer, tlx.local_load(whole[1]))


@triton.jit
def _load(pointer, ROWS: tl.constexpr, COLUMNS: tl.constexpr, TRANSPOSED: tl.constexpr):
    """A buffer of ROWS x COLUMNS; in memory it is the other way where TRANSPOSED."""
    rows: tl.constexpr = COLUMNS if TRANSPOSED else ROWS
    columns: tl.constexpr = ROWS if TRANSPOSED else COLUMNS
    buffers = tlx.local_alloc((rows, columns), tlx.dtype_of(pointer), 1)
    offsets = tl.arange(0, rows)[:, None] * columns + tl.arange(0, columns)[None, :]
    tlx.async_load(pointer + offsets, buffers[0])
    tlx.async_load_commit_group()
    tlx.async_load_wait_group(0)
    view = buffers[0]
    if TRANSPOSED:
        view = tlx.local_trans(view)
    return view


@triton.jit
def dot_of_views(
    a, b, c, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, AT: tl.constexpr, BT: tl.constexpr
):
    """One product; a is KxM in memory where AT, b is NxK where BT."""
    product = tlx.async_dot(_load(a, M, K, AT), _load(b, K, N, BT), out_dtype=tlx.dtype_of(c))
    product = tlx.async_dot_wait(0, product)
    tl.store(c + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :], product)


@triton.jit
def dot_of_slices(a, b, c, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    """Both halves of K after each other into both halves of N, the four products in flight."""
    a_view, b_view = _load(a, M, K, False), _load(b, K, N, False)
    rows, cols = tl.arange(0, M), tl.arange(0, N // 2)
    left = tl.zeros([M, N // 2], tl.float32)
    right = tl.zeros([M, N // 2], tl.float32)
    for k in tl.static_range(2):
        part = tlx.local_slice(a_view, [0, k * K // 2], [M, K // 2])
        left = tlx.async_dot(part, tlx.local_slice(b_view, [k * K // 2, 0], [K // 2, N // 2]), left)
        right = tlx.async_dot(
            part, tlx.local_slice(b_view, [k * K // 2, N // 2], [K // 2, N // 2]), right
        )
    left = tlx.async_dot_wait(1, left)
    tl.store(c + rows[:, None] * N + cols[None, :], left)
    right = tlx.async_dot_wait(0, right)
    tl.store(c + rows[:, None] * N + N // 2 + cols[None, :], right)


@triton.jit
def dot_of_stored(a, b, c, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    """A product of buffers that threads wrote."""
    rows, cols, depth = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    a_view = tlx.local_alloc((M, K), tlx.dtype_of(a), 1)[0]
    b_view = tlx.local_alloc((K, N), tlx.dtype_of(b), 1)[0]
    tlx.local_store(a_view, tl.load(a + rows[:, None] * K + depth[None, :]))
    tlx.local_store(b_view, tl.load(b + depth[:, None] * N + cols[None, :]))
    product = tlx.async_dot(a_view, b_view)
    product = tlx.async_dot_wait(0, product)
    tl.store(c + rows[:, None] * N + cols[None, :], product)


@triton.jit
def dot_in_branches(a, b, c, n, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    """Accumulates in a while loop and a branch; the first product of each run starts from zero."""
    a_view, b_view = _load(a, M, K, False), _load(b, K, N, False)
    acc = tl.full([M, N], 7.0, tl.float32)
    i = 0
    while i < n:
        if i % 2 == 0:
            acc = tlx.async_dot(a_view, b_view, acc, use_acc=i > 0)
        else:
            acc = tlx.async_dot_wait(0, acc)
            acc = acc * 0.5
        i += 1
    acc = tlx.async_dot_wait(0, acc)
    tl.store(c + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :], acc)


@triton.jit
def dot_scaled_between_tiles(a, b, c, n, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    """Halves the accumulator after each tile's loop; the next tile adds to it."""
    a_view, b_view = _load(a, M, K, False), _load(b, K, N, False)
    acc = tl.full([M, N], 7.0, tl.float32)
    for _ in tl.range(0, n):
        for _ in tl.range(0, n):
            acc = tlx.async_dot(a_view, b_view, acc)
            acc = tlx.async_dot_wait(1, acc)
        acc = tlx.async_dot_wait(0, acc)
        acc = acc * 0.5
    tl.store(c + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :], acc)


@triton.jit
def attention(q, k, v, out, scale, n, D: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    """softmax(q @ k.T * scale) @ v of M rows, the product with v running behind the next one with
    k."""
    rows, cols, depth = tl.arange(0, M), tl.arange(0, N), tl.arange(0, D)
    q_view = _load(q, M, D, False)
    ks = tlx.local_alloc((N, D), tlx.dtype_of(k), 2)
    vs = tlx.local_alloc((N, D), tlx.dtype_of(v), 2)
    offsets = cols[:, None] * D + depth[None, :]
    tlx.async_load(k + offsets, ks[0])
    tlx.async_load(v + offsets, vs[0])
    tlx.async_load_commit_group()
    tlx.async_load_wait_group(0)
    scores = tlx.async_dot(q_view, tlx.local_trans(ks[0]))
    scores = tlx.async_dot_wait(0, scores) * scale
    high = tl.max(scores, 1)
    p = tl.exp2(scores - high[:, None])
    total = tl.sum(p, 1)
    acc = tl.zeros([M, D], tl.float32)
    for i in tl.range(1, n):
        slot = i % 2
        tlx.async_load(k + i * N * D + offsets, ks[slot])
        tlx.async_load(v + i * N * D + offsets, vs[slot])
        tlx.async_load_commit_group()
        tlx.async_load_wait_group(0)
        scores = tlx.async_dot(q_view, tlx.local_trans(ks[slot]))
        acc = tlx.async_dot(p.to(tlx.dtype_of(v)), vs[1 - slot], acc)
        scores = tlx.async_dot_wait(1, scores) * scale
        new = tl.maximum(high, tl.max(scores, 1))
        p = tl.exp2(scores - new[:, None])
        shrink = tl.exp2(high - new)
        total = total * shrink + tl.sum(p, 1)
        high = new
        acc = tlx.async_dot_wait(0, acc)
        acc = acc * shrink[:, None]
    acc = tlx.async_dot(p.to(tlx.dtype_of(v)), vs[(n - 1) % 2], acc)
    acc = tlx.async_dot_wait(0, acc) / total[:, None]
    tl.store(out + rows[:, None] * D + depth[None, :], acc.to(tlx.dtype_of(out)))


@triton.jit
def too_much(src, dst, BLOCK: tl.constexpr):
    """Copies three blocks through buffers of their own."""
    offsets = tl.arange(0, BLOCK)
    first = tlx.local_alloc((BLOCK,), tl.float32, 1)
    others = tlx.local_alloc((BLOCK,), tl.float32, 2)
    tlx.local_store(first[0], tl.load(src + offsets))
    tlx.local_store(others[0], tl.load(src + BLOCK + offsets))
    tlx.local_store(others[1], tl.load(src + 2 * BLOCK + offsets))
    tl.store(dst + offsets, tlx.local_load(first[0]))
    tl.store(dst + BLOCK + offsets, tlx.local_load(others[0]))
    tl.store(dst + 2 * BLOCK + offsets, tlx.local_load(others[1]))


@triton.jit
def stored_in_bulk(src, dst, size, BLOCK: tl.constexpr):
    """Copies `size` bytes of the second of two blocks from shared memory."""
    offsets = tl.arange(0, BLOCK)
    buffers = tlx.local_alloc((BLOCK,), tlx.dtype_of(src), 2)
    tlx.local_store(buffers[0], tl.zeros([BLOCK], tlx.dtype_of(src)))
    tlx.local_store(buffers[1], tl.load(src + offsets))
    tlx.async_store(dst, buffers[1], size)
