"""What kernels with chosen layouts compile to, and what wrong ones are told."""

import re

import pytest
import triton

import triton_plugins
import triton_plugins.layout as layout
from plugins.layout.test import kernels

HOPPER, AMPERE, MI300, MI350 = "cuda:90", "cuda:80", "hip:gfx942", "hip:gfx950"
FLOATS = {"x": "*fp32:16", "y": "*fp32:16"}
COLUMN = layout.blocked([4, 1], [8, 4], [1, 4], [0, 1])
ROW = layout.blocked([1, 4], [4, 8], [4, 1])


@pytest.fixture(autouse=True)
def _cache(tmp_path):
    with triton.knobs.cache.scope():
        triton.knobs.cache.dir = str(tmp_path)
        yield


def compile(kernel, target=HOPPER, *, signature=FLOATS, **constexprs):
    return triton_plugins.compile(kernel, signature=signature, constexprs=constexprs, target=target)


def targets(compiled):
    return [conversion.target for conversion in layout.report(compiled).conversions]


@pytest.mark.parametrize(
    ("target", "chosen"),
    [
        (HOPPER, COLUMN),
        (AMPERE, COLUMN),
        (HOPPER, layout.mma(3, [4, 1], [16, 64, 8])),
        (AMPERE, layout.mma(2, [2, 2], [16, 8])),
        (HOPPER, layout.dot_operand(0, layout.mma(2, [2, 2], [16, 8]), 1)),
        (MI300, layout.blocked([4, 1], [16, 4], [1, 4], [0, 1])),
        (MI300, layout.mfma(3, [2, 2], [32, 32, 2])),
        (MI350, layout.mfma(4, [2, 2], [16, 16, 4], transposed=False)),
    ],
)
def test_a_pin_outlives_every_pass(target, chosen):
    compiled = compile(kernels.copy_2d, target, M=64, N=64, L=chosen)
    assert str(chosen) in targets(compiled)
    assert "layout." not in re.sub(r"loc\(.*\)|#loc.*", "", compiled.asm["ttgir"])


@pytest.mark.parametrize("target", [HOPPER, AMPERE])
def test_a_pin_in_a_loop_spreads_to_the_sum(target):
    signature = FLOATS | {"n": "i32"}
    ttgir = compile(kernels.pin_in_loop, target, signature=signature, M=64, N=64, L=COLUMN).asm[
        "ttgir"
    ]
    (name,) = re.findall(r"(#blocked\d*) = #ttg.blocked<{sizePerThread = \[4, 1\]", ttgir)
    assert re.search(rf"arith.addf .* : tensor<64x64xf32, {name}>", ttgir)


def test_a_released_value_is_the_compilers():
    compiled = compile(kernels.release, M=64, N=64, L=COLUMN)
    # One conversion into the pin and one out of it: nothing in between.
    assert len(targets(compiled)) == 2


@pytest.mark.parametrize("target", [HOPPER, AMPERE])
def test_the_layout_of_a_product(target):
    signature = {"a": "*fp16:16", "b": "*fp16:16", "c": "*fp32:16", "d": "*fp32:16"}
    compiled = compile(kernels.product_like, target, signature=signature, M=64, N=64, K=64)
    rows = [row for row in layout.report(compiled).conversions if row.op == "ttg.local_load"]
    assert any("nvidia_mma" in row.target and row.element == "f32" for row in rows)


def test_layouts_made_in_a_kernel():
    assert compile(kernels.built_in_kernel, M=64, N=64).asm["ptx"]


def test_an_equal_layout_of_another_name_is_trivial():
    twin = layout.linear(
        [[0, 1], [0, 2], [0, 32], [16, 0], [32, 0]],
        [[0, 4], [0, 8], [0, 16], [1, 0], [2, 0]],
        [[4, 0], [8, 0]],
    )
    compiled = compile(kernels.trivial, M=64, N=64, L=ROW, R=twin)
    assert layout.report(compiled).count("nothing") >= 1
    with pytest.raises(triton_plugins.PassError) as caught:
        compile(kernels.trivial, M=64, N=64, L=ROW, R=COLUMN)
    assert "is not trivial: it moves data between warps" in str(caught.value)
    assert "kernels.py:" in str(caught.value)


IN_WARP = layout.blocked([4, 1], [1, 32], [4, 1])


@pytest.mark.parametrize(
    ("via", "to", "found"),
    [
        ("auto", COLUMN, "shared"),
        ("shared", COLUMN, "shared"),
        ("shuffle", IN_WARP, "shuffle"),
        (layout.swizzled(4, 1, 8, [1, 0]), COLUMN, "shared"),
        (layout.padded([[32, 4]], [16, 32]), COLUMN, "shared"),
        (layout.nvmma(64, 32), COLUMN, "shared"),
    ],
)
def test_conversions_go_the_chosen_way(via, to, found):
    compiled = compile(
        kernels.there_and_back, SHAPE=(1, 1, 16, 32), RANK=2, FROM=ROW, TO=to, VIA=via
    )
    ways = [row.way for row in layout.report(compiled).conversions if str(to) == row.target]
    assert found in ways
    assert ("shfl.sync" in compiled.asm["ptx"]) or found != "shuffle"


@pytest.mark.parametrize(("via", "reach"), [("shuffle", "between warps"), ("registers", "warps")])
def test_a_way_that_does_not_lead_there(via, reach):
    with pytest.raises(triton_plugins.PassError) as caught:
        compile(kernels.there_and_back, SHAPE=(1, 1, 16, 32), RANK=2, FROM=ROW, TO=COLUMN, VIA=via)
    assert f"cannot go via {via}" in str(caught.value) and reach in str(caught.value)
    assert "kernels.py:" in str(caught.value)


def test_a_pin_that_does_not_fit_names_the_line():
    with pytest.raises(triton_plugins.PassError) as caught:
        compile(kernels.copy_2d, M=64, N=64, L=layout.blocked([1, 4], [4, 8], [8, 1]))
    assert "Layout has 8 warps per CTA, but the context requires 4" in str(caught.value)
    assert "kernels.py:" in str(caught.value)


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("scalar", "pin needs a tensor"),
        ("no layout", "'layout' must be a layout"),
        ("rank", "needs a layout of rank 1 for a tensor of shape"),
        ("via", "argument 'via' is 'telepathy'"),
        ("shared", "needs a layout of registers, but got #ttg.swizzled_shared"),
        ("text", "is no valid layout"),
    ],
)
def test_wrong_calls_are_told_why(kind, message):
    with pytest.raises(triton.CompilationError) as caught:
        compile(kernels.wrong_argument, signature={"x": "*fp32:16"}, KIND=kind)
    assert message in str(caught.value)
