"""What tasks compile to, and what wrong ones are told."""

import inspect
import re
from pathlib import Path

import pytest
import triton

import triton_plugins
from plugins.tlx.test import task_kernels as kernels

HOPPER, AMPERE, MI300, MI350 = "cuda:90", "cuda:80", "hip:gfx942", "hip:gfx950"
FLOATS = {"src": "*fp32:16", "dst": "*fp32:16"}


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path):
    with triton.knobs.cache.scope():
        triton.knobs.cache.dir = str(tmp_path)
        yield


def compile(kernel, target=HOPPER, *, signature=FLOATS, options=None, **constexprs):
    return triton_plugins.compile(
        kernel, signature=signature, constexprs=constexprs, target=target, options=options
    )


def line_of(kernel, text):
    """The "file:line" of the first line of a kernel that holds the text."""
    lines, start = inspect.getsourcelines(kernel.fn)
    return f"task_kernels.py:{start + next(i for i, line in enumerate(lines) if text in line)}"


@pytest.mark.parametrize("warps", [1, 2, 4, 8])
def test_tasks_run_on_warps_of_their_own(warps):
    compiled = compile(kernels.copies, BLOCK=1024, WARPS=warps, REGISTERS=None)
    assert compiled.metadata.num_warps == 4 + 4 * -(-2 * warps // 4)
    ttgir = compiled.asm["ttgir"]
    assert ttgir.count(f"num_warps({warps})") == 2
    assert re.search(rf"sizePerThread = \[4\].*warpsPerCTA = \[{warps}\]", ttgir)
    ptx = compiled.asm["ptx"]
    # Each task loads 16 bytes a thread, as many times as its block needs.
    assert len(re.findall(r"ld\.global\.v4\.b32", ptx)) == 2 + 2 * max(1, 8 // warps)
    assert "setmaxnreg" not in ptx
    # Tasks start and end together; nothing else waits.
    barriers = re.findall(r"\n\s*(?:bar|barrier)\.sync\S*\s+([^;]*);", ptx)
    assert set(barriers) == {"1"}


@pytest.mark.parametrize("warps", [1, 2, 4])
def test_tasks_start_by_memory_of_the_kernel(warps):
    """A byte for each warp of a task says what it runs, also for those that fill a warp group."""
    compiled = compile(kernels.copies, BLOCK=1024, WARPS=warps, REGISTERS=None)
    states = re.findall(r"store i8 \d+, .*@global_smem, i32 (\d+)\)", compiled.asm["llir"])
    assert len(set(states)) % 4 == 0
    assert max(map(int, states)) < compiled.metadata.shared


def test_registers_arrive_in_the_machine_code():
    compiled = compile(kernels.copies, BLOCK=1024, WARPS=4, REGISTERS=230)
    assert "requestedRegisters = array<i32: 232, 232>" in compiled.asm["ttgir"]
    ptx = compiled.asm["ptx"]
    assert ptx.count("setmaxnreg.inc.sync.aligned.u32 \t232") == 2
    # The default task has what the two leave: (168 * 12 - 232 * 8) / 4.
    assert "setmaxnreg.dec.sync.aligned.u32 \t40" in ptx


@pytest.mark.parametrize("warps", [1, 2, 4, 8])
def test_all_shapes_on_any_number_of_warps(warps):
    compiled = compile(kernels.shapes, WARPS=warps)
    assert f"num_warps({warps})" in compiled.asm["ttgir"]


def test_functions_know_their_replica():
    compiled = compile(kernels.functions, signature=FLOATS | {"n": "i32"}, BLOCK=256)
    ptx = compiled.asm["ptx"]
    assert "call" not in compiled.asm["ttgir"].replace("callsite", "")
    assert "warp_specialize" in compiled.asm["ttgir"].partition("scf.for")[2]
    # The replicas of the default task scale by 3.0 and 4.0.
    assert "0f40400000" in ptx
    assert "0f40800000" in ptx


@pytest.mark.parametrize("block", [128, 256])
def test_several_groups(block):
    ttgir = compile(kernels.several, BLOCK=block).asm["ttgir"]
    assert len(re.findall(r"ttg\.warp_specialize\(", ttgir)) == 2
    assert ("num_warps(2)" in ttgir) == (block > 128)


def test_products_have_the_layout_of_their_warps():
    signature = {"a": "*fp16:16", "b": "*fp16:16", "c": "*fp32:16"}
    compiled = compile(kernels.products, signature=signature, options={"num_warps": 8}, N=128, K=64)
    ptx = compiled.asm["ptx"]
    assert len(re.findall(r"wgmma\.mma_async\S*m64n128k16", ptx)) == 2 * 4
    assert ptx.count("setmaxnreg.inc.sync.aligned.u32 \t160") == 2
    assert "warpsPerCTA = [4, 1], instrShape = [16, 128, 16]" in compiled.asm["ttgir"]


@pytest.mark.parametrize("target", [MI300, MI350])
def test_amd_has_no_tasks(target):
    with pytest.raises(triton_plugins.PassError, match="tlx.warp_pipeline_stage") as caught:
        compile(kernels.several, target, BLOCK=128)
    assert line_of(kernels.several, "num_warps=8") not in str(caught.value)


OK = {"DEFAULT": None, "REGISTERS": None, "WARPS": 4, "REPLICATE": 1, "START": None}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"WARPS": None}, "needs num_warps"),
        ({"WARPS": 3}, "runs on 3 warps, but num_warps must be 1, 2, 4, 8, 16 or 32"),
        ({"WARPS": 0}, "runs on 0 warps"),
        ({"REGISTERS": 16}, "asks for 16 registers a thread, but setmaxnreg takes 24 to 256"),
        ({"REGISTERS": 512}, "asks for 512 registers"),
        ({"REPLICATE": 0}, "'replicate' must be 1 or more, but is 0"),
        ({"WARPS": 16, "REPLICATE": 2}, "take 36 warps, but a CTA has at most 32: 4 of the kernel"),
        ({"START": 8}, "asks for warps from 8 on, but is given 4"),
        ({"REGISTERS": 240, "REPLICATE": 3}, "more registers than the kernel has"),
        ({"REGISTERS": 200, "DEFAULT": 120, "REPLICATE": 2}, "default task            4 warps"),
    ],
)
def test_requests_that_do_not_fit(arguments, message):
    compile(kernels.requests, signature={}, **OK)
    with pytest.raises((triton.CompilationError, triton_plugins.PassError)) as caught:
        compile(kernels.requests, signature={}, **(OK | arguments))
    assert message in str(caught.value)
    assert "task_kernels.py:" in str(caught.value) or "with tlx.async_task" in str(caught.value)


def test_a_budget_that_does_not_fit_is_shown_as_a_table():
    with pytest.raises(triton_plugins.PassError) as caught:
        compile(
            kernels.requests,
            signature={},
            **(OK | {"REGISTERS": 240, "REPLICATE": 3, "DEFAULT": 40}),
        )
    table = [
        "default task            4 warps * 32 *  40 =   5120",
        "warps 4 to 7            4 warps * 32 * 240 =  30720",
        "warps 12 to 15          4 warps * 32 * 240 =  30720",
        "97280",
        "65536 (16 warps * 32 * 128)",
    ]
    positions = [str(caught.value).index(row) for row in table]
    assert positions == sorted(positions)
    assert line_of(kernels.requests, "async_tasks()") in str(caught.value)


@pytest.mark.parametrize(
    ("kernel", "message", "line"),
    [
        (kernels.captured_tensor, "uses a tensor that is made outside of it", "tl.store"),
        (kernels.nested_by_function, "tasks cannot have tasks of their own", None),
        (kernels.under_branch, "a task must stand directly in", "async_task("),
        (kernels.between, "stands between tasks", "tl.store"),
        (kernels.two_defaults, "there can be one default task", None),
        (kernels.leaving_value, "values is not defined", None),
        (kernels.returning, "Cannot have `return` statements inside `with`", None),
        (kernels.nested, "tasks cannot have tasks of their own", None),
        (kernels.no_group, "a task must stand directly in a `with tlx.async_tasks()`", None),
        (kernels.numbered, 'a task is "default" or has num_warps', None),
        (kernels.calling, "calls a function that is not inlined", "_not_inlined"),
    ],
)
def test_wrong_tasks_are_told_why(kernel, message, line):
    with pytest.raises((triton.CompilationError, triton_plugins.PassError)) as caught:
        compile(kernel)
    assert message in str(caught.value)
    if line:
        assert line_of(kernel, line) in str(caught.value)


def test_a_replica_needs_a_task():
    with pytest.raises(triton_plugins.PassError, match="for code that a task runs"):
        compile(kernels.no_replica, signature={"dst": "*i32"})


def test_tasks_meet_at_named_barriers():
    ptx = compile(kernels.turns, signature={"dst": "*i64"}, BAR=9, THREADS=256).asm["ptx"]
    assert re.search(r"bar\.arrive %r\d+, %r\d+", ptx)
    assert re.search(r"bar\.sync %r\d+, %r\d+", ptx)
    for register in ("%tid.x", "%clock64", "%cluster_ctarank", "%cluster_nctarank"):
        assert register in ptx


@pytest.mark.parametrize(
    ("bar", "threads", "message"), [(1, 256, "must be 8 to 15"), (9, 100, "multiple of 32")]
)
def test_named_barriers_that_cannot_be(bar, threads, message):
    with pytest.raises(triton.CompilationError, match=message):
        compile(kernels.turns, signature={"dst": "*i64"}, BAR=bar, THREADS=threads)
