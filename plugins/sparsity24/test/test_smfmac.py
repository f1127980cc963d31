"""SMFMAC's lane and index maps: kernels' LLVM IR runs on a model of the hardware."""

import numpy as np
import pytest
import triton

import triton_plugins
from plugins.sparsity24.test import kernels
from plugins.sparsity24.test.amd_model import WAVE, Workgroup

NIBBLES = np.array([4, 8, 9, 12, 13, 14])


def one_dot(target, m, n, k, dtype, warps, b_by_columns):
    with triton.knobs.cache.scope():
        return triton_plugins.compile(
            kernels.one_dot,
            signature={
                "values_ptr": f"*{dtype}:16",
                "meta_ptr": "*i16:16",
                "b_ptr": f"*{dtype}:16",
                "c_ptr": "*fp32:16",
            },
            constexprs={"M": m, "N": n, "K": k, "B_BY_COLUMNS": b_by_columns},
            target=target,
            options={"num_warps": warps},
        )


def to_bits(matrix, dtype):
    if dtype == "fp16":
        return matrix.astype(np.float16).view(np.uint16)
    return (matrix.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)


@pytest.mark.parametrize("dtype", ["fp16", "bf16"])
@pytest.mark.parametrize(
    ("target", "m", "n", "k", "warps", "instruction"),
    [
        ("hip:gfx942", 16, 16, 32, 1, "16x16x32"),
        ("hip:gfx942", 16, 32, 128, 2, "16x16x32"),
        ("hip:gfx942", 32, 32, 16, 1, "32x32x16"),
        ("hip:gfx942", 64, 64, 64, 4, "32x32x16"),
        ("hip:gfx950", 16, 16, 32, 1, "16x16x32"),
        ("hip:gfx950", 16, 16, 64, 1, "16x16x64"),
        ("hip:gfx950", 32, 16, 128, 2, "16x16x64"),
        ("hip:gfx950", 32, 32, 32, 1, "32x32x32"),
        ("hip:gfx950", 128, 64, 64, 4, "32x32x32"),
    ],
)
def test_lanes_and_indices(target, m, n, k, warps, instruction, dtype):
    # gfx950 reads b by rows from LDS with transposing loads, which the model does not know.
    b_by_columns = target == "hip:gfx950"
    compiled = one_dot(target, m, n, k, dtype, warps, b_by_columns)
    found = [line for line in compiled.asm["amdgcn"].split("\n") if "v_smfmac" in line]
    # Without modifiers the instruction takes the first set of indices, as the model does.
    assert found and all(
        f"v_smfmac_f32_{instruction}_{dtype.replace('fp', 'f')} " in line
        and "cbsz" not in line
        and "abid" not in line
        for line in found
    )

    generator = np.random.default_rng(m + n + k)
    values = generator.integers(1, 9, (m, k // 2)).astype(np.float64)
    b = generator.integers(-8, 9, (k, n)).astype(np.float64)
    nibbles = NIBBLES[generator.integers(0, 6, (m, k // 4))]
    dense = np.zeros((m, k))
    for row, group in np.ndindex(m, k // 4):
        for i, column in enumerate((nibbles[row, group] & 3, nibbles[row, group] >> 2)):
            dense[row, 4 * group + column] = values[row, 2 * group + i]
    meta = (nibbles.reshape(m, k // 16, 4) << np.arange(0, 16, 4)).sum(-1).astype(np.uint16)

    out = np.full((m, n), np.nan, np.float32)
    Workgroup(compiled.asm["llir"], WAVE * warps).run(
        [
            to_bits(values, dtype),
            meta,
            to_bits(np.ascontiguousarray(b.T) if b_by_columns else b, dtype),
            out,
        ]
    )
    # Small integers: every sum is exact.
    assert np.array_equal(out, dense @ b)
