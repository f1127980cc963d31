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


def inputs(kind, length, kv_length, head_dim):
    """Q, K and V of one head, of normally distributed numbers but for what `kind` says."""
    random = np.random.default_rng(length)
    q, k, v = (random.standard_normal((rows, head_dim)) for rows in (length, kv_length, kv_length))
    if kind == "constant":
        k[:] = k[0]
    elif kind == "growing":
        k *= np.linspace(0.2, 6, kv_length)[:, None]
    elif kind == "falling":
        k *= np.linspace(8, 0.2, kv_length)[:, None]
    elif kind == "steep":
        q *= 4
    elif kind == "infinite":
        # Scores that are no numbers in some rows, and weights that are none in all of them.
        q[3], v[7] = np.inf, np.nan
    return [x.astype(np.float16) for x in (q, k, v)]


def run(arch, head_dim, lengths, causal, late=True, kind="normal"):
    """Runs one head; returns the worst error, in units of what may be, and the last block."""
    kernel = compile_attention(arch, head_dim, causal)
    _, constants, options = amd_attention_kernel.settings(arch, head_dim)
    length, kv_length = lengths
    q, k, v = inputs(kind, length, kv_length, head_dim)
    o = np.full(q.shape, np.nan, np.float16)
    memory = Memory()
    pointers = [memory.put(x) for x in (q, k, v, o)]
    strides = [x for rows in (q, k, v, o) for x in (rows.size, rows.size, head_dim)]
    programs = -(-length // constants["BM"])
    sizes = (length, kv_length, 1, programs, head_dim**-0.5)
    arguments = struct.pack("<4Q4if12i", *pointers, *sizes, *strides)
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
    found = memory.get(pointers[3], o)
    with np.errstate(invalid="ignore"):
        expected = reference(q, k, v, causal)
        # Weights and the result are rounded to float16.
        allowed = 2.0**-10 * np.abs(expected) + 2.0**-11 * reference(q, k, np.abs(v), causal) + 1e-4
        error = np.abs(found - expected) / allowed
    error[np.isnan(found) & np.isnan(expected)] = 0
    return np.nan_to_num(error, nan=np.inf).max(), block


ARCHS, HEAD_DIMS = ["gfx942", "gfx950"], [64, 96, 128]


@pytest.mark.parametrize("late", [True, False], ids=["late", "early"])
@pytest.mark.parametrize("causal", [False, True], ids=["full", "causal"])
@pytest.mark.parametrize("head_dim", HEAD_DIMS)
@pytest.mark.parametrize("arch", ARCHS)
def test_attention_is_right(arch, head_dim, causal, late):
    # The last one has tiles that need no mask and load none, and all others.
    for lengths in ((288, 208), (144, 80), (20, 700)):
        assert run(arch, head_dim, lengths, causal, late)[0] <= 1


def computes_again(kind, head_dim, causal) -> bool:
    """Whether weights relative to the first scores, 32 or 64 of a row, grow too large."""
    q, k, _ = (x.astype(np.float64) for x in inputs(kind, 288, 208, head_dim))
    scores = q @ k.T / np.sqrt(head_dim)
    if causal:
        rows, columns = np.indices(scores.shape)
        scores[columns > rows + 208 - 288] = -np.inf
    return (scores.max(1) - scores[:, :64].max(1))[np.isfinite(scores.max(1))].max() > 11


@pytest.mark.parametrize("kind", ["constant", "growing", "falling", "steep", "infinite"])
@pytest.mark.parametrize("head_dim", HEAD_DIMS)
@pytest.mark.parametrize("arch", ARCHS)
def test_scores_that_are_large_or_equal_or_no_numbers(arch, head_dim, kind):
    assert run(arch, head_dim, (288, 208), causal=kind != "growing", kind=kind)[0] <= 1
    if kind == "growing":
        assert computes_again(kind, head_dim, causal=False)


# On gfx942 a thread has too little of the second part of 96 dimensions to store it so.
@pytest.mark.parametrize(
    ("arch", "head_dim"), [(a, d) for a in ARCHS for d in HEAD_DIMS if (a, d) != ("gfx942", 96)]
)
def test_lds_is_used_without_bank_conflicts(arch, head_dim):
    _, block = run(arch, head_dim, (288, 208), causal=False)
    found = banks.worst_conflicts(arch, block.accesses)
    assert found and not any(found.values()), found
