"""The AMD attention on random shapes, against a float64 reference."""

import random

import pytest

torch = pytest.importorskip(
    "torch", reason="needs PyTorch and an AMD Instinct GPU; PyTorch cannot be imported"
)

from examples.amd_attention_kernel import attention, settings  # noqa: E402


def why_not() -> str | None:
    """Why the tests cannot run here, or None."""
    if not torch.cuda.is_available() or not torch.version.hip:
        return "needs an AMD GPU; PyTorch finds none"
    arch = torch.cuda.get_device_properties(0).gcnArchName.split(":")[0]
    return None if arch in ("gfx942", "gfx950") else f"needs gfx942 or gfx950; this GPU is {arch}"


pytestmark = [pytest.mark.amd, pytest.mark.skipif(why_not() is not None, reason=str(why_not()))]


def reference(q, k, v, causal):
    """Attention in float64; rows that see nothing are zero."""
    q, k, v = q.double(), k.double(), v.double()
    k = k.repeat_interleave(q.shape[1] // k.shape[1], 1)
    v = v.repeat_interleave(q.shape[1] // v.shape[1], 1)
    scores = q @ k.mT * q.shape[-1] ** -0.5
    if causal:
        visible = torch.ones(scores.shape[-2:], dtype=torch.bool, device=q.device)
        visible = visible.tril(k.shape[-2] - q.shape[-2])
        scores = scores.masked_fill(~visible, float("-inf"))
    return scores.softmax(-1).nan_to_num(0.0) @ v


def random_shapes(count: int) -> list[tuple[int, int, int, int, int]]:
    """Batch, heads, heads of K and V, and both lengths from 1 to 1500."""
    draw = random.Random(2026)
    shapes = []
    for _ in range(count):
        kv_heads = draw.randint(1, 3)
        lengths = [round(1500 ** draw.random()) for _ in range(2)]
        shapes.append((draw.randint(1, 3), kv_heads * draw.choice([1, 2, 4]), kv_heads, *lengths))
    return shapes


def assert_right(shape, head_dim, causal, dtype, growth=1.0):
    """Compares; a late row of K is up to `growth` times as large as the first ones."""
    batch, heads, kv_heads, length, kv_length = shape
    generator = torch.Generator(device="cuda").manual_seed(sum(shape) + head_dim)

    def draw(heads, length):
        # Batch, length, heads and dimension in memory, as projections leave them.
        size = (batch, length, heads, head_dim)
        return torch.randn(size, generator=generator, device="cuda", dtype=dtype).transpose(1, 2)

    q, k, v = draw(heads, length), draw(kv_heads, kv_length), draw(kv_heads, kv_length)
    k *= torch.linspace(1.0, growth, kv_length, device="cuda", dtype=dtype)[:, None]
    out = torch.full_like(q, float("nan"))
    attention(q, k, v, causal=causal, out=out)
    expected = reference(q, k, v, causal)
    # Weights and results are rounded to the inputs' type; both are at most about the largest value.
    bound = 2 * torch.finfo(dtype).eps * v.double().abs().max()
    assert ((out.double() - expected).abs() <= bound).all()


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=["float16", "bfloat16"])
@pytest.mark.parametrize("causal", [False, True], ids=["full", "causal"])
@pytest.mark.parametrize("head_dim", [64, 96, 128])
@pytest.mark.parametrize("shape", random_shapes(20), ids=lambda shape: "x".join(map(str, shape)))
def test_random_shapes(shape, head_dim, causal, dtype):
    assert_right(shape, head_dim, causal, dtype)


@pytest.mark.parametrize("head_dim", [64, 96, 128])
def test_every_fill_of_the_buffers(head_dim):
    arch = torch.cuda.get_device_properties(0).gcnArchName.split(":")[0]
    tile = settings(arch, head_dim)[1]["BN"]
    for kv_length in (1, tile - 1, tile, tile + 1, 2 * tile, 3 * tile + 5):
        assert_right((1, 2, 1, 130, kv_length), head_dim, False, torch.float16)
        assert_right((1, 2, 1, kv_length, kv_length), head_dim, True, torch.float16)


@pytest.mark.parametrize("causal", [False, True], ids=["full", "causal"])
@pytest.mark.parametrize("head_dim", [64, 96, 128])
def test_scores_that_grow_past_the_first_ones(head_dim, causal):
    assert_right((2, 2, 1, 500, 900), head_dim, causal, torch.float16, growth=8.0)


def test_repeated_runs_agree():
    q, k, v = (torch.randn(2, 4, 1024, 128, device="cuda").half() for _ in range(3))
    first = attention(q, k, v, causal=True)
    assert all(torch.equal(first, attention(q, k, v, causal=True)) for _ in range(50))
