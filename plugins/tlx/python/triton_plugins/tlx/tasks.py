"""Warp specialization: tasks that run side by side, each on warps of its own.

with tlx.async_tasks():
    with tlx.async_task("default"):
        ...                                    # the warps of num_warps
    with tlx.async_task(num_warps=4, registers=232, replicate=2):
        ...                                    # two times four more warps
"""

from __future__ import annotations

import sys
import weakref
from types import FrameType
from typing import Any

import triton
import triton.language as tl
from triton.compiler.code_generator import CodeGenerator, enter_sub_region

from triton_plugins import dsl

from .arguments import constant, positive, unwrap
from .pipeline import PIPELINE

# What each function is being visited for. A function that a task calls has a semantic object of its
# own, and is visited once for all replicas.
_replicas: weakref.WeakKeyDictionary[Any, dict[str, Any]] = weakref.WeakKeyDictionary()


class _Tasks:
    """What `with tlx.async_tasks():` enters."""

    def __init__(self, semantic: Any) -> None:
        self._semantic = semantic

    def __enter__(self) -> None:
        self._after = self._semantic.builder.get_insertion_point()
        dsl.create_op(self._semantic, "tlx_async_tasks")

    def __exit__(self, *_: object) -> None:
        self._semantic.builder.restore_insertion_point(self._after)


class _Task:
    """What `with tlx.async_task(...):` enters.

    Triton's visitor enters it, visits the body once and leaves it. Leaving it visits the body again
    for every further replica, so that `async_task_replica_id` is a constant in each.
    """

    def __init__(self, semantic: Any, replicas: list[dict[str, Any]]) -> None:
        self._semantic = semantic
        self._replicas = replicas

    def __enter__(self) -> None:
        self._generator, _ = _visitor(sys._getframe(1))
        self._begin(0)

    def __exit__(self, *_: object) -> None:
        _, body = _visitor(sys._getframe(1))
        self._end()
        for replica in range(1, len(self._replicas)):
            self._begin(replica)
            self._generator.visit_compound_statement(body)
            self._end()

    def _begin(self, replica: int) -> None:
        # A name that a task assigns keeps its value for other tasks and after them.
        self._scope = enter_sub_region(self._generator)
        self._scope.__enter__()
        arguments = {"replica": replica, **self._replicas[replica]}
        _replicas[self._semantic] = arguments
        dsl.create_op(self._semantic, "tlx_async_task", **arguments)

    def _end(self) -> None:
        del _replicas[self._semantic]
        self._scope.__exit__()


def _visitor(frame: FrameType) -> tuple[CodeGenerator, list[Any]]:
    """Returns Triton's visitor, whose frame this is, and the body of the `with` that it visits."""
    return frame.f_locals["self"], frame.f_locals["node"].body


@dsl.op("tlx", PIPELINE)
def async_tasks(_semantic=None) -> _Tasks:
    """Groups the `async_task` blocks that start together; it ends when all of them have.

    A task may use scalars, pointers, descriptors, buffers and barriers from outside, and tensors
    that each warp can make itself, such as `tl.arange`; other tensors go through buffers. A name
    that a task assigns keeps its old value outside of the task.

    Raises:
        OpError: It stands in a task.
        PassError: When the kernel is compiled, if the tasks don't fit the warps and registers of a
            CTA, or one uses a tensor from outside.
    """
    return _Tasks(_semantic)


@dsl.op("tlx", PIPELINE)
def async_task(
    kind=None,
    *,
    num_warps=None,
    registers=None,
    num_regs=None,
    replicate=1,
    warp_group_start_id=None,
    _semantic=None,
) -> _Task:
    """A task, to be used as `with tlx.async_task(...):` in `with tlx.async_tasks():`.

    Args:
        kind: "default" for the task that runs on the kernel's own warps; there is at most one.
        num_warps: Number of further warps that run any other task: 1, 2, 4, 8, 16 or 32.
        registers: Registers that each thread gets (24 to 256, rounded up to a multiple of 8). The
            default task gets what the others leave. Where no task of a kernel asks, all have the
            same.
        num_regs: The same as `registers`.
        replicate: How often the task runs, each time on warps of its own
            (`async_task_replica_id`). Further copies of the default task run on as many warps as
            it.
        warp_group_start_id: Number of the task's first warp. Tasks are placed behind the default
            task, the ones with most warps first; asking for another place is an error.

    Raises:
        OpError: It stands outside of `async_tasks`, or an argument is out of range.
    """
    kind = unwrap(kind)
    is_default = isinstance(kind, str) and kind == "default"
    if kind is not None and not is_default:
        raise ValueError(
            f'a task is "default" or has num_warps, but got {kind!r}; task numbers are not needed'
        )
    registers = _optional(num_regs if registers is None else registers, "registers")
    first_warp = _optional(warp_group_start_id, "warp_group_start_id")
    count = positive(replicate, "replicate")
    warps = _optional(num_warps, "num_warps")
    extra_warps = _semantic.builder.options.num_warps if is_default else warps
    replicas = [{"is_default": is_default, "num_warps": warps, "registers": registers}] + [
        {"is_default": False, "num_warps": extra_warps, "registers": registers}
    ] * (count - 1)
    if first_warp is not None:
        replicas = [
            {**replica, "first_warp": first_warp + index * (extra_warps or 0)}
            for index, replica in enumerate(replicas)
        ]
    return _Task(_semantic, replicas)


@dsl.op("tlx", PIPELINE)
def async_task_replica_id(_semantic=None) -> tl.constexpr | tl.tensor:
    """Returns which copy of its task the code runs in, from 0 on.

    Returns:
        A constexpr in the function that has the task; a scalar int32 tensor in a function that a
        task calls.
    """
    replica = _replicas.get(_semantic)
    if replica is not None:
        return tl.constexpr(replica["replica"])
    return tl.tensor(dsl.create_op(_semantic, "tlx_task_replica"), tl.int32)


@dsl.op("tlx", PIPELINE)
def num_warps(_semantic=None) -> tl.constexpr:
    """Returns how many warps run the code: those of the task in the function that has it, else the
    kernel's."""
    task = _replicas.get(_semantic, {})
    return tl.constexpr(task.get("num_warps") or _semantic.builder.options.num_warps)


@triton.jit
def get_bufidx_phase(accum_cnt, NUM_BUFFERS: tl.constexpr):
    """Returns the buffer and the barrier phase of the `accum_cnt`-th use of a ring of buffers.

    Args:
        accum_cnt: How often a buffer of the ring was used before.
        NUM_BUFFERS: Number of buffers in the ring.

    Returns:
        `accum_cnt % NUM_BUFFERS` and the parity of the number of turns, 0 or 1.
    """
    return accum_cnt % NUM_BUFFERS, (accum_cnt // NUM_BUFFERS) & 1


def _optional(value: Any, name: str) -> int | None:
    return None if unwrap(value) is None else constant(value, name)
