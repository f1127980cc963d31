"""The pass driver and the command line."""

import os
import subprocess
import sys

import pytest

from triton_plugins import PassError, PipelineError, PluginNotLoadedError, Step, opt
from triton_plugins.__main__ import main

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


def test_list(monkeypatch, capsys, make_library):
    good, bad = make_library("listed"), make_library("misfit", triton_version="3.8.0")
    monkeypatch.setenv("TRITON_PLUGIN_PATHS", f"{good}:{bad}")
    assert main(["list"]) == 0
    out = capsys.readouterr().out
    assert "listed" in out and "fits" in out
    assert "misfit" in out


def test_info(capsys, make_library):
    path = make_library("told")
    assert main(["info", str(path)]) == 0
    out = capsys.readouterr().out
    assert "told_pass" in out and "It fits" in out


def test_info_of_a_misfit(capsys, make_library):
    assert main(["info", str(make_library("old", triton_version="3.8.0"))]) == 1
    captured = capsys.readouterr()
    assert "3.8.0" in captured.out
    assert "error: " in captured.err and "Install triton==3.8.0" in captured.err


def test_info_of_nothing(capsys):
    assert main(["info", "nosuchplugin"]) == 1
    assert "No plugin named 'nosuchplugin'" in capsys.readouterr().err


@pytest.mark.parametrize("target", ["cuda:90", "gfx950"])
def test_passes(capsys, target):
    assert main(["passes", "--target", target]) == 0
    assert "ttgpuir.coalesce" in capsys.readouterr().out


def test_bad_target(capsys):
    assert main(["passes", "--target", "h100"]) == 1
    assert "'h100' is no target" in capsys.readouterr().err


def test_module_runs():
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-m", "triton_plugins", "--help"]
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert "passes" in ran.stdout
