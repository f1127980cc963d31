"""Random layouts on an NVIDIA GPU: there and back is the identity, by every way."""

from __future__ import annotations

import random

import pytest

torch = pytest.importorskip(
    "torch", reason="needs PyTorch and an NVIDIA GPU; PyTorch cannot be imported"
)

import triton_plugins.layout as layout  # noqa: E402
from plugins.layout.test import kernels  # noqa: E402

NVIDIA = torch.cuda.is_available() and not torch.version.hip
pytestmark = [
    pytest.mark.nvidia,
    pytest.mark.skipif(not NVIDIA, reason="needs an NVIDIA GPU; PyTorch finds none"),
]

DTYPES = (
    torch.bool,
    torch.int8,
    torch.uint8,
    torch.int16,
    torch.int32,
    torch.int64,
    torch.float8_e4m3fn,
    torch.float8_e5m2,
    torch.float16,
    torch.bfloat16,
    torch.float32,
    torch.float64,
)
LANES, WARPS = 5, 2

Bases = list[list[int]]


def random_bases(rng: random.Random, shape: list[int]) -> tuple[Bases, Bases, Bases]:
    """Bases of registers, lanes and warps that cover a tensor in a random way.

    Every step of every dimension is given out once; what is left over repeats elements.
    """
    steps = [
        [1 << bit if other == dim else 0 for other in range(len(shape))]
        for dim, size in enumerate(shape)
        for bit in range(size.bit_length() - 1)
    ]
    rng.shuffle(steps)
    nothing = [0] * len(shape)
    threads = steps[: LANES + WARPS]
    threads += [nothing] * (LANES + WARPS - len(threads))
    rng.shuffle(threads)
    return steps[LANES + WARPS :], threads[:LANES], threads[LANES:]


def random_pair(rng: random.Random, shape: list[int], via: str) -> tuple[layout.Layout, ...]:
    """Two layouts between which data goes as far as the way leads."""
    register, lane, warp = random_bases(rng, shape)
    source = layout.linear(register, lane, warp)
    if via in ("auto", "shared"):
        return source, layout.linear(*random_bases(rng, shape))
    if via == "shuffle":
        inside = register + lane
        rng.shuffle(inside)
        register, lane = inside[: len(register)], inside[len(register) :]
    else:
        register = rng.sample(register, len(register))
    return source, layout.linear(register, lane, warp)


def random_shape(rng: random.Random, rank: int) -> list[int]:
    """Powers of two, of which all but the last may be 1; 256 to 4096 elements."""
    while True:
        shape = [1 << rng.randrange(0 if dim < rank - 1 else 1, 9) for dim in range(rank)]
        if 256 <= torch.Size(shape).numel() <= 4096:
            return shape


def random_tensor(size: int, dtype: torch.dtype) -> torch.Tensor:
    """Random bits: every value of the dtype, NaNs too."""
    if dtype == torch.bool:
        return torch.randint(2, (size,), device="cuda").bool()
    bits = torch.randint(256, (size, dtype.itemsize), device="cuda", dtype=torch.uint8)
    return bits.view(dtype).flatten()


@pytest.mark.parametrize("rank", [1, 2, 3, 4])
@pytest.mark.parametrize("via", ["auto", "registers", "shuffle", "shared"])
def test_there_and_back(rank, via):
    seed = random.randrange(2**32)
    rng = random.Random(seed)
    for dtype in DTYPES:
        shape = random_shape(rng, rank)
        source, target = random_pair(rng, shape, via)
        x = random_tensor(torch.Size(shape).numel(), dtype)
        y = torch.zeros_like(x)
        padded = (*[1] * (4 - rank), *shape)
        kernels.there_and_back[(1,)](
            x, y, SHAPE=padded, RANK=rank, FROM=source, TO=target, VIA=via, num_warps=1 << WARPS
        )
        same = torch.equal(x.view(torch.uint8), y.view(torch.uint8))
        assert same, f"seed {seed}: {dtype} {shape} from {source} to {target}"
