"""What only AMD's GPUs have: scheduling hints, pipelines of warps, register hints."""

from __future__ import annotations

from typing import Any

import triton.language as tl

from triton_plugins import OpError, dsl

from .arguments import constant, constants, positive, unwrap
from .pipeline import PIPELINE


@dsl.op("tlx", PIPELINE)
def amd_sched_barrier(mask=0, _semantic=None) -> None:
    """Keeps the compiler's scheduler from moving instructions across this place.

    Neither a barrier of the threads nor a fence of memory.

    Args:
        mask: Classes of instructions that may cross, as bits (`llvm.amdgcn.sched.barrier`): 1 those
            without side effects that touch no memory, 2 vector ALU, 4 scalar ALU, 8 MFMA, 16
            vector memory, 32 its reads, 64 its writes, 128 LDS, 256 its reads, 512 its writes,
            1024 transcendentals, 2048 direct loads to LDS.

    Raises:
        OpError: The target is no AMD GPU.
        ValueError: The mask has other bits.
    """
    _check_target("amd_sched_barrier", _semantic)
    mask = constant(mask, "mask")
    if not 0 <= mask <= 0xFFF:
        raise ValueError(f"argument 'mask' must be made of the bits 0 to 11, but is {mask:#x}")
    dsl.create_op(_semantic, "tlx_sched_barrier", mask=mask)


@dsl.op("tlx", PIPELINE)
def amd_sched_group_barrier(mask, size, group=0, _semantic=None) -> None:
    """Puts the next instructions of some classes here (`llvm.amdgcn.sched.group.barrier`).

    Several of these, one behind another, are the order in which the compiler's scheduler takes
    instructions from around them.

    Args:
        mask: Classes of instructions, as the bits of `amd_sched_barrier`.
        size: How many.
        group: The order that this belongs to; one for each part of the kernel that has its own.

    Raises:
        OpError: The target is no AMD GPU.
        ValueError: The mask has other bits, or none, or the size is less than 1.
    """
    _check_target("amd_sched_group_barrier", _semantic)
    mask, size = constant(mask, "mask"), positive(size, "size")
    if not 0 < mask <= 0xFFF:
        raise ValueError(f"argument 'mask' must be made of the bits 0 to 11, but is {mask:#x}")
    dsl.create_op(
        _semantic,
        "tlx_sched_group_barrier",
        mask=mask,
        size=size,
        group=constant(group, "group"),
    )


@dsl.op("tlx", PIPELINE)
def amd_iglp_opt(variant, _semantic=None) -> None:
    """Asks for one of LLVM's ready-made schedules of matrix loops (`llvm.amdgcn.iglp.opt`).

    Args:
        variant: 0 for small GEMMs, 1 for small GEMMs of one wave, 2 and 3 for attention.

    Raises:
        OpError: The target is no AMD GPU.
        ValueError: There is no such schedule.
    """
    _check_target("amd_iglp_opt", _semantic)
    variant = constant(variant, "variant")
    if not 0 <= variant <= 3:
        raise ValueError(f"argument 'variant' must be 0, 1, 2 or 3, but is {variant}")
    dsl.create_op(_semantic, "tlx_iglp_opt", variant=variant)


@dsl.op("tlx", PIPELINE)
def assume_uniform(value, _semantic=None) -> tl.tensor:
    """Returns a scalar whose value is the same in all threads of a wave, in scalar registers.

    The compiler cannot see that of a value loaded from memory, and makes a loop over the threads of
    each buffer access through such a pointer. On NVIDIA it returns the value as it is.

    Args:
        value: Scalar of 16 bits or more, or pointer. Where threads differ, the first one counts.

    Raises:
        TypeError: The value is no such scalar.
    """
    fits = isinstance(value, tl.tensor) and not value.type.is_block()
    if not fits or not (value.type.is_ptr() or value.dtype.primitive_bitwidth >= 16):
        raise TypeError(
            f"assume_uniform needs a pointer or a scalar of 16 bits or more, but got {value!r}"
        )
    if _semantic.builder.options.backend_name != "hip":
        return value
    return tl.tensor(dsl.create_op(_semantic, "tlx_read_first_lane", value=value), value.type)


@dsl.op("tlx", PIPELINE)
def extract_slice(source, shape, offsets, _semantic=None) -> tl.tensor:
    """Returns part of a tensor in registers.

    Args:
        source: The tensor.
        shape: Shape of the part; every dimension a power of two, known at compile time.
        offsets: Where it starts; in each dimension a multiple of the part's size, known at compile
            time.

    Raises:
        ValueError: The part is not in the tensor, or does not start at a multiple of its size.
    """
    part, starts = constants(shape, "shape"), constants(offsets, "offsets")
    whole = [unwrap(size) for size in source.shape]
    if not len(part) == len(starts) == len(whole):
        raise ValueError(
            f"extract_slice takes {part} at {starts} from a tensor of {whole}; give a size and an "
            "offset for each dimension"
        )
    for axis, (size, start, extent) in enumerate(zip(part, starts, whole, strict=True)):
        if size < 1 or size & (size - 1) or start % size or not 0 <= start <= extent - size:
            raise ValueError(
                f"extract_slice takes {size} elements at {start} of {extent} in dimension {axis}; "
                "the size must be a power of two and the offset a multiple of it in the tensor"
            )
    for axis, (size, start) in enumerate(zip(part, starts, strict=True)):
        while (extent := unwrap(source.shape[axis])) > size:
            source = _half(source, axis, start // (extent // 2) % 2, _semantic)
    return source


def _half(source: tl.tensor, axis: int, index: int, semantic: Any) -> tl.tensor:
    """One of the two halves of a tensor along an axis."""
    shape = [unwrap(size) for size in source.shape]
    halves = [*shape[:axis], 2, shape[axis] // 2, *shape[axis + 1 :]]
    order = [dim for dim in range(len(halves)) if dim != axis]
    source = semantic.permute(semantic.reshape(source, halves, False), (*order, axis))
    return semantic.split(source)[index]


@dsl.op("tlx", PIPELINE)
def warp_pipeline_stage(label=None, *, priority=None, _semantic=None) -> _Stage:
    """Marks a stage of a loop that two groups of waves run in turns:

        for k in tl.range(0, steps, num_stages=0):
            with tlx.warp_pipeline_stage("read", priority=0):
                a, b = tlx.local_load(a_bufs[k % 3]), tlx.local_load(b_bufs[k % 3])
                ...  # async_load of the tiles of step k + 2, and its group
            tlx.async_load_wait_group(1)
            with tlx.warp_pipeline_stage("multiply", priority=1):
                acc = tl.dot(a, b, acc)

    While one half of a block's waves reads, the other half multiplies. The compiler puts a barrier
    of all waves between stages. A loop has two stages or more; waits stand between them, and
    everything else of the loop's body is in one of them.

    One group is a stage ahead of the other, so a tile must be complete, in all waves, one stage
    before it is read: copies run two steps ahead or more, through one buffer more than that, and
    the wait is in front of the barrier that the first group's reads follow, as above.

    Args:
        label: Name of the stage in messages.
        priority: Priority of a wave in this stage (`s_setprio`), from 0 to 3.

    Raises:
        OpError: The target is no AMD GPU.
        ValueError: The priority is out of range.
    """
    _check_target("warp_pipeline_stage", _semantic)
    label, priority = unwrap(label), unwrap(priority)
    if label is not None and not isinstance(label, str):
        raise TypeError(f"argument 'label' must be a string, but is {label!r}")
    if priority is not None and constant(priority, "priority") not in range(4):
        raise ValueError(f"argument 'priority' must be 0, 1, 2 or 3, but is {priority}")
    return _Stage(label, priority, _semantic)


class _Stage:
    """What `with tlx.warp_pipeline_stage(...)` enters and leaves."""

    def __init__(self, label: str | None, priority: int | None, semantic: Any) -> None:
        self.label = label
        self.priority = priority
        self.semantic = semantic

    def __enter__(self) -> _Stage:
        return self

    def __exit__(self, *exception: object) -> None:
        dsl.create_op(
            self.semantic,
            "tlx_warp_pipeline_border",
            label=self.label or "stage",
            priority=self.priority,
        )


def _check_target(function: str, semantic: Any) -> None:
    options = semantic.builder.options
    if options.backend_name == "hip":
        return
    raise OpError(
        function,
        f"{function} needs an AMD GPU (gfx942, gfx950), but the kernel is compiled for "
        f"{options.backend_name} {getattr(options, 'arch', '')}; guard it by tlx.is_hip()",
        dsl.file_and_line(semantic.builder.get_loc()),
    )
