"""Dumps of the IR around steps."""

import pytest
from kernels import add_one, compile_add_one
from triton.runtime.jit import JITFunction

import triton_plugins
from triton_plugins import PassError, Pipeline


@pytest.fixture
def pipeline(test_pass):
    return Pipeline("p").insert_after("ttgir", "convert_to_ttgpuir", test_pass, "common.cse")


def test_files(tmp_path, pipeline, test_pass):
    with triton_plugins.dump(tmp_path / "new" / "folder") as dumped:
        compile_add_one(pipeline)
    names = [file.path.relative_to(tmp_path / "new" / "folder").as_posix() for file in dumped.files]
    assert names == [
        f"add_one/01-ttgir-{test_pass}-before.mlir",
        f"add_one/01-ttgir-{test_pass}-after.mlir",
        "add_one/02-ttgir-common.cse-before.mlir",
        "add_one/02-ttgir-common.cse-after.mlir",
    ]
    first, second = dumped.files[:2]
    assert (first.kernel, first.stage, first.step, first.moment) == (
        "add_one",
        "ttgir",
        test_pass,
        "before",
    )
    assert "@add_one" in first.path.read_text()
    assert "@foo" in second.path.read_text()


def test_two_compilations_of_one_kernel(tmp_path, pipeline):
    with triton_plugins.dump(tmp_path) as dumped:
        compile_add_one(pipeline, "cuda:90")
        compile_add_one(pipeline, "gfx942")
    assert {file.path.parent.name for file in dumped.files} == {"add_one", "add_one.2"}


def test_caches_are_passed_by_and_left_alone(tmp_path, cache, driver, pointer, pipeline):
    kernel = triton_plugins.use(pipeline)(JITFunction(add_one.fn))
    kernel[(1,)](pointer, 100, BLOCK=1024)
    before = sorted(cache.rglob("*"))
    for turn in range(2):
        with triton_plugins.dump(tmp_path / str(turn)) as dumped:
            for _ in range(2):
                kernel[(1,)](pointer, 100, BLOCK=1024)
        assert len(dumped.files) == 4
    assert sorted(cache.rglob("*")) == before
    assert driver.launches == ["foo"] * 5


def test_outside_of_the_block_nothing_is_written(tmp_path, pipeline):
    with triton_plugins.dump(tmp_path):
        pass
    compile_add_one(pipeline)
    assert not list(tmp_path.rglob("*.mlir"))


def test_failing_step_leaves_what_it_was_given(tmp_path, capfd):
    pipeline = Pipeline().append("ttir", "nvidia.ttgpuir.to_llvmir", args=(90, 90))
    with pytest.raises(PassError), triton_plugins.dump(tmp_path) as dumped:
        compile_add_one(pipeline)
    assert [file.moment for file in dumped.files] == ["before"]
