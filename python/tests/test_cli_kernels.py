"""The commands that look at kernels: passes and diff."""

import json

import pytest

from triton_plugins import Pipeline
from triton_plugins.cli.main import main

KERNELS = """
import triton
import triton.language as tl

import triton_plugins
from triton_plugins import dsl

ADDED = triton_plugins.Pipeline("added").insert_after("ttir", "cse", "ttir.loop_unroll")
EDITED = (
    ADDED.disable("ttir", "loop_unroll", occurrence="last")
    .replace("ttgir", "coalesce", "common.cse")
    .append("ptx", lambda text: text)
)
UNLOADED = triton_plugins.Pipeline("unloaded").append("ttir", "nosuch_pass")
STRAY = triton_plugins.Pipeline("stray").append("nosuchstage", "common.cse")
MISFIT = triton_plugins.Pipeline("misfit").disable("ttgir", "coalesc")
# Without it, every thread copies more elements than one access holds.
UNCOALESCED = triton_plugins.Pipeline("uncoalesced").disable("ttgir", "coalesce")
OVERRIDDEN = triton_plugins.Pipeline("overridden").override_pipeline(
    {"ttir": [], "ttgir": None, "llir": None, "extra": lambda text, _: text, "ptx": None}
    | {"cubin": None}
)


def fails(module):
    raise KeyError("nothing")


FAILING = triton_plugins.Pipeline("failing").append("ttir", fails)
NUMBER = 1


@triton.jit
def add_one(x, n: tl.int32, BLOCK: tl.constexpr = 1024):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + offsets, tl.load(x + offsets, mask=offsets < n) + 1, mask=offsets < n)


@triton.jit
def wrong(x):
    tl.store(x, tl.nothing(x))


@dsl.op("fixture", triton_plugins.Pipeline("brought").append("ttir", "common.cse"))
def operation(x, _semantic=None):
    return x


@triton.jit
def called(x):
    return operation(x)


@triton.jit
def calls(x):
    tl.store(x, called(1))


edited = triton_plugins.use(EDITED)(add_one)
misfit = triton_plugins.use(MISFIT)(add_one)
tuned = triton.autotune([triton.Config({"BLOCK": 512}, num_warps=8)], key=[])(edited)
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "kernels_of_test.py"
    path.write_text(KERNELS)
    return path


def listed(capsys, *arguments):
    """The records of `passes`, by stage."""
    assert main(["passes", "--json", *arguments]) == 0
    document = json.loads(capsys.readouterr().out)
    stages = {stage: [] for stage in document["stages"]}
    for record in document["passes"]:
        stages[record["stage"]].append(record)
    return stages


@pytest.mark.parametrize(
    ("target", "stages"),
    [
        ("cuda:90", ["ttir", "ttgir", "llir", "ptx", "cubin"]),
        ("gfx950", ["ttir", "ttgir", "llir", "amdgcn", "hsaco"]),
    ],
)
def test_stock_passes(capsys, target, stages):
    assert list(listed(capsys, "--target", target)) == stages
    assert main(["passes", "--target", target]) == 0
    lines = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    assert {line[3] for line in lines} == {"stock"}
    (coalesce,) = (line for line in lines if line[4] == "ttgpuir.coalesce")
    assert coalesce[0] == "ttgir" and int(coalesce[2]) > 1


def test_options_count(capsys):
    (convert,) = (
        record
        for record in listed(capsys, "--target", "sm_90", "--option", "num_warps=8")["ttgir"]
        if record["pass"] == "ttir.convert_to_ttgpuir"
    )
    assert convert["arguments"][:2] == ["'cuda:90'", "8"]


@pytest.mark.parametrize("name", ["edited", "tuned"])
def test_pipelines_of_a_kernel(capsys, file, name):
    stages = listed(capsys, "--target", "sm_90", "--kernel", f"{file}:{name}")
    marked = [
        (record["stage"], record["pass"], record["mark"], record["number"] is None)
        for records in stages.values()
        for record in records
        if record["mark"] != "stock"
    ]
    assert marked == [
        ("ttir", "ttir.loop_unroll", "added", False),
        ("ttir", "ttir.loop_unroll", "disabled", True),
        ("ttgir", "ttgpuir.coalesce", "replaced", True),
        ("ttgir", "common.cse", "added", False),
        ("ptx", "<lambda>", "added", False),
    ]
    owners = {record["pipeline"] for records in stages.values() for record in records}
    assert owners == {"", "added"}


def test_a_pipeline_around(capsys, file):
    arguments = ["--target", "sm_90", "--pipeline", f"{file}:ADDED"]
    assert [r["pass"] for r in listed(capsys, *arguments)["ttir"] if r["mark"] == "added"] == [
        "ttir.loop_unroll"
    ]


def test_an_operation_brings_its_pipeline(capsys, file):
    stages = listed(capsys, "--target", "sm_90", "--kernel", f"{file}:calls")
    last = stages["ttir"][-1]
    assert (last["pass"], last["mark"], last["pipeline"]) == ("common.cse", "added", "brought")
    assert all(r["mark"] == "stock" for r in (*stages["ttir"][:-1], *stages["ttgir"]))


def test_an_overridden_pipeline(capsys, file):
    stages = listed(capsys, "--target", "sm_90", "--pipeline", f"{file}:OVERRIDDEN")
    assert list(stages) == ["ttir", "ttgir", "llir", "extra", "ptx", "cubin"]
    assert {record["mark"] for record in stages["ttir"]} == {"replaced"}
    assert {record["mark"] for record in stages["ttgir"]} == {"stock"}
    assert [record["mark"] for record in stages["extra"]] == ["added"]


def test_an_installed_pipeline(capsys, tmp_path):
    installed = Pipeline("installed").disable("ttgir", "coalesce")
    installed.install()
    try:
        ttgir = listed(capsys, "--target", "sm_90")["ttgir"]
    finally:
        installed.uninstall()
    (disabled,) = (record for record in ttgir if record["mark"] == "disabled")
    assert (disabled["pass"], disabled["pipeline"]) == ("ttgpuir.coalesce", "installed")


def test_a_stage_that_does_not_exist(capsys, file):
    assert main(["passes", "--target", "sm_90", "--pipeline", f"{file}:STRAY"]) == 1
    assert "has no such stage. Its stages are: ttir, ttgir, llir" in capsys.readouterr().err


def test_a_pass_of_a_plugin_that_is_not_loaded(capsys, file):
    arguments = ["--target", "sm_90", "--pipeline", f"{file}:UNLOADED"]
    assert main(["passes", "--json", *arguments]) == 1
    error = json.loads(capsys.readouterr().out)["error"]
    assert error["kind"] == "PluginNotLoadedError" and "nosuch_pass" in error["message"]


def test_a_pipeline_that_does_not_fit(capsys, file):
    assert main(["passes", "--target", "sm_90", "--kernel", f"{file}:misfit"]) == 1
    assert "near: ttgpuir.coalesce" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nosuch", "has no 'nosuch'. Its kernels and pipelines are: ADDED,"),
        ("NUMBER", "is a int, but a kernel is needed"),
        ("", "is neither FILE.py:NAME nor MODULE:NAME"),
    ],
)
def test_bad_kernels(capsys, file, name, message):
    assert main(["passes", "--target", "sm_90", "--kernel", f"{file}:{name}"]) == 2
    assert message in capsys.readouterr().err


def test_bad_files(capsys, tmp_path):
    file = tmp_path / "broken_of_test.py"
    assert main(["passes", "--target", "sm_90", "--kernel", f"{file}:k"]) == 2
    assert "There is no file" in capsys.readouterr().err
    file.write_text("import nosuchmodule")
    assert main(["passes", "--target", "sm_90", "--kernel", f"{file}:k"]) == 2
    assert "cannot be imported (ModuleNotFoundError" in capsys.readouterr().err
    unloaded = tmp_path / "unloaded_of_test.py"
    unloaded.write_text("import triton_plugins; triton_plugins.load('nosuchplugin')")
    assert main(["passes", "--target", "sm_90", "--kernel", f"{unloaded}:k"]) == 1
    assert capsys.readouterr().err.startswith("error: No plugin named 'nosuchplugin'")


def compared(file, *arguments):
    return main(["diff", f"{file}:add_one", *arguments, "--signature", "x=*fp32:16,n=i32:16"])


def test_no_difference(capsys, file):
    assert compared(file, "none", f"{file}:ADDED", "--target", "sm_90") == 0
    lines = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    assert {line[0] for line in lines} == {"instructions", "resources"}
    assert all(len(line) == 5 and line[4] == "-" for line in lines)


def test_a_difference(capsys, file):
    arguments = ("none", f"{file}:UNCOALESCED", "--target", "cuda:90")
    assert compared(file, *arguments) == 1
    out = capsys.readouterr().out
    assert f"--- ttgir\tnone\n+++ ttgir\t{file}:UNCOALESCED\n@@" in out
    assert "--- ttir" not in out
    (total,) = (line for line in out.splitlines() if line.startswith("instructions\tall"))
    assert int(total.split("\t")[4]) != 0


def test_a_difference_as_json(capsys, file):
    arguments = ("none", f"{file}:UNCOALESCED", "--target", "gfx942", "--stage", "amdgcn", "--json")
    assert compared(file, *arguments) == 1
    document = json.loads(capsys.readouterr().out)
    assert document["differs"] and document["target"] == "hip:gfx942"
    assert list(document["ir"]) == ["amdgcn"] and document["ir"]["amdgcn"]
    resources = {r["name"] for r in document["code"] if r["kind"] == "resources"}
    assert {"registers", "shared_bytes", "spills", "agprs"} <= resources


def test_what_diff_needs(capsys, file):
    assert main(["diff", f"{file}:add_one", "none", "none", "--target", "sm_90"]) == 2
    assert "needs types or values for x:" in capsys.readouterr().err
    assert compared(file, "none", f"{file}:NUMBER", "--target", "sm_90") == 2
    assert "is a int, but a triton_plugins.Pipeline is needed" in capsys.readouterr().err
    assert compared(file, "none", "none", "--target", "sm_90", "--stage", "nosuch") == 2
    assert "There is no text of a stage 'nosuch', only of" in capsys.readouterr().err


def test_a_kernel_that_does_not_compile(capsys, file):
    arguments = ["diff", f"{file}:wrong", "none", "none", "--target", "sm_90"]
    assert main([*arguments, "--signature", "x=*fp32"]) == 1
    err = capsys.readouterr().err
    line = KERNELS.splitlines().index("    tl.store(x, tl.nothing(x))") + 1
    assert f"wrong, line {line}, does not compile:" in err and "nothing" in err
    assert "Traceback" not in err


def test_a_step_that_fails(capsys, file):
    assert compared(file, "none", f"{file}:FAILING", "--target", "sm_90") == 1
    err = capsys.readouterr().err
    assert "add_one does not compile: KeyError: 'nothing'." in err
    assert "the function 'fails' of pipeline 'failing' failed" in err


@pytest.mark.parametrize("pairs", ["x", "x=", "=1", "x y=1"])
def test_bad_pairs(capsys, file, pairs):
    with pytest.raises(SystemExit) as exit:
        main(["diff", f"{file}:add_one", "none", "none", "--target", "sm_90", "--constexpr", pairs])
    assert exit.value.code == 2
    assert "is not NAME=VALUE" in capsys.readouterr().err
