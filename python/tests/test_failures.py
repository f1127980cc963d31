"""The IR that a failing pass was given is kept."""

import pickle
import tempfile

import pytest
from kernels import compile_add_one
from triton._C.libtriton import ir

from triton_plugins import PassError, Pipeline, Step
from triton_plugins.failures import FOLDER_VARIABLE
from triton_plugins.stages import StageRun

# It has no business in Triton IR and fails.
FAILING = Pipeline("mine").append("ttir", "nvidia.ttgpuir.to_llvmir", args=(90, 90))
# Triton's own passes fail without this one.
BREAKING = Pipeline("mine").disable("ttgir", "convert_to_ttgpuir")


@pytest.mark.parametrize("pipeline", [FAILING, BREAKING])
def test_in_the_exception(pipeline, capfd):
    with pytest.raises(PassError, match=f"{FOLDER_VARIABLE}=<folder>") as error:
        compile_add_one(pipeline)
    assert "tt.func public @add_one" in error.value.ir
    assert pickle.loads(pickle.dumps(error.value)).ir == error.value.ir


@pytest.mark.parametrize("pipeline", [FAILING, BREAKING])
def test_in_a_file(pipeline, tmp_path, monkeypatch, capfd):
    folder = tmp_path / "not" / "there"
    monkeypatch.setenv(FOLDER_VARIABLE, str(folder))
    for _ in range(2):
        with pytest.raises(PassError) as error:
            compile_add_one(pipeline)
    (file,) = folder.iterdir()
    assert file.read_text() == error.value.ir + "\n"
    assert file.name.startswith("add_one-tt") and f"The IR that it was given is in {file}." in str(
        error.value
    )


@pytest.mark.parametrize("before", [(), ("common.cse", "common.sccp")])
def test_of_one_of_many(before, capfd):
    """Passes run together; which one failed, and on what, is found out behind it."""
    texts = []
    given = Pipeline("spy").append(
        "ttir", *before, lambda module: texts.append(module.str_nodebug())
    )
    compile_add_one(given)
    failing = Step("nvidia.ttgpuir.to_llvmir", (90, 90))
    pipeline = Pipeline("mine").append("ttir", *before, failing, "common.canonicalizer")
    with pytest.raises(PassError, match="the pass 'nvidia.ttgpuir.to_llvmir'") as error:
        compile_add_one(pipeline)
    assert error.value.ir == texts[0]


def test_of_a_pass_behind_a_function(capfd):
    """A second run begins behind the function, and says so."""
    pipeline = Pipeline("p").insert_before("ttgir", "convert_to_ttgpuir", spare) + BREAKING
    with pytest.raises(PassError, match="on what the step 'spare' left"):
        compile_add_one(pipeline)


def test_of_a_second_run_that_fails_not(monkeypatch, capfd):
    monkeypatch.setattr(StageRun, "_run_one_by_one", lambda *args: None)
    with pytest.raises(PassError, match="a pass of Triton failed under the pipeline 'mine'"):
        compile_add_one(FAILING)


def test_in_llvm(tmp_path, monkeypatch):
    # Nothing keeps the text of a module that long; what a failing step left is printed.
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    texts = []

    def broken(module):
        module.set_attr("ttg.maxnreg", ir.builder(module.context).get_int32_attr(1))
        texts.append(module.str_nodebug())
        raise KeyError("mine")

    with pytest.raises(KeyError):
        compile_add_one(Pipeline("p").insert_after("llir", "nvidia.ttgpuir.to_llvmir", broken))
    (file,) = tmp_path.glob("add_one-llir-broken-*.mlir")
    assert "llvm.func @add_one" in file.read_text()
    assert file.read_text() == texts[0] + "\n"


def spare(module):
    """Changes nothing."""


def break_layout(module):
    # LLVM's dialect wants a text there, and says so behind the next pass.
    module.set_attr("llvm.data_layout", ir.builder(module.context).get_int32_attr(1))


def test_of_a_module_that_has_no_second_run(capfd):
    pipeline = Pipeline("p").insert_after("llir", "scf_to_cf", break_layout, "common.cse")
    with pytest.raises(PassError, match="on what the step 'break_layout' left"):
        compile_add_one(pipeline)


def test_where_no_file_can_be_written(tmp_path, monkeypatch, capfd):
    error = "a pass of Triton failed under the pipeline 'mine'"
    with monkeypatch.context() as patch, pytest.raises(PassError, match=error):
        patch.setattr(tempfile, "tempdir", str(tmp_path / "missing"))
        compile_add_one(FAILING)


@pytest.mark.parametrize("then", [(), ("common.cse",)], ids=["triton's", "a step"])
def test_of_a_pass_in_llvm(then, capfd):
    pipeline = Pipeline("p").insert_after("llir", "nvidia.ttgpuir.to_llvmir", break_layout, *then)
    with pytest.raises(PassError, match=then[0] if then else "break_layout") as error:
        compile_add_one(pipeline)
    # In the generic form, as modules are that are not valid.
    assert '"llvm.func"' in error.value.ir


def test_of_a_function(tmp_path, monkeypatch):
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))

    def broken(module):
        raise KeyError("mine")

    with pytest.raises(KeyError) as error:
        compile_add_one(Pipeline("p").append("ttgir", broken))
    (file,) = tmp_path.glob("add_one-ttgir-broken-*.mlir")
    assert str(file) in error.value.__notes__[0]


def test_a_folder_that_cannot_be_written(tmp_path, monkeypatch, capfd):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "file"))
    with pytest.raises(PassError, match="'nvidia.ttgpuir.to_llvmir'.*\n.*could not be written"):
        compile_add_one(FAILING)
