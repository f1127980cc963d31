"""Edits in real compilations, for NVIDIA and AMD, without a GPU."""

import hashlib
import os
import subprocess
import sys

import pytest
import triton
from kernels import add_all, add_one, compile_add_one
from triton.backends.amd import compiler as amd_compiler
from triton.backends.nvidia import compiler as nvidia_compiler
from triton.compiler import ASTSource

import triton_plugins
from triton_plugins import PassError, Pipeline, PipelineError, PluginNotLoadedError, inspection, on
from triton_plugins.recorder import Recorder
from triton_plugins.target import parse_target

TARGETS = ["cuda:80", "cuda:90", "cuda:100", "gfx942", "gfx950"]


class Spy:
    """A function step that notes what it was given. Its repr is stable, so it can be part of a
    key."""

    def __init__(self):
        self.texts = []

    def __call__(self, module):
        self.texts.append(str(module))

    def __repr__(self):
        return "Spy"


@pytest.mark.parametrize("target", TARGETS)
def test_plugin_pass_runs(test_pass, target):
    compiled = compile_add_one(
        Pipeline().insert_after("ttgir", "convert_to_ttgpuir", test_pass), target
    )
    assert "@foo" in compiled.asm["ttgir"]
    assert compiled.metadata.name == "foo"


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    "stage, anchor", [("ttir", "loop_unroll"), ("ttgir", "coalesce"), ("llir", "scf_to_cf")]
)
def test_before_and_after(target, stage, anchor, test_pass):
    before, after = Spy(), Spy()
    compile_add_one(
        Pipeline()
        .insert_before(stage, anchor, before, test_pass)
        .insert_after(stage, anchor, after),
        target,
    )
    assert "@add_one" in before.texts[0]
    assert "@foo" in after.texts[0]


@pytest.mark.parametrize("target", TARGETS)
def test_an_edit_of_nothing_changes_no_bit(target):
    plain = compile_add_one(target=target)
    spied = compile_add_one(Pipeline().append("ttgir", Spy()).append("llir", Spy()), target)
    assert plain.hash != spied.hash
    for stage, code in plain.asm.items():
        assert spied.asm[stage] == code, stage


def test_disable_and_stock_passes():
    plain = compile_add_one().asm["ttgir"]
    without = compile_add_one(Pipeline().disable("ttgir", "coalesce")).asm["ttgir"]
    back = Pipeline().replace("ttgir", "coalesce", "ttgpuir.coalesce", "common.cse")
    assert without != plain
    assert compile_add_one(back).asm["ttgir"] == plain


def test_passes_of_a_stage_run_together(monkeypatch):
    made = []
    real = Recorder.real_manager
    monkeypatch.setattr(Recorder, "real_manager", lambda self: made.append(self) or real(self))
    pipeline = Pipeline().insert_before("ttgir", "coalesce", "common.cse", "common.sccp")
    compile_add_one(pipeline.append("ttgir", "common.cse"))
    assert len(made) == 1
    compile_add_one(pipeline.append("ttgir", Spy(), "common.cse"))
    assert len(made) == 3


def test_arguments_of_stock_passes():
    pipeline = Pipeline().replace(
        "ttgir", "convert_to_ttgpuir", "ttir.convert_to_ttgpuir", args=("cuda:90", 8, 32, 1)
    )
    assert '"ttg.num-warps" = 8' in compile_add_one(pipeline).asm["ttgir"]


def test_text_stages():
    pipeline = (
        Pipeline()
        .append("ptx", lambda ptx: ptx + "// seen\n")
        .prepend("cubin", lambda ptx: ptx + "// twice\n")
    )
    pipeline = pipeline.append("cubin", lambda cubin: cubin + b"tail")
    compiled = compile_add_one(pipeline)
    assert compiled.asm["ptx"].endswith("// seen\n")
    assert compiled.asm["cubin"].endswith(b"tail")


def test_text_stages_run_no_passes(test_pass):
    with pytest.raises(PipelineError, match="'ptx' works on text and runs no passes"):
        compile_add_one(Pipeline().append("ptx", test_pass))


def test_options_reach_predicates():
    spy = Spy()
    pipeline = Pipeline().append("ttgir", spy, when=lambda target: target.options.num_warps == 8)
    compile_add_one(pipeline, options={"num_warps": 4})
    assert not spy.texts
    compile_add_one(pipeline, options={"num_warps": 8})
    assert spy.texts


def test_missing_anchor():
    with pytest.raises(
        PipelineError,
        match=r"for hip:gfx942 \(near: ttgpuir.coalesce.*ttir.convert_to_ttgpuir, ttgpuir",
    ):
        compile_add_one(Pipeline().disable("ttgir", "coalesc"), "gfx942")


def test_unknown_stage():
    with pytest.raises(
        PipelineError, match="no such stage. Its stages are: ttir, ttgir, llir, amdgcn, hsaco"
    ):
        compile_add_one(Pipeline().append("ptx", Spy()), "gfx942")
    compile_add_one(Pipeline().append("ptx", lambda ptx: ptx, when=on("cuda")), "gfx942")


def test_pass_of_no_plugin():
    with pytest.raises(PluginNotLoadedError, match=r"'tlx_lower'.*triton_plugins.load\('tlx'\)"):
        compile_add_one(Pipeline().append("ttgir", "tlx_lower"))


def test_no_such_stock_pass():
    with pytest.raises(PipelineError, match="no pass 'ttgpuir.coalesc'"):
        compile_add_one(Pipeline().append("ttgir", "ttgpuir.coalesc"))


def test_wrong_arguments_of_a_stock_pass():
    with pytest.raises(PipelineError, match=r"add_convert_to_ttgpuir\(arg0"):
        compile_add_one(Pipeline().append("ttir", "ttir.convert_to_ttgpuir", args=("cuda:90",)))


def test_failing_pass_is_named(capfd):
    pipeline = Pipeline("mine").append("ttir", "nvidia.ttgpuir.to_llvmir", args=(90, 90))
    with pytest.raises(PassError) as error:
        compile_add_one(pipeline)
    for part in ("'add_one'", "'ttir'", "'nvidia.ttgpuir.to_llvmir'", "'mine'"):
        assert part in str(error.value)


def test_stock_pass_that_fails_under_a_pipeline(capfd):
    pipeline = Pipeline("mine").disable("ttgir", "convert_to_ttgpuir")
    with pytest.raises(
        PassError, match="'ttgir': a pass of Triton failed under the pipeline 'mine' "
    ):
        compile_add_one(pipeline)
    pipeline = pipeline.append("ttir", "common.cse").prepend("ttgir", "common.cse")
    with pytest.raises(PassError, match="on what the step 'common.cse' left"):
        compile_add_one(pipeline)


def test_failing_function_keeps_its_exception():
    def broken(module):
        raise KeyError("mine")

    with pytest.raises(KeyError) as error:
        compile_add_one(Pipeline("p").append("ttgir", broken))
    (note,) = error.value.__notes__
    assert note.startswith(
        "Kernel 'add_one', stage 'ttgir': the function 'broken' of pipeline 'p' failed."
    )


def test_nothing_is_cached_after_a_failure(cache, capfd):
    pipeline = Pipeline().append("ttir", "nvidia.ttgpuir.to_llvmir", args=(90, 90))
    for _ in range(2):
        with pytest.raises(PassError):
            compile_add_one(pipeline)


def test_triton_is_not_changed(test_pass):
    def state():
        return [
            (name, id(value))
            for module in (nvidia_compiler, amd_compiler)
            for space in (
                vars(module),
                vars(module.CUDABackend if module is nvidia_compiler else module.HIPBackend),
            )
            for name, value in space.items()
        ]

    before = state()
    compile_add_one(Pipeline().insert_after("ttgir", "coalesce", test_pass))
    compile_add_one(Pipeline().insert_after("ttgir", "coalesce", test_pass), "gfx950")
    assert state() == before


_PLAIN = """
import hashlib, json, sys, triton
from triton.compiler import ASTSource
from triton.backends.compiler import GPUTarget
{prepare}
from kernels import add_one
source = ASTSource(add_one, {{"x": "*fp32", "n": "i32", "BLOCK": "constexpr"}}, {{"BLOCK": 128}})
compiled = triton.compile(source, target=GPUTarget("cuda", 90, 32))
print(compiled.hash, hashlib.sha256(compiled.asm["cubin"]).hexdigest())
"""


def test_kernels_without_a_pipeline_are_those_of_a_process_without_us(wheel_plugins, cache):
    # kernels.py of this process imports triton_plugins; the other one must not.
    source = ASTSource(add_one, {"x": "*fp32", "n": "i32", "BLOCK": "constexpr"}, {"BLOCK": 128})
    triton_plugins.load_path(wheel_plugins / "libTritonPluginsTestLib.so")
    ours = triton.compile(source, target=parse_target("cuda:90"))
    code = _PLAIN.format(
        prepare="sys.modules['triton_plugins'] = None\nimport types\nsys.modules['triton_plugins'] "
        "= types.ModuleType('triton_plugins')"
    )
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(sys.path),
        "TRITON_CACHE_DIR": str(cache / "other"),
    }
    plain = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert plain.stdout.split() == [ours.hash, hashlib.sha256(ours.asm["cubin"]).hexdigest()]


def test_instrumented_stage(test_pass):
    """A profiler's passes, which it adds itself, run where they did."""
    from triton import _instrumentation

    seen = []
    _instrumentation.register_instrumentation(
        point="llvmir-to-llvm",
        backend="nvidia",
        callback=lambda manager: seen.append(type(manager)),
    )
    try:
        spy = Spy()
        compile_add_one(Pipeline().insert_before("llir", "instrument.llvmir-to-llvm", spy))
    finally:
        _instrumentation.unregister_instrumentation(point="llvmir-to-llvm", backend="nvidia")
    assert [t.__name__ for t in seen] == ["pass_manager"]
    assert spy.texts


@pytest.mark.parametrize("target", TARGETS)
def test_inspection_lists_what_runs(target):
    stages = inspection.passes(target)
    names = [entry.name for manager in stages["ttgir"] for entry in manager]
    assert names[0] == "ttir.convert_to_ttgpuir"
    assert "ttgpuir.coalesce" in names
    assert any(
        entry.name.endswith("ttgpuir.to_llvmir") for manager in stages["llir"] for entry in manager
    )


def test_compile_names_what_is_wrong():
    with pytest.raises(
        PipelineError,
        match=r"add_one\(x, n, BLOCK\): it has no arguments y and nothing is given for n",
    ):
        triton_plugins.compile(
            add_one, signature={"x": "*fp32", "y": "i32"}, constexprs={"BLOCK": 1}, target="cuda:90"
        )
    with pytest.raises(PipelineError, match="hints"):
        triton_plugins.compile(
            add_one,
            signature={"x": "*fp32:8", "n": "i32"},
            constexprs={"BLOCK": 1},
            target="cuda:90",
        )
    with pytest.raises(PipelineError, match="hints"):
        triton_plugins.compile(
            add_all, signature={"x": ("*fp32", "i32:8"), "y": "*fp32"}, target="cuda:90"
        )
    with pytest.raises(PipelineError, match="takes a kernel"):
        triton_plugins.compile(print, signature={}, target="cuda:90")


def test_hints_reach_the_kernel():
    compiled = triton_plugins.compile(
        add_one,
        signature={"x": "*fp32", "n": "i32:16"},
        constexprs={"BLOCK": 128},
        target="gfx942",
        attrs={"x": "DS"},
    )
    assert "tt.divisibility = 16 : i32, tt.pointer_range = 32" in compiled.asm["ttir"]
    assert compiled.asm["ttir"].count("tt.divisibility") == 2


def test_tuples_of_arguments():
    compiled = triton_plugins.compile(
        add_all,
        signature={"x": ("*fp32", "*fp32:16", "*fp16"), "y": "*fp32:16"},
        target="cuda:90",
    )
    arguments = compiled.asm["ttir"].split("tt.func public @add_all(")[1].split(" attributes")[0]
    types = [argument.split(" loc(")[0].split(": ", 1)[1] for argument in arguments.split("%")[1:]]
    divisible = " {tt.divisibility = 16 : i32}"
    assert types == [
        "!tt.ptr<f32>",
        "!tt.ptr<f32>" + divisible,
        "!tt.ptr<f16>",
        "!tt.ptr<f32>" + divisible,
    ]
