"""Wrong uses of barriers and buffers are errors at compile time that name the kernel's line."""

import inspect
import re

import pytest
import triton

import triton_plugins
from plugins.tlx.test import barrier_kernels as kernels

HOPPER = "cuda:90"
RING = {
    "SIZE": 64,
    "NUM": 2,
    "RELEASES": 1,
    "FIRST": 1,
    "TURN": 1,
    "BYTES": 16384,
    "PENDING": 1,
    "DELAY": 1,
}


@pytest.fixture(autouse=True)
def _cache(tmp_path):
    with triton.knobs.cache.scope():
        triton.knobs.cache.dir = str(tmp_path)
        yield


def compile(kernel, signature, **constexprs):
    return triton_plugins.compile(kernel, signature=signature, constexprs=constexprs, target=HOPPER)


def ring(**constexprs):
    block = "tensordesc<fp16[64, 64]>"
    signature = {"a_desc": block, "b_desc": block, "out": "*fp32:16", "steps": "i32"}
    return compile(kernels.ring, signature, **(RING | constexprs))


def phases(**constexprs):
    signature = {"desc": "tensordesc<fp16[64, 64]>", "out": "*fp16:16", "steps": "i32"}
    return compile(kernels.phases, signature, **constexprs)


def line_of(kernel, text: str) -> str:
    """The "file:line" of the first line of a kernel that holds the text."""
    lines, start = inspect.getsourcelines(kernel.fn)
    return f"barrier_kernels.py:{start + next(i for i, line in enumerate(lines) if text in line)}"


def assert_error(run, message: str, *lines: str, **constexprs) -> None:
    """Checks that compiling fails with a message, and that it and its notes name lines."""
    with pytest.raises(triton_plugins.PassError, match=re.escape(message)) as caught:
        run(**constexprs)
    kernel = getattr(kernels, run.__name__)
    named = re.findall(r"\w+\.py:\d+", str(caught.value))
    for text in lines:
        assert line_of(kernel, text) in named


@pytest.mark.parametrize("number", [1, 2, 3])
@pytest.mark.parametrize("delay", [0, 1])
def test_a_right_ring_compiles(number, delay):
    # One buffer cannot be released one step later: it is needed for the next step.
    delay = min(delay, number - 1)
    ptx = ring(NUM=number, PENDING=delay, DELAY=delay).asm["ptx"]
    assert "wgmma.mma_async" in ptx


@pytest.mark.parametrize("number", [1, 2])
def test_a_buffer_that_a_product_reads_is_not_released(number):
    assert_error(
        ring,
        "releases a buffer that an async_dot may still read",
        "barrier_arrive(free[buf])",
        "tlx.async_dot(",
        "tlx.async_descriptor_load(a_desc",
        NUM=number,
        PENDING=1,
        DELAY=0,
    )


def test_a_ring_starts_with_free_buffers():
    assert_error(
        ring,
        "comes only behind this wait, or behind others that last for ever",
        "tlx.barrier_wait(free",
        "tlx.barrier_arrive(free[(step - 1)",
        "tlx.barrier_wait(full",
        FIRST=0,
    )


@pytest.mark.parametrize(
    ("fault", "state", "waiting"),
    [
        ({"RELEASES": 2}, "phase 0 of the barrier has 1 of 2 arrivals", ("free", "full")),
        ({"TURN": 0}, "phase ", ("full",)),
    ],
)
def test_a_ring_goes_on(fault, state, waiting):
    assert_error(
        ring,
        f"waits for ever when loops take many turns (with 1000 for each integer argument of the "
        f"kernel): {state}",
        *(f"tlx.barrier_wait({barriers}" for barriers in waiting),
        **fault,
    )


@pytest.mark.parametrize(("bytes", "end"), [(32768, "never ends"), (8192, "may end before")])
def test_expected_bytes_are_those_of_the_copies(bytes, end):
    assert_error(
        ring,
        f"to expect {bytes} bytes, but the copies that signal it bring 16384, so its phase {end}",
        "barrier_expect_bytes",
        "tlx.async_descriptor_load(a_desc",
        "tlx.async_descriptor_load(b_desc",
        BYTES=bytes,
    )


def test_a_phase_that_does_not_turn():
    phases(ARMED=True, TURN=True)
    assert_error(
        phases,
        "waits for phase 0 in every turn of a loop",
        "tlx.barrier_wait",
        "for step in range",
        ARMED=True,
        TURN=False,
    )


def test_a_barrier_that_is_armed_once():
    phases(ARMED=False, TURN=False)
    assert_error(
        phases,
        "waits for ever in turn 2 of the loop",
        "tlx.barrier_wait",
        "barrier_expect_bytes",
        ARMED=False,
        TURN=True,
    )


def no_arrival(**constexprs):
    return compile(kernels.no_arrival, {}, **constexprs)


def test_a_barrier_that_nobody_arrives_at():
    no_arrival(PHASE=1)
    assert_error(
        no_arrival,
        "ends after 1 arrivals, and the kernel makes none",
        "tlx.barrier_wait",
        "alloc_barriers(2)",
        PHASE=0,
    )
