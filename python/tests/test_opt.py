"""Passes over MLIR text."""

import pytest

from triton_plugins import PassError, PipelineError, PluginNotLoadedError, Step, opt

MODULE = """
module {
  tt.func public @f(%a: tensor<4x!tt.ptr<i32>>) {
    %x = tt.load %a : tensor<4x!tt.ptr<i32>>
    tt.return
  }
}
"""


def test_passes_with_arguments(test_pass):
    passes = [
        "ttir.convert_to_ttgpuir=cuda:90,4,32,1",
        test_pass,
        Step("ttgpuir.f32_dot_tc", (True,)),
    ]
    text = opt.run_passes(MODULE, passes)
    assert '"ttg.num-warps" = 4' in text
    assert "@foo" in text


@pytest.mark.parametrize(
    "name", ["nvidia.ttnvgpuir.fence_insertion", "nvidia.passes.ttnvgpuir.fence_insertion"]
)
def test_spellings(name):
    assert "@f" in opt.run_passes(MODULE, [(name, ("90",))])


def test_no_passes_is_a_round_trip():
    assert opt.run_passes(opt.run_passes(MODULE, []), []) == opt.run_passes(MODULE, [])


def test_loads_plugins(make_library):
    path = make_library()
    opt.run_passes(MODULE, [f"{path.stem.removeprefix('lib')}_pass"], [path])


def test_bad_text(capfd):
    with pytest.raises(PipelineError, match="in.mlir is not valid MLIR"):
        opt.run_passes("module {", [], name="in.mlir")


def test_unknown_passes():
    with pytest.raises(PluginNotLoadedError):
        opt.run_passes(MODULE, ["nosuch"])
    with pytest.raises(PipelineError):
        opt.run_passes(MODULE, ["ttir.nosuch"])


def test_failing_pass(capfd):
    with pytest.raises(PassError, match="'nvidia.ttgpuir.to_llvmir' failed"):
        opt.run_passes(MODULE, ["nvidia.ttgpuir.to_llvmir=90,90"])
