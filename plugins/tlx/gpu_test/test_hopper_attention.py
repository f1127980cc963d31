"""Attention on Hopper: random shapes against a float64 reference, forward and backward."""

import itertools
import random

import pytest

torch = pytest.importorskip(
    "torch", reason="needs PyTorch and a Hopper GPU; PyTorch cannot be imported"
)

from bench import attention_reference  # noqa: E402
from examples.hopper_attention import attention  # noqa: E402
from tools.testing import hopper  # noqa: E402

pytestmark = hopper.MARKS

DTYPES = [torch.float16, torch.bfloat16]


def random_shapes(count: int, largest: int) -> list[tuple[int, int, int, int, int, bool]]:
    """Batch, heads of q, heads of k, queries, keys, causal; short as likely as long."""
    draw = random.Random(2026)

    def length() -> int:
        return round(largest ** draw.random())

    shapes = []
    for index in range(count):
        kv_heads = draw.randint(1, 3)
        queries, keys = length(), length()
        keys = queries if index % 2 else keys
        shapes.append(
            (draw.randint(1, 3), kv_heads * draw.randint(1, 4), kv_heads, queries, keys,
             index % 4 < 2)
        )  # fmt: skip
    return shapes


def draw(shape: tuple[int, ...], dtype: torch.dtype, seed: int) -> torch.Tensor:
    generator = torch.Generator(device="cuda").manual_seed(seed)
    return torch.randn(shape, device="cuda", dtype=dtype, generator=generator)


def poison() -> None:
    """Fills the memory that PyTorch hands out next with NaN: what is not written fails."""
    torch.full((2**26,), float("nan"), device="cuda")


def inputs(shape, head_dim: int, dtype: torch.dtype) -> list[torch.Tensor]:
    batch, heads, kv_heads, queries, keys, _ = shape
    return [
        draw((batch, heads, queries, head_dim), dtype, 1),
        draw((batch, kv_heads, keys, head_dim), dtype, 2),
        draw((batch, kv_heads, keys, head_dim), dtype, 3),
    ]


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("head_dim", [64, 96, 128, 256])
def test_random_shapes(head_dim, dtype):
    for shape in random_shapes(20, 3000):
        q, k, v = inputs(shape, head_dim, dtype)
        poison()
        out, lse = attention(q, k, v, causal=shape[-1], return_lse=True)
        wants = attention_reference.forward(q, k, v, shape[-1], head_dim**-0.5)
        errors = [want.worst(got) for want, got in zip(wants, (out, lse), strict=True)]
        assert all(error <= 1 for error in errors), (shape, errors)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("head_dim", [64, 96, 128])
def test_gradients_of_random_shapes(head_dim, dtype):
    for shape in random_shapes(20, 1500):
        leaves = [x.requires_grad_() for x in inputs(shape, head_dim, dtype)]
        out = attention(*leaves, causal=shape[-1])
        grad = draw(tuple(out.shape), dtype, 4)
        poison()
        gradients = torch.autograd.grad(out, leaves, grad)
        wants = attention_reference.backward(
            *(x.detach() for x in leaves), grad, shape[-1], head_dim**-0.5
        )
        errors = [want.worst(got) for want, got in zip(wants, gradients, strict=True)]
        assert all(error <= 1 for error in errors), (shape, errors)


def unlike_scores(name: str, q: torch.Tensor, k: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Queries and keys whose scores differ much from tile to tile; the kernel begins at the end."""
    keys = k.shape[2]
    place = torch.arange(keys, device="cuda", dtype=torch.float32)[:, None] / keys
    k = k.clone()
    if name == "growing":
        k *= (12 * (1 - place)).to(k.dtype)
    elif name == "falling":
        k *= (12 * place).to(k.dtype)
    elif name == "steps":
        # All scores of a tile are the same, and those of the next one larger.
        q, k = torch.ones_like(q), torch.ones_like(k) * (20 * (1 - place)).round().to(k.dtype)
    elif name == "one huge":
        k[:, :, 5] = 20 * q[:, :: q.shape[1] // k.shape[1], -7]
        k[:, :, keys // 3] = -k[:, :, 5]
    elif name == "low first":
        q, k = q.abs(), k.abs()
        k[:, :, -300:] *= -30
    elif name == "large":
        q, k = 10 * q, 10 * k
    return q, k


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("head_dim", [64, 96, 128, 192, 256])
def test_scores_that_differ_between_tiles(head_dim, dtype, causal):
    for name in ("growing", "falling", "steps", "one huge", "low first", "large"):
        q, k, v = inputs((2, 4, 2, 907, 907, causal), head_dim, dtype)
        q, k = unlike_scores(name, q, k)
        poison()
        out, lse = attention(q, k, v, causal=causal, return_lse=True)
        wants = attention_reference.forward(q, k, v, causal, head_dim**-0.5)
        errors = [want.worst(got) for want, got in zip(wants, (out, lse), strict=True)]
        assert all(error <= 1 for error in errors), (name, errors)


@pytest.mark.parametrize("head_dim", [64, 96, 128])
def test_what_is_not_finite_stays_in_its_rows(head_dim):
    q, k, v = inputs((1, 2, 2, 700, 700, True), head_dim, torch.float16)
    q[:, :, 50, 1] = float("inf")
    k[:, :, 100, 3] = float("nan")
    out, lse = attention(q, k, v, causal=True, return_lse=True)
    # Row 50's scores are infinities of both signs, and rows from 100 on see the key.
    spoilt = torch.zeros(700, dtype=torch.bool, device="cuda")
    spoilt[50] = spoilt[100:] = True
    assert torch.equal(out.isnan().all(-1), spoilt.expand(1, 2, 700))
    assert torch.equal(lse.isnan(), spoilt.expand(1, 2, 700))
    assert bool(out[:, :, ~spoilt].isfinite().all())


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("head_dim", [64, 96, 128])
def test_ragged_batches(head_dim, causal):
    numbers = random.Random(7)
    lengths = [0, 1, *(numbers.randint(1, 700) for _ in range(6)), 0, 128]
    starts = torch.tensor([0, *itertools.accumulate(lengths)], dtype=torch.int32, device="cuda")
    # Tokens after the last sequence belong to none, and must not be read as numbers.
    total = sum(lengths) + 77
    q, k, v = (draw((total, heads, head_dim), torch.float16, heads) for heads in (4, 2, 2))
    for x in (q, k, v):
        x[sum(lengths) :] = float("nan")
    leaves = [x.requires_grad_() for x in (q, k, v)]
    out, lse = attention(*leaves, causal=causal, cu_seqlens=starts, return_lse=True)
    grad = draw(tuple(out.shape), torch.float16, 9)
    gradients = torch.autograd.grad(out, leaves, grad)
    for start, length in zip(starts.tolist(), lengths, strict=False):
        rows = slice(start, start + length)
        # (1, heads, length, head_dim) of one sequence.
        one = [x.detach()[rows].transpose(0, 1)[None] for x in (q, k, v, grad)]
        wants = attention_reference.forward(*one[:3], causal, head_dim**-0.5)
        assert wants[0].worst(out[rows].transpose(0, 1)[None]) <= 1
        assert wants[1].worst(lse[None, :, rows]) <= 1
        wants = attention_reference.backward(*one, causal, head_dim**-0.5)
        for want, got in zip(wants, gradients, strict=True):
            assert want.worst(got[rows].transpose(0, 1)[None]) <= 1


@pytest.mark.parametrize("head_dim", [8, 40, 80, 104])
def test_head_dims_between(head_dim):
    shape = (2, 3, 1, 150, 170, True)
    leaves = [x.requires_grad_() for x in inputs(shape, head_dim, torch.float16)]
    out = attention(*leaves, causal=True)
    grad = draw(tuple(out.shape), torch.float16, 4)
    want = attention_reference.forward(*(x.detach() for x in leaves), True, head_dim**-0.5)[0]
    assert want.worst(out) <= 1
    wants = attention_reference.backward(*(x.detach() for x in leaves), grad, True, head_dim**-0.5)
    for want, got in zip(wants, torch.autograd.grad(out, leaves, grad), strict=True):
        assert want.worst(got) <= 1


def test_any_strides():
    # As projections make them: (batch, length, heads, head_dim), of one tensor.
    packed = draw((2, 200, 3, 4, 128), torch.float16, 1)
    q, k, v = (packed[:, :, part].transpose(1, 2) for part in range(3))
    want = attention_reference.forward(q, k, v, True, 128**-0.5)[0]
    assert want.worst(attention(q, k, v, causal=True)) <= 1


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("head_dim", [64, 96, 128, 256])
def test_repeated_runs_agree(head_dim, causal):
    # A race between copies and products shows as results that differ from run to run.
    q, k, v = inputs((2, 8, 8, 1024, 1024, causal), head_dim, torch.float16)
    first = attention(q, k, v, causal=causal)
    assert all(torch.equal(first, attention(q, k, v, causal=causal)) for _ in range(200))


@pytest.mark.parametrize("head_dim", [64, 96, 128])
def test_repeated_gradients_agree(head_dim):
    leaves = [
        x.requires_grad_() for x in inputs((2, 8, 8, 512, 512, True), head_dim, torch.float16)
    ]
    out = attention(*leaves, causal=True)
    grad = draw(tuple(out.shape), torch.float16, 4)

    def run() -> tuple[torch.Tensor, ...]:
        return torch.autograd.grad(out, leaves, grad, retain_graph=True)

    dq, dk, dv = run()
    for _ in range(200):
        # dq's sums are in no fixed order.
        again = run()
        assert torch.equal(dk, again[1]) and torch.equal(dv, again[2])
        torch.testing.assert_close(dq, again[0], rtol=2e-3, atol=2e-3)


@pytest.mark.parametrize("shape", [(2, 4, 2, 33, 0, False), (2, 4, 2, 0, 33, True)], ids=str)
def test_nothing_to_see(shape):
    leaves = [x.requires_grad_() for x in inputs(shape, 64, torch.float16)]
    poison()
    out, lse = attention(*leaves, causal=shape[-1], return_lse=True)
    assert not out.any() and bool((lse == float("-inf")).all())
    gradients = torch.autograd.grad(out, leaves, torch.ones_like(out))
    assert not any(gradient.any() for gradient in gradients)


def test_more_elements_than_32_bits_count():
    # The last ones are behind the first 2**31, in bytes and in elements.
    shape = (33000, 8, 8, 64, 64, True)
    leaves = [x.requires_grad_() for x in inputs(shape, 128, torch.float16)]
    out, lse = attention(*leaves, causal=True, return_lse=True)
    grad = draw(tuple(out.shape), torch.float16, 4)
    gradients = torch.autograd.grad(out, leaves, grad)
    last = [x.detach()[-1:] for x in (*leaves, grad)]
    wants = (
        *attention_reference.forward(*last[:3], True, 128**-0.5),
        *attention_reference.backward(*last, True, 128**-0.5),
    )
    for want, got in zip(wants, (out, lse, *gradients), strict=True):
        assert want.worst(got[-1:]) <= 1


def test_gradients_of_too_many_sequences():
    leaves = [x.requires_grad_() for x in inputs((65536, 1, 1, 2, 2, False), 64, torch.float16)]
    out = attention(*leaves)
    with pytest.raises(ValueError, match="at most 65535 sequences at a time, but there are 65536"):
        out.sum().backward()


def test_second_gradients_are_refused():
    q, k, v = (x.requires_grad_() for x in inputs((1, 2, 2, 64, 64, False), 64, torch.float16))
    squares = attention(q, k, v).square().sum()
    gradient = torch.autograd.grad(squares, q, create_graph=True)[0]
    with pytest.raises(RuntimeError, match="once_differentiable"):
        gradient.sum().backward()


def test_starts_on_the_cpu():
    q, k, v = (draw((40, 2, 64), torch.float16, seed) for seed in range(3))
    with pytest.raises(ValueError, match="cu_seqlens must be on cuda:0 like q, but is on cpu"):
        attention(q, k, v, cu_seqlens=torch.tensor([0, 40], dtype=torch.int32))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"head_dim": 12}, "multiple of 8"),
        ({"head_dim": 264}, "multiple of 8 up to 256"),
        ({"kv_heads": 3}, "do not divide"),
        ({"dtype": torch.float32}, "float16"),
        ({"scale": 0.0}, "scale must be positive"),
        ({"device": "cpu"}, "q is on cuda:0 and k on cpu"),
    ],
)
def test_bad_arguments(change, message):
    head_dim, dtype = change.get("head_dim", 64), change.get("dtype", torch.float16)
    q, k, v = inputs((1, 4, change.get("kv_heads", 2), 16, 16, False), head_dim, dtype)
    k, v = (x.to(change.get("device", "cuda")) for x in (k, v))
    with pytest.raises(ValueError, match=message):
        attention(q, k, v, scale=change.get("scale"))
