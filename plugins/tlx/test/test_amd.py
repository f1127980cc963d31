"""What AMD's operations compile to on gfx942 and gfx950, without a GPU."""

import re

import pytest
import triton

import triton_plugins
from plugins.tlx.test import amd_kernels, kernels
from triton_plugins import machine_code

AMD = ["hip:gfx942", "hip:gfx950"]
pytestmark = pytest.mark.usefixtures("own_cache")


@pytest.fixture
def own_cache(tmp_path):
    with triton.knobs.cache.scope():
        triton.knobs.cache.dir = str(tmp_path)
        yield


def compile(kernel, target, signature, **constexprs):
    return triton_plugins.compile(
        kernel, signature=signature, constexprs=constexprs, target=target, options={"num_warps": 4}
    )


def instructions(kernel, pattern: str) -> list[str]:
    """The machine instructions that a pattern finds, in order."""
    return re.findall(rf"^\s+((?:{pattern})\b.*)$", kernel.asm["amdgcn"], re.MULTILINE)


FLOATS = {"src": "*fp32:16", "dst": "*fp32:16"}
HALVES = {"a": "*fp16:16", "b": "*fp16:16", "c": "*fp32:16", "steps": "i32"}


@pytest.mark.parametrize("target", AMD)
def test_buffer_accesses_need_no_proof(target):
    # Nothing says that the tensors are smaller than 2 GiB, so that stock Triton makes none.
    signature = FLOATS | {"n": "i32"}
    kernel = compile(amd_kernels.buffer_copy, target, signature, BLOCK=1024, GROUP=4)
    assert len(instructions(kernel, "buffer_load_dwordx4")) == 1
    assert len(instructions(kernel, "buffer_store_dwordx4")) == 1
    assert not instructions(kernel, r"global_\w+")


@pytest.mark.parametrize(("group", "width"), [(1, "dword"), (2, "dwordx2"), (4, "dwordx4")])
def test_a_promised_contiguity_is_trusted(group, width):
    # The mask's bound is a number that nothing divides.
    signature = FLOATS | {"n": "i32"}
    kernel = compile(amd_kernels.buffer_copy, "gfx950", signature, BLOCK=1024, GROUP=group)
    loads = instructions(kernel, r"buffer_load_\w+")
    assert {load.split()[0] for load in loads} == {f"buffer_load_{width}"}


def test_buffer_loads_to_local_are_direct_on_gfx950():
    signature = {"src": "*fp16:16", "dst": "*fp16:16", "rows": "i32"}
    shape = {"ROWS": 64, "COLS": 64}
    code = compile(amd_kernels.buffer_copy_to_local, "gfx950", signature, **shape)
    (direct,) = {load.split()[0] for load in instructions(code, r"buffer_load_\w+.*\blds")}
    assert direct == "buffer_load_dwordx4"
    # The descriptor gives zeros for masked rows: nothing else writes the buffer.
    assert not instructions(code, r"ds_write\w*")
    code = compile(amd_kernels.buffer_copy_to_local, "gfx942", signature, **shape)
    assert instructions(code, "buffer_load_dwordx4") and instructions(code, r"ds_write\w*")
    assert not instructions(code, r"buffer_load_\w+.*\blds")


def test_a_masked_copy_writes_zeros_where_no_descriptor_does():
    # Direct loads through pointers of 64 bits leave masked elements of the buffer alone.
    signature = {"src": "*fp16:16", "dst": "*fp16:16", "stride": "i64:16", "rows": "i32"}
    code = compile(amd_kernels.copy_of_far_rows, "gfx950", signature, ROWS=64, COLS=64)
    assert instructions(code, "global_load_lds_dwordx4")
    assert instructions(code, "ds_write_b128")


@pytest.mark.parametrize("target", AMD)
def test_buffer_atomics(target):
    signature = {"src": "*i32:16", "counts": "*i32:16", "n": "i32"}
    kernel = compile(amd_kernels.histogram, target, signature, BLOCK=256)
    assert len(instructions(kernel, "buffer_atomic_add")) == 1


@pytest.mark.parametrize("dtype", ["fp16", "bf16", "fp32", "fp64", "i32", "i64"])
@pytest.mark.parametrize("target", AMD)
def test_atomics_of_every_dtype_compile(target, dtype):
    signature = {"src": "*i32:16", "counts": f"*{dtype}:16", "n": "i32"}
    assert instructions(
        compile(amd_kernels.histogram, target, signature, BLOCK=256), r"\w+_(atomic|cmpswap)\w*"
    )


@pytest.mark.parametrize("target", AMD)
def test_a_loaded_pointer_that_is_uniform_needs_no_loop(target):
    signature = {"table": "*i64:16", "dst": "*fp32:16"}
    kernel = compile(amd_kernels.through_table, target, signature, BLOCK=1024)
    assert len(instructions(kernel, "buffer_load_dwordx4")) == 1
    assert instructions(kernel, "v_readfirstlane_b32")
    assert not instructions(kernel, r"s_cbranch\w*")


@pytest.mark.parametrize("target", AMD)
def test_scheduling_hints_reach_the_scheduler(target):
    kernel = compile(amd_kernels.scheduled, target, FLOATS, BLOCK=1024, MASK=0x808, VARIANT=1)
    load, barrier, store = (
        kernel.asm["amdgcn"].index(text)
        for text in ("_load_dwordx4", "sched_barrier mask(0x00000808)", "_store_dwordx4")
    )
    assert load < barrier < store
    assert "iglp_opt mask(0x00000001)" in kernel.asm["amdgcn"]


@pytest.mark.parametrize("target", AMD)
def test_groups_of_instructions_reach_the_scheduler(target):
    kernel = compile(amd_kernels.grouped, target, FLOATS, BLOCK=1024, MASK=32, SIZE=2)
    found = re.findall(
        r"sched_group_barrier mask\((\w+)\) size\((\d+)\) SyncID\((\d+)\)", kernel.asm["amdgcn"]
    )
    assert [(int(mask, 0), size, group) for mask, size, group in found] == [
        (32, "2", "3"),
        (1024, "4", "3"),
    ]


@pytest.mark.parametrize("target", AMD)
def test_stages_alternate_between_groups_of_waves(target):
    kernel = compile(amd_kernels.staged, target, HALVES, BLOCK=128, K=32, PRIORITY=1)
    assert "triton.warp_pipeline.pipelined_for" in kernel.asm["ttgir"]
    priorities = [int(line.split()[1]) for line in instructions(kernel, "s_setprio")]
    assert 1 in priorities and priorities[-1] == 0
    # A barrier that one group alone meets puts it a stage behind, one after the loop puts them
    # together again.
    assert len(instructions(kernel, "s_barrier")) >= 4
    code = machine_code.inspect(kernel)
    assert code.resources.spills == 0
    assert code.amdgcn.count(r"v_mfma_f32_\w+") > 0
    if target == "hip:gfx950":
        # The tiles of the step after the first are under way when the loop begins.
        assert code.amdgcn.waits["vmcnt"][0] == 4


@pytest.mark.parametrize("target", ["hip:gfx950", "cuda:90"])
@pytest.mark.parametrize(
    "part", [(16, 32, 16, 32), (0, 0, 64, 32), (32, 63, 32, 1), (0, 0, 64, 64)]
)
def test_slices_are_parts_of_registers(target, part):
    row, col, rows, cols = part
    kernel = compile(amd_kernels.slices, target, FLOATS, ROW=row, COL=col, ROWS=rows, COLS=cols)
    assert re.search(rf"(tt|amdg)\.(buffer_)?store .*tensor<{rows}x{cols}x", kernel.asm["ttgir"])


@pytest.mark.parametrize("target", AMD)
def test_hints_about_registers_change_nothing(target):
    signature = {"a": "*fp16:16", "b": "*fp16:16", "c": "*fp32:16"}
    arguments = {"SIZE": 64, "ROLE": "persistent", "CLASS": "agpr"}
    assert instructions(
        compile(amd_kernels.hinted, target, signature, **arguments), r"v_mfma_f32_\w+"
    )
    with pytest.raises(triton.CompilationError, match="argument 'accumulator_role' must be"):
        compile(amd_kernels.hinted, target, signature, **arguments | {"ROLE": "long"})


@pytest.mark.parametrize(
    ("kernel", "constexprs", "message"),
    [
        ("scheduled", {"BLOCK": 128, "MASK": 0x1000, "VARIANT": 0}, "bits 0 to 11, but is 0x1000"),
        ("scheduled", {"BLOCK": 128, "MASK": 0, "VARIANT": 4}, "must be 0, 1, 2 or 3, but is 4"),
        ("grouped", {"BLOCK": 128, "MASK": 0, "SIZE": 1}, "bits 0 to 11, but is 0x0"),
        ("grouped", {"BLOCK": 128, "MASK": 1, "SIZE": 0}, "'size' must be 1 or more, but is 0"),
        ("slices", {"ROW": 8, "COL": 0, "ROWS": 16, "COLS": 64}, "the offset a multiple of it"),
        ("slices", {"ROW": 0, "COL": 64, "ROWS": 64, "COLS": 64}, "64 elements at 64 of 64"),
    ],
)
def test_wrong_arguments_are_told_why(kernel, constexprs, message):
    with pytest.raises(triton.CompilationError, match=re.escape(message)):
        compile(getattr(amd_kernels, kernel), "gfx950", FLOATS, **constexprs)


@pytest.mark.parametrize(
    ("kernel", "signature", "constexprs", "name"),
    [
        ("scheduled", FLOATS, {"BLOCK": 128, "MASK": 0, "VARIANT": 0}, "amd_iglp_opt"),
        ("grouped", FLOATS, {"BLOCK": 128, "MASK": 1, "SIZE": 1}, "amd_sched_group_barrier"),
        ("staged", HALVES, {"BLOCK": 128, "K": 32, "PRIORITY": 1}, "warp_pipeline_stage"),
    ],
)
def test_other_targets_are_told_what_is_needed(kernel, signature, constexprs, name):
    with pytest.raises(triton.CompilationError) as caught:
        compile(getattr(amd_kernels, kernel), "cuda:90", signature, **constexprs)
    assert f"{name} needs an AMD GPU (gfx942, gfx950)" in str(caught.value)
    assert "amd_kernels.py:" in str(caught.value)


@pytest.mark.parametrize("dtype", ["i8", "fp16", "fp32"])
@pytest.mark.parametrize("divisibility", ["", ":16"])
@pytest.mark.parametrize("block", [16, 128, 256, 1024, 8192])
@pytest.mark.parametrize("target", AMD)
def test_copies_of_every_width_and_alignment(target, block, divisibility, dtype):
    pointer = f"*{dtype}{divisibility}"
    signature = {"src": pointer, "dst": pointer}
    assert instructions(compile(kernels.copy, target, signature, BLOCK=block, NUM=2), r"ds_read\w*")


@pytest.mark.parametrize("target", AMD)
def test_barriers_in_memory_are_not_there(target):
    with pytest.raises(triton_plugins.PassError) as caught:
        compile(amd_kernels.barrier_in_memory, target, {})
    name = target.removeprefix("hip:")
    assert f"barriers in memory, which sm_80 has and {name} has not; wait for" in str(caught.value)
    assert "amd_kernels.py:" in str(caught.value)
