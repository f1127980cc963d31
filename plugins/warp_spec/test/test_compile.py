"""Specialized kernels without a GPU: machine code, plans, refusals."""

import re
import warnings

import pytest

import triton_plugins
import triton_plugins.warp_spec as warp_spec
from plugins.warp_spec.test import kernels
from triton_plugins import machine_code
from triton_plugins.errors import PassError

GEMM = dict.fromkeys(("a_ptr", "b_ptr", "c_ptr"), "*fp16") | dict.fromkeys("MNK", "i32")
BLOCKS = {"BM": 128, "BN": 128, "BK": 64}
CASES = {
    "descriptors": (kernels.descriptor_gemm, GEMM | {"bias_ptr": "*fp16"}, BLOCKS),
    "pointers": (kernels.pointer_gemm, GEMM, BLOCKS),
    "attention": (
        kernels.attention,
        {f"{name}_ptr": "*fp16" for name in "qkvo"} | {"S": "i32", "scale": "fp32"},
        {"BM": 128, "BN": 128, "D": 64},
    ),
}


def compiled(case, num_warps=8, target="cuda:90", **options):
    kernel, signature, constexprs = CASES[case]
    return triton_plugins.compile(
        warp_spec.specialize(kernel, **options),
        signature=signature,
        constexprs=constexprs,
        attrs={name: "D" for name, kind in signature.items() if kind != "fp32"},
        target=target,
        options={"num_warps": num_warps, "num_stages": 3},
    )


@pytest.mark.parametrize("num_warps", [4, 8])
@pytest.mark.parametrize("case", CASES)
def test_machine_code(case, num_warps):
    kernel = compiled(case, num_warps)
    ptx = kernel.asm["ptx"]
    assert "setmaxnreg.dec" in ptx and "setmaxnreg.inc" in ptx
    assert ("cp.async.bulk.tensor" in ptx) == (case != "pointers")
    assert "mbarrier.try_wait" in ptx
    assert f".reqntid {32 * (num_warps + 4)}" in ptx
    assert machine_code.inspect(kernel).resources.spills == 0


@pytest.mark.parametrize("case", ["descriptors", "pointers"])
def test_warp_groups_do_not_wait_for_each_other(case):
    sass = machine_code.disassemble(compiled(case).asm["cubin"])
    # From a product of the loop to the jump back.
    wait = r"DEPBAR\.LE gsb0, 0x[01]"
    loop = re.search(rf"HGMMA(?:.*\n)*?.*{wait}(?:.*\n)*?.*BRA `\(\.L_x_\d+\)", sass)
    assert loop and "BAR.SYNC" not in loop.group()


@pytest.mark.parametrize("bn", [128, 256])
def test_addresses_stay_in_registers(bn):
    kernel = triton_plugins.compile(
        warp_spec.specialize(kernels.pointer_gemm, buffers=4),
        signature=GEMM,
        constexprs=BLOCKS | {"BN": bn},
        attrs=dict.fromkeys(GEMM, "D"),
        target="cuda:90",
        options={"num_warps": 8},
    )
    assert machine_code.inspect(kernel).resources.spills == 0
    sass = machine_code.disassemble(kernel.asm["cubin"])
    loop = sass[sass.index("LDGSTS.E") : sass.rindex("LDGSTS.E")]
    # An offset that is widened and added to a tile's base goes into registers that copies hold.
    assert loop.count("LDGSTS.E.BYPASS.128") > 8 and "IMAD.WIDE" not in loop


@pytest.mark.parametrize(("num_stages", "depth"), [(8, 8), (9, 9), (12, 12)])
def test_any_number_of_stages(num_stages, depth):
    kernel = triton_plugins.compile(
        warp_spec.specialize(kernels.marked_gemm),
        signature=GEMM,
        constexprs={"BM": 64, "BN": 64, "BK": 64},
        attrs=dict.fromkeys(GEMM, "D"),
        target="cuda:90",
        options={"num_warps": 4, "num_stages": num_stages},
    )
    assert warp_spec.report(kernel).loops[0]["depth"] == depth


def test_one_product_runs_on_while_the_next_starts():
    assert "wgmma.wait_group.sync.aligned 1" in compiled("descriptors").asm["ptx"]


def test_pointer_loads_are_wide():
    ptx = compiled("pointers").asm["ptx"]
    assert "cp.async.cg.shared.global [ " in ptx and "cp.async.ca" not in ptx


@pytest.mark.parametrize("target", ["cuda:80", "hip:gfx942"])
def test_other_architectures_compile_the_kernel_as_it_is(target):
    stock = triton_plugins.compile(
        kernels.pointer_gemm, signature=GEMM, constexprs=BLOCKS, target=target
    )
    ours = triton_plugins.compile(
        warp_spec.specialize(kernels.pointer_gemm),
        signature=GEMM,
        constexprs=BLOCKS,
        target=target,
    )
    assert ours.asm["ttgir"] == stock.asm["ttgir"]


def test_report():
    (loop,) = warp_spec.report(compiled("attention")).loops
    assert loop["specialized"] and loop["depth"] == 3 and loop["barriers"] == 12
    assert [channel["copy"] for channel in loop["channels"]] == ["tma", "tma"]
    assert loop["producer"] == {"warps": 1, "registers": 40}
    assert loop["consumers"] == {"warps": 8, "registers": 232}


def test_report_as_text_and_picture(tmp_path):
    report = warp_spec.report(compiled("descriptors"))
    assert "3 stages of 32768 bytes by tma" in str(report)
    report.draw(tmp_path / "plan.svg")
    assert "mbarriers" in str(report) and (tmp_path / "plan.svg").stat().st_size > 1000


def test_report_of_another_kernel():
    kernel = triton_plugins.compile(
        kernels.pointer_gemm, signature=GEMM, constexprs=BLOCKS, target="cuda:90"
    )
    with pytest.raises(ValueError, match="Decorate it with @warp_spec.specialize"):
        warp_spec.report(kernel)


def test_a_mark_needs_no_decorator():
    kernel = triton_plugins.compile(
        kernels.marked_gemm,
        signature=GEMM,
        constexprs=BLOCKS,
        attrs=dict.fromkeys(GEMM, "D"),
        target="cuda:90",
        options={"num_warps": 8},
    )
    assert warp_spec.report(kernel).loops[0]["specialized"]


@pytest.mark.parametrize(
    ("kernel", "reason"),
    [
        (kernels.gathered_gemm, "where to load depends on a matrix product"),
        (kernels.in_place_gemm, "may write what the load at"),
    ],
)
def test_refusals(kernel, reason, monkeypatch):
    # What comes from Triton's cache is not planned again.
    monkeypatch.setenv("TRITON_ALWAYS_COMPILE", "1")
    signature = {
        name: "i32" if name == "K" else "*fp16"
        for name in kernel.arg_names
        if name not in ("BM", "BN", "BK")
    }
    arguments = {
        "signature": signature,
        "constexprs": {"BM": 64, "BN": 64, "BK": 64},
        "attrs": dict.fromkeys(signature, "D"),
        "target": "cuda:90",
    }
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        triton_plugins.compile(warp_spec.specialize(kernel), **arguments)
    assert any(
        issubclass(w.category, warp_spec.NotSpecialized) and reason in str(w.message)
        for w in caught
    ), [str(w.message) for w in caught]
    with pytest.raises(PassError, match=f"can't be specialized.*{reason}"):
        triton_plugins.compile(warp_spec.specialize(kernel, strict=True), **arguments)


@pytest.mark.parametrize("options", [{"buffers": 1}, {"producer_registers": 300}])
def test_numbers_out_of_range(options):
    with pytest.raises(ValueError, match=next(iter(options))):
        warp_spec.specialize(kernels.pointer_gemm, **options)
