"""What people reported about warp specialization on Hopper, as kernels that this plugin compiles.

Each test names the report. With stock Triton these loops abort the compiler, fail, or stay as they
are without a word.
"""

import re
import warnings

import pytest
import triton
import triton.language as tl

import triton_plugins
import triton_plugins.warp_spec as warp_spec
from triton_plugins import machine_code


@triton.jit
def marked_for_stock(
    a_ptr, b_ptr, c_ptr, M, N, K,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, DESCRIPTORS: tl.constexpr,
):  # fmt: skip
    """a @ b, persistent; its outer loop has the mark of stock Triton and is not flattened."""
    if DESCRIPTORS:
        a_desc = tl.make_tensor_descriptor(a_ptr, [M, K], [K, 1], [BM, BK])
        b_desc = tl.make_tensor_descriptor(b_ptr, [K, N], [N, 1], [BK, BN])
    tiles_m = tl.cdiv(M, BM)
    for tile in tl.range(
        tl.program_id(0), tiles_m * tl.cdiv(N, BN), tl.num_programs(0),
        flatten=False, warp_specialize=True,
    ):  # fmt: skip
        row, col = tile % tiles_m * BM, tile // tiles_m * BN
        rows, cols = row + tl.arange(0, BM), col + tl.arange(0, BN)
        acc = tl.zeros((BM, BN), tl.float32)
        for k in range(0, K, BK):
            ks = k + tl.arange(0, BK)
            if DESCRIPTORS:
                a, b = a_desc.load([row, k]), b_desc.load([k, col])
            else:
                a = tl.load(a_ptr + rows[:, None] * K + ks[None, :])
                b = tl.load(b_ptr + ks[:, None] * N + cols[None, :])
            acc = tl.dot(a, b, acc)
        places = c_ptr + rows[:, None] * N + cols[None, :]
        tl.store(places, acc.to(c_ptr.dtype.element_ty))


@triton.jit
def attention_of_sequences(
    q_desc, k_desc, v_desc, o_ptr, ends_ptr, scale,
    BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr,
):  # fmt: skip
    """Attention over tokens x heads x D tensors whose sequences lie one behind the other."""
    head = tl.program_id(1)
    first = tl.load(ends_ptr + tl.program_id(2))
    end = tl.load(ends_ptr + tl.program_id(2) + 1)
    row = first + tl.program_id(0) * BM
    q = q_desc.load([row, head, 0]).reshape(BM, D)
    top = tl.full((BM,), -1.0e30, tl.float32)
    total = tl.zeros((BM,), tl.float32)
    acc = tl.zeros((BM, D), tl.float32)
    for start in tl.range(first, end, BN, warp_specialize=True):
        k = k_desc.load([start, head, 0]).reshape(BN, D)
        scores = tl.dot(q, k.T) * scale
        scores = tl.where(start + tl.arange(0, BN)[None, :] < end, scores, -1.0e30)
        higher = tl.maximum(top, tl.max(scores, 1))
        p = tl.exp2(scores - higher[:, None])
        shrink = tl.exp2(top - higher)
        total = total * shrink + tl.sum(p, 1)
        v = v_desc.load([start, head, 0]).reshape(BN, D)
        acc = tl.dot(p.to(v.dtype), v, acc * shrink[:, None])
        top = higher
    rows = row + tl.arange(0, BM)
    places = o_ptr + (rows[:, None] * tl.num_programs(1) + head) * D + tl.arange(0, D)[None, :]
    tl.store(places, (acc / total[:, None]).to(o_ptr.dtype.element_ty), mask=rows[:, None] < end)


def compiled(kernel, signature, constexprs, num_warps, num_stages=3, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", warp_spec.NotSpecialized)
        return triton_plugins.compile(
            warp_spec.specialize(kernel, **options),
            signature=signature,
            constexprs=constexprs,
            attrs={name: "D" for name, kind in signature.items() if kind[0] in "*i"},
            target="cuda:90",
            options={"num_warps": num_warps, "num_stages": num_stages},
        )


def gemm(bm, bn, num_warps, descriptors=True, **options):
    signature = dict.fromkeys(("a_ptr", "b_ptr", "c_ptr"), "*fp16") | dict.fromkeys("MNK", "i32")
    constexprs = {"BM": bm, "BN": bn, "BK": 64, "DESCRIPTORS": descriptors}
    return compiled(marked_for_stock, signature, constexprs, num_warps, **options)


def only_loop(kernel):
    (loop,) = warp_spec.report(kernel).loops
    return loop


@pytest.mark.parametrize("num_warps", [4, 8])
def test_triton_9728_pointer_loads(num_warps):
    loop = only_loop(gemm(128, 128, num_warps, descriptors=False))
    assert loop["specialized"], loop
    assert [channel["copy"] for channel in loop["channels"]] == ["cp.async"]


@pytest.mark.parametrize("num_warps", [4, 8])
def test_triton_8260_attention_of_ragged_sequences(num_warps):
    block, dim = 128, 128
    signature = {f"{name}_desc": f"tensordesc<bf16[{block},1,{dim}]>" for name in "qkv"}
    signature |= {"o_ptr": "*bf16", "ends_ptr": "*i32", "scale": "fp32"}
    kernel = compiled(
        attention_of_sequences, signature, {"BM": block, "BN": block, "D": dim}, num_warps, 2
    )
    loop = only_loop(kernel)
    assert loop["specialized"] or loop["reason"]


@pytest.mark.parametrize(("num_warps", "bm"), [(4, 64), (8, 128)])
def test_triton_10436_no_consumer_twice(num_warps, bm):
    ptx = gemm(bm, 64, num_warps).asm["ptx"]
    # 64 of K in steps of 16, once for all warp groups.
    assert len(re.findall(r"wgmma\.mma_async", ptx)) == 4


@pytest.mark.parametrize("registers", [48, 56])
def test_triton_6407_6323_requested_registers_stay(registers):
    kernel = gemm(128, 256, 8, producer_registers=registers)
    assert only_loop(kernel)["producer"]["registers"] == registers
    assert re.search(rf"setmaxnreg\.inc\.sync\.aligned\.u32\s+{registers};", kernel.asm["ptx"])


@pytest.mark.parametrize("num_warps", [1, 2])
def test_triton_7940_few_warps(num_warps):
    kernel = gemm(64, 64, num_warps)
    loop = only_loop(kernel)
    assert not loop["specialized"]
    assert f"the kernel has {num_warps} warps" in loop["reason"]


def test_fbtriton_1278_wide_tiles_have_registers():
    kernel = gemm(128, 256, 8)
    assert only_loop(kernel)["specialized"]
    assert machine_code.inspect(kernel).resources.spills == 0


@pytest.mark.parametrize("tile", [(128, 128), (128, 256)])
@pytest.mark.parametrize("num_warps", [4, 8])
def test_tritonbench_1094_persistent_without_flattening(num_warps, tile):
    if num_warps == 4 and tile[1] == 256:
        pytest.skip("a warp group can't hold a 128 x 256 accumulator")
    loop = only_loop(gemm(*tile, num_warps))
    assert loop["specialized"] and loop["root"] != loop["loop"]
