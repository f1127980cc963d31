"""Sparse products against a float64 product of the decompressed operand."""

import dataclasses
import random

import pytest

torch = pytest.importorskip("torch", reason="needs PyTorch and an NVIDIA GPU; no PyTorch here")

import triton_plugins.sparsity24 as sp  # noqa: E402
from plugins.sparsity24.test import kernels  # noqa: E402
from triton_plugins.sparsity24 import gemm  # noqa: E402

NIBBLES = {4: (0, 1), 8: (0, 2), 12: (0, 3), 9: (1, 2), 13: (1, 3), 14: (2, 3)}


def assert_close(out, dense, b):
    """The bound is what correct code may be off by: rounding to the output's type, and one unit in
    the last place of float32 for every addition, of partial sums of the usual size."""
    reference = dense.double() @ b.double()
    norms = dense.double().norm(dim=1)[:, None] * b.double().norm(dim=0)
    info = torch.finfo(out.dtype)
    bound = info.eps / 2 * reference.abs()
    bound += dense.shape[1] ** 0.5 * torch.finfo(torch.float32).eps / 2 * norms
    worst = ((out.double() - reference).abs() / (bound + info.smallest_normal * info.eps)).max()
    # NaN, which an unwritten element leaves, compares false.
    assert worst <= 1, f"the largest error is {worst:.3g} of its bound"


def multiply_by_large_tiles(matrix, b, out=None):
    """One program fills the GPU with large tiles then, and computes one after the other."""
    if out is None:
        out = b.new_full((matrix.shape[0], b.shape[1]), float("nan"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gemm, "_processors", lambda device: 1)
        return sp.matmul(matrix, b, out=out)


def multiply_by_pointers(matrix, b):
    out = b.new_full((matrix.shape[0], b.shape[1]), float("nan"))
    gemm._matmul_pointers(matrix, b, out)
    return out


def one_dot(warps):
    """Multiplies by one instruction, or a few of them."""

    def multiply(matrix, b):
        (rows, depth), columns = matrix.shape, b.shape[1]
        out = torch.full((rows, columns), float("nan"), device="cuda")
        arguments = matrix.values, matrix.meta, b, out
        kernels.one_dot[(1,)](*arguments, rows, columns, depth, num_warps=warps)
        return out

    return multiply


def random_problems():
    picker = random.Random(24)
    for index in range(50):
        m, n, k = (round(2500 ** picker.random()) for _ in range(3))
        k = -(-k // 16) * 16
        dtype = (torch.float16, torch.bfloat16)[index % 2]
        yield m, n, k, dtype, bool(index & 2), bool(index & 4)


@pytest.mark.parametrize(
    ("m", "n", "k", "dtype", "b_by_columns", "c_by_columns"), list(random_problems())
)
@pytest.mark.parametrize(
    "multiply", [sp.matmul, multiply_by_large_tiles], ids=["chosen tiles", "large tiles"]
)
def test_random_shapes(draw, m, n, k, dtype, b_by_columns, c_by_columns, multiply):
    dense = draw(m, k, dtype, seed=m * 7 + n * 5 + k)
    b = torch.randn(k, n, device="cuda").to(dtype)
    b = b.t().contiguous().t() if b_by_columns else b
    out = torch.full((n, m) if c_by_columns else (m, n), float("nan"), device="cuda", dtype=dtype)
    out = out.t() if c_by_columns else out
    assert multiply(sp.compress(dense), b, out=out) is out
    assert_close(out, dense, b)


@pytest.mark.parametrize(
    ("rows", "multiply"),
    [(64, one_dot(4)), (16, one_dot(1)), (64, multiply_by_large_tiles)],
    ids=["wgmma", "mma", "large tiles"],
)
@pytest.mark.parametrize("place", range(16))
@pytest.mark.parametrize("nibble", NIBBLES)
def test_every_nibble_position_alone(rows, multiply, place, nibble):
    """One group of every row differs from the others in its columns, at each place of 64
    columns."""
    others = 4 if nibble != 4 else 14
    nibbles = torch.full((rows, 16), others, device="cuda")
    nibbles[:, place] = nibble
    shifts = torch.arange(0, 16, 4, device="cuda")
    meta = (nibbles.view(rows, 4, 4) << shifts).sum(-1).to(torch.int16)
    values = torch.randint(1, 9, (rows, 32), device="cuda").half()
    dense = torch.zeros(rows, 16, 4, device="cuda", dtype=torch.float16)
    for group in range(16):
        for i, column in enumerate(NIBBLES[nibble if group == place else others]):
            dense[:, group, column] = values[:, 2 * group + i]
    dense = dense.view(rows, 64)
    b = torch.randint(-8, 9, (64, 32), device="cuda").half()
    matrix = sp.Compressed(values, meta)
    # Small integers: every sum is exact.
    assert torch.equal(multiply(matrix, b).double(), dense.double() @ b.double())
    assert torch.equal(sp.decompress(matrix), dense)


@pytest.mark.parametrize("warps_and_rows", [(4, 64), (8, 128), (2, 32)])
def test_half_accumulators(draw, warps_and_rows):
    warps, rows = warps_and_rows
    dense = (draw(rows, 64, torch.float16) * 4).round()
    matrix = sp.compress(dense)
    b = torch.randint(-4, 5, (64, 64), device="cuda").half()
    out = torch.full((rows, 64), float("nan"), device="cuda", dtype=torch.float16)
    meta = matrix.meta.contiguous()
    kernels.one_dot[(1,)](matrix.values, meta, b, out, rows, 64, 64, num_warps=warps)
    assert torch.equal(out.double(), dense.double() @ b.double())


@pytest.mark.parametrize("multiply", [sp.matmul, multiply_by_large_tiles, multiply_by_pointers])
def test_special_values_and_empty_groups(draw, multiply):
    dense = (draw(64, 128, torch.float16) * 4).round()
    dense.view(-1, 4)[::3] = 0
    dense[1] = 0
    for row, first, second in [
        (2, float("nan"), 1.0),
        (3, float("inf"), -2.0),
        (4, float("-inf"), -0.0),
        (5, float("inf"), float("-inf")),
        (6, -0.0, -0.0),
    ]:
        dense[row] = 0
        dense[row, 9], dense[row, 98] = first, second
    b = torch.randint(1, 5, (128, 64), device="cuda").half()
    b[:, ::2] *= -1
    out = multiply(sp.compress(dense), b).double()
    # Every finite sum is a small integer, so there is no rounding.
    torch.testing.assert_close(out, dense.double() @ b.double(), rtol=0, atol=0, equal_nan=True)


def test_pointers_on_a_gpu_with_mma(draw):
    dense, b = draw(300, 160, torch.float16), torch.randn(160, 77, device="cuda").half()
    out = torch.full((300, 77), float("nan"), device="cuda", dtype=torch.float16)
    gemm._matmul_pointers(sp.compress(dense), b, out)
    assert_close(out, dense, b)


def test_pointers_to_more_elements_than_32_bits_count(draw):
    m, n = 65536, 32784
    dense, b = draw(m, 16, torch.float16), torch.randn(16, n, device="cuda").half()
    out = torch.full((n, m), float("nan"), device="cuda", dtype=torch.float16).t()
    gemm._matmul_pointers(sp.compress(dense), b, out)
    assert_close(out[-70:, -70:], dense[-70:], b[:, -70:])


def test_a_first_product_in_a_graph(draw):
    dense, b = draw(128, 256, torch.float16), torch.randn(256, 64, device="cuda").half()
    warm = sp.compress(dense)
    sp.matmul(warm, b)
    # Without metadata as the product reads it, which is made then.
    matrix = dataclasses.replace(warm, words=None)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        out = sp.matmul(matrix, b)
    # The graph has not run yet.
    assert_close(sp.matmul(matrix, b), dense, b)
    graph.replay()
    assert_close(out, dense, b)


def test_nothing_to_multiply():
    matrix = sp.compress(torch.zeros(0, 64, device="cuda", dtype=torch.float16))
    b = torch.ones(64, 8, device="cuda", dtype=torch.float16)
    assert sp.matmul(matrix, b).shape == (0, 8)


def test_shapes_that_do_not_fit():
    matrix = sp.compress(torch.zeros(64, 64, device="cuda", dtype=torch.float16))
    with pytest.raises(ValueError, match=r"cannot multiply torch.float16 \(64, 64\)"):
        sp.matmul(matrix, torch.zeros(32, 8, device="cuda", dtype=torch.float16))
    b = torch.zeros(64, 8, device="cuda", dtype=torch.float16)
    with pytest.raises(ValueError, match=r"out must be torch.float16 \(64, 8\)"):
        sp.matmul(matrix, b, out=b.t())
