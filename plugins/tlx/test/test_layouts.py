"""What layouts that kernels name compile to."""

import inspect
import re
from pathlib import Path

import pytest
import triton
import triton.language as tl

import triton_plugins
import triton_plugins.tlx as tlx
from plugins.tlx.test import layout_kernels as kernels

HOPPER, AMPERE, MI300, MI350 = "cuda:90", "cuda:80", "hip:gfx942", "hip:gfx950"
FLOATS = {"src": "*fp32:16", "dst": "*fp32:16"}


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path):
    with triton.knobs.cache.scope():
        triton.knobs.cache.dir = str(tmp_path)
        yield


def compile(kernel, target=HOPPER, signature=FLOATS, **constexprs):
    return triton_plugins.compile(kernel, signature=signature, constexprs=constexprs, target=target)


@pytest.mark.parametrize("target", [HOPPER, MI300])
@pytest.mark.parametrize(
    ("layout", "text"),
    [
        (
            tlx.swizzled_shared_layout_encoding(4, 1, 8, [1, 0]),
            "#ttg.swizzled_shared<{vec = 4, perPhase = 1, maxPhase = 8, order = [1, 0]}>",
        ),
        (
            tlx.padded_shared_layout_encoding.with_identity_for([(32, 4)], [64, 32]),
            "#ttg.padded_shared<[32:+4] {order = [1, 0], shape = [64, 32]}>",
        ),
        (
            tlx.nv_mma_shared_layout_encoding.make_default([64, 32], tl.float32),
            "#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, "
            "elementBitWidth = 32}>",
        ),
        (
            tlx.shared_linear_layout_encoding(
                [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]]
                + [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]]
            ),
            "#ttg.shared_linear<",
        ),
    ],
)
def test_buffers_have_the_layout_they_are_given(layout, text, target):
    if target == MI300 and "nvmma" in text:
        pytest.skip("AMD has no nvmma_shared")
    kernel = compile(kernels.through_buffer, target, M=64, N=32, layout=layout)
    assert text in kernel.asm["ttgir"]


def test_layouts_that_kernels_make():
    ttgir = compile(kernels.default_layouts, M=64, N=32).asm["ttgir"]
    assert "vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]" in ttgir
    assert "vec = 4, perPhase = 4, maxPhase = 8, order = [1, 0]" in ttgir


def test_a_required_layout_is_asked_for():
    layout = tlx.layout(shape=((32, 2, 2), (8,)), stride=((32, 8, 16), (1,)))
    ttir = compile(kernels.required, layout=layout).asm["ttir"]
    expected = (
        "#ttg.linear<{register = [[0, 1], [0, 2], [0, 4]], "
        "lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[0, 8], [0, 16]], block = []}>"
    )
    assert f"= {expected}" in ttir
    assert ttir.count("tlx.require_layout") == 2


@pytest.mark.parametrize("target", [HOPPER, AMPERE])
@pytest.mark.parametrize("pin", [False, True])
def test_a_pinned_layout_holds(pin, target):
    layout = tlx.layout(shape=((32, 2, 2), (8,)), stride=((32, 8, 16), (1,)))
    ttgir = compile(kernels.pinned, target, layout=layout, PIN=pin).asm["ttgir"]
    assert "tlx." not in ttgir
    # To the layout and back.
    assert ttgir.count("= ttg.convert_layout") == (2 if pin else 0)


def test_reinterpreted_buffers_have_the_layout_they_are_given():
    layout = tlx.swizzled_shared_layout_encoding(4, 1, 8, [0, 1])
    ttgir = compile(kernels.reinterpreted, layout=layout).asm["ttgir"]
    name = re.search(r"(#\w+) = #ttg\.swizzled_shared<\{vec = 4.*order = \[0, 1\]", ttgir).group(1)
    assert re.search(rf"memdesc_reinterpret .* -> !ttg\.memdesc<32x32xf32, {name},", ttgir)


def test_padded_layouts_by_order_and_shape():
    layout = tlx.padded_shared_layout_encoding([32], [4], [1, 0], [64, 32])
    assert layout == tlx.padded_shared_layout_encoding.with_identity_for([(32, 4)], [64, 32])
    assert layout.offset_bases[0] == (0, 1) and layout.offset_bases[5] == (1, 0)


@pytest.mark.parametrize(("target", "version", "k"), [(MI300, 3, 16), (MI350, 4, 32)])
def test_buffers_are_read_as_operands(target, version, k):
    signature = {"src": "*fp16:16", "dst": "*fp16:16"}
    ttgir = compile(kernels.operands, target, signature, VERSION=version, K=k).asm["ttgir"]
    loads = re.findall(r"ttg\.local_load .*-> tensor<64x64xf16, #ttg\.dot_op<\{opIdx = (\d)", ttgir)
    assert sorted(loads) == ["0", "1"]


@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        (kernels.vector_layout, "of 1 dimensions, but one buffer has 2"),
        (kernels.other_warps, "requires 4 warps|warps per CTA|warp"),
    ],
)
def test_layouts_that_do_not_fit(kernel, message):
    signature = {"src": "*fp32:16"} | ({"dst": "*fp32:16"} if kernel is kernels.other_warps else {})
    with pytest.raises(Exception, match=message):
        compile(kernel, signature=signature)


# 16 bytes a thread, and 8 bytes a thread.
QUADS = tlx.layout(shape=((32, 4), (4, 2)), stride=((4, 128), (1, 512)))
PAIRS = tlx.layout(shape=((32, 4), (2, 4)), stride=((2, 64), (1, 256)))
SWAPPED = tlx.shared_linear_layout_encoding([[2], [1]] + [[4 << bit] for bit in range(8)])
PLAIN = tlx.swizzled_shared_layout_encoding(1, 1, 1, [0])


def test_layouts_are_as_the_kernel_says():
    compiled = compile(kernels.same_layouts, LAYOUT=QUADS, OTHER=PLAIN)
    assert "assert_same_layout" in compiled.asm["ttir"]
    ttgir = compiled.asm["ttgir"]
    assert "assert_same_layout" not in ttgir and "convert_layout" not in ttgir


@pytest.mark.parametrize(
    ("layout", "other", "line"),
    [(PAIRS, PLAIN, "double, LAYOUT"), (QUADS, SWAPPED, "OTHER)")],
)
def test_layouts_are_not_as_the_kernel_says(layout, other, line):
    with pytest.raises(triton_plugins.PassError, match="but must be the same as") as caught:
        compile(kernels.same_layouts, LAYOUT=layout, OTHER=other)
    lines, start = inspect.getsourcelines(kernels.same_layouts.fn)
    number = start + next(i for i, text in enumerate(lines) if line in text)
    assert f"layout_kernels.py:{number}" in str(caught.value)


def test_two_tensors_with_two_layouts():
    compile(kernels.two_layouts, FIRST=PAIRS, SECOND=PAIRS)
    with pytest.raises(triton_plugins.PassError, match="but must be the same as"):
        compile(kernels.two_layouts, FIRST=PAIRS, SECOND=QUADS)


def test_only_tensors_and_buffers_have_layouts():
    with pytest.raises(triton.CompilationError, match="assert_same_layout takes tensors"):
        compile(kernels.layout_of_nothing)


def test_layouts_of_clusters_are_refused():
    with pytest.raises(ValueError, match="remote_view"):
        tlx.swizzled_shared_layout_encoding(1, 1, 1, [1, 0], numCTAsPerCGA=[2, 1])
