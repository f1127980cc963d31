"""The AMD attention kernels' machine code, run on the CPU: what they compute, and LDS."""

import struct

import numpy as np
import pytest
import triton

from bench.amd_loops import compile_attention
from examples import amd_attention_kernel
from examples.test.amdgcn import banks
from examples.test.amdgcn.block import Block, Memory


@pytest.fixture(autouse=True)
def own_cache(tmp_path):
    with triton.knobs.cache.scope():
        triton.knobs.cache.dir = str(tmp_path / "cache")
        yield


def reference(q, k, v, causal):
    """softmax(q @ k^T / sqrt(head_dim)) @ v in float64; rows that see nothing are zero."""
    scores = q.astype(np.float64) @ k.astype(np.float64).T / np.sqrt(q.shape[1])
    if causal:
        rows, columns = np.indices(scores.shape)
        scores[columns > rows + len(k) - len(q)] = -np.inf
    highest = scores.max(1, keepdims=True)
    weights = np.exp(scores - np.where(np.isinf(highest), 0, highest))
    total = weights.sum(1, keepdims=True)
    return weights @ v.astype(np.float64) / np.where(total == 0, 1, total)


def run(kernel, constants, options, lengths, head_dim, causal, late=True):
    """Runs one head; returns the worst error, in units of what may be, and the last block."""
    length, kv_length = lengths
    random = np.random.default_rng(length)
    q, k, v = (
        random.standard_normal((rows, head_dim)).astype(np.float16)
        for rows in (length, kv_length, kv_length)
    )
    o = np.full(q.shape, np.nan, np.float16)
    memory = Memory()
    pointers = [memory.put(x) for x in (q, k, v, o)]
    strides = [x for rows in (q, k, v, o) for x in (rows.size, rows.size, head_dim)]
    arguments = struct.pack("<4Q3if12i", *pointers, length, kv_length, 1, head_dim**-0.5, *strides)
    programs = -(-length // constants["BM"])
    # Behind two pointers that the launcher adds is the size of the grid.
    arguments += struct.pack("<2Q3I", 0, 0, programs, 1, 1)
    for program in range(programs):
        block = Block(
            kernel.asm["amdgcn"],
            memory,
            arguments.ljust(256, b"\0"),
            (program,),
            waves=options["num_warps"],
            lds_bytes=kernel.metadata.shared,
            late=late,
            seed=program,
        )
    expected = reference(q, k, v, causal)
    # Weights and the result are rounded to float16.
    allowed = 2.0**-10 * np.abs(expected) + 2.0**-11 * reference(q, k, np.abs(v), causal) + 1e-4
    error = np.abs(memory.get(pointers[3], o) - expected) / allowed
    return np.nan_to_num(error, nan=np.inf).max(), block


@pytest.mark.parametrize("late", [True, False], ids=["late", "early"])
@pytest.mark.parametrize("causal", [False, True], ids=["full", "causal"])
@pytest.mark.parametrize("head_dim", [64, 96, 128])
@pytest.mark.parametrize("arch", ["gfx942", "gfx950"])
def test_attention_is_right(arch, head_dim, causal, late):
    kernel = compile_attention(arch, head_dim, causal)
    constants, options = amd_attention_kernel.settings(arch, head_dim)
    for lengths in ((144, 208), (144, 80)):
        worst, _ = run(kernel, constants, options, lengths, head_dim, causal, late)
        assert worst <= 1


@pytest.mark.parametrize(
    ("arch", "head_dim"), [("gfx942", 64), ("gfx950", 64), ("gfx950", 96), ("gfx950", 128)]
)
def test_lds_is_used_without_bank_conflicts(arch, head_dim):
    kernel = compile_attention(arch, head_dim)
    constants, options = amd_attention_kernel.settings(arch, head_dim)
    _, block = run(kernel, constants, options, (128, 128), head_dim, causal=False)
    found = banks.worst_conflicts(arch, block.accesses)
    assert found and not any(found.values()), found
