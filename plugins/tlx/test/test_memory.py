"""What views, shared storages and products of them compile to."""

import inspect
import pickle
import re
from pathlib import Path

import pytest
import triton

import triton_plugins
import triton_plugins.tlx as tlx
from plugins.tlx.test import memory_kernels as kernels

HOPPER, AMPERE, MI300, MI350 = "cuda:90", "cuda:80", "hip:gfx942", "hip:gfx950"
ALL = [HOPPER, AMPERE, MI300, MI350]
FLOATS = {"src": "*fp32:16", "dst": "*fp32:16"}
HALVES = {"a": "*fp16:16", "b": "*fp16:16", "c": "*fp32:16"}


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path):
    with triton.knobs.cache.scope():
        triton.knobs.cache.dir = str(tmp_path)
        yield


def compile(kernel, target, signature, num_warps=4, **constexprs):
    return triton_plugins.compile(
        kernel,
        signature=signature,
        constexprs=constexprs,
        target=target,
        options={"num_warps": num_warps},
    )


def loop(asm: str) -> str:
    """The first loop of PTX: from a label to the branch back to it."""
    return re.search(r"^(\$L__BB\d+_\d+):.*?bra\s+\1", asm, re.DOTALL | re.MULTILINE).group()


@pytest.mark.parametrize("target", ALL)
def test_views_on_every_target(target):
    assert compile(kernels.transpose, target, FLOATS, M=64, N=64).metadata.shared
    signature = {"src": "*fp32:16", "dst": "*i16:16"}
    assert compile(kernels.reinterpret, target, signature, M=64, N=64).metadata.shared


@pytest.mark.parametrize("target", ALL)
def test_storages_are_as_large_as_the_larger_user(target):
    assert compile(kernels.reuse, target, FLOATS, BLOCK=1024).metadata.shared == 16384
    assert compile(kernels.overlap, target, FLOATS, BLOCK=256).metadata.shared == 8192


@pytest.mark.parametrize("num_warps", [4, 8])
@pytest.mark.parametrize("a_transposed", [False, True])
@pytest.mark.parametrize("b_transposed", [False, True])
def test_products_read_16_bits_in_either_order(a_transposed, b_transposed, num_warps):
    shape = {"M": 128, "N": 128, "K": 64, "AT": a_transposed, "BT": b_transposed}
    ptx = compile(kernels.dot_of_views, HOPPER, HALVES, num_warps, **shape).asm["ptx"]
    # The last two immediates say which operands are not K-major (PTX ISA, "wgmma.mma_async").
    instruction = re.search(r"wgmma\.mma_async[^;]*f32\.f16\.f16[^;]*;", ptx).group()
    flags = [bool(int(bit)) for bit in re.findall(r",\s*([01])", instruction)[-2:]]
    assert flags == [a_transposed, not b_transposed]


def test_no_product_is_serialized_and_waits_are_as_written(capfd):
    kernel = compile(
        kernels.attention,
        HOPPER,
        {"q": "*fp16:16", "k": "*fp16:16", "v": "*fp16:16", "out": "*fp16:16"}
        | {"scale": "fp32", "n": "i32"},
        D=64,
        M=64,
        N=64,
    )
    body = loop(kernel.asm["ptx"])
    assert re.findall(r"wgmma\.wait_group\.sync\.aligned\s+(\d)", body) == ["1", "0"]
    assert kernel.asm["ttgir"].count("ttg.convert_layout") <= 3
    assert "serialized" not in "".join(capfd.readouterr())


def test_products_of_buffers_that_threads_wrote_are_fenced():
    ptx = compile(kernels.dot_of_stored, HOPPER, HALVES, M=64, N=64, K=64).asm["ptx"]
    written, fence, barrier, product = (
        ptx.rindex("st.shared", 0, ptx.index("wgmma.mma_async")),
        ptx.index("fence.proxy.async"),
        ptx.index("bar.sync"),
        ptx.index("wgmma.mma_async"),
    )
    assert written < min(fence, barrier) < max(fence, barrier) < product


@pytest.mark.parametrize("source", [kernels.dot_in_branches, kernels.dot_scaled_between_tiles])
def test_accumulators_pass_branches_and_loops_unchanged(source):
    signature = HALVES | {"n": "i32"}
    kernel = compile(source, HOPPER, signature, M=64, N=64, K=64)
    assert kernel.asm["ttgir"].count("ttg.convert_layout") <= 1


@pytest.mark.parametrize(
    ("target", "block", "limit"),
    [
        (HOPPER, 32768, 232448),
        (AMPERE, 16384, 166912),
        (MI300, 8192, 65536),
        (MI350, 16384, 163840),
    ],
)
def test_too_much_shared_memory_names_who_takes_it(target, block, limit):
    with pytest.raises(tlx.SharedMemoryError) as caught:
        compile(kernels.too_much, target, FLOATS, BLOCK=block)
    assert (caught.value.required, caught.value.limit) == (12 * block, limit)
    lines = inspect.getsourcelines(kernels.too_much.fn)[1]
    for name, buffers, line in [("first", 1, lines + 4), ("others", 2, lines + 5)]:
        row = rf"^ +\d+ +{4 * block * buffers}  {name} \(.*memory_kernels.py:{line}\)$"
        assert re.search(row, str(caught.value), re.MULTILINE)
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value)


def test_one_lane_copies_in_bulk_what_all_have_written():
    signature = FLOATS | {"size": "i32"}
    ptx = compile(kernels.stored_in_bulk, HOPPER, signature, BLOCK=256).asm["ptx"]
    copy = ptx.index("cp.async.bulk.global.shared::cta.bulk_group")
    assert ptx.rindex("st.shared", 0, copy) < ptx.rindex("bar.sync", 0, copy)
    assert "elect.sync" in ptx and "fence.proxy.async" in ptx[:copy]
    assert "unrealized" not in ptx


@pytest.mark.parametrize(
    ("target", "size", "message"),
    [
        (HOPPER, 24, "24 bytes; the number must be a multiple of 16"),
        (HOPPER, 2048, "copies 2048 bytes of 1024"),
        (AMPERE, 16, "sm_90 has and sm_80 has not"),
        (MI300, 16, "sm_90 has and gfx942 has not"),
    ],
)
def test_copies_in_bulk_that_cannot_be(target, size, message):
    with pytest.raises(triton.compiler.errors.CompilationError, match=message):
        compile(kernels.stored_in_bulk, target, FLOATS, BLOCK=256, size=size)
