"""Operations by which kernels steer a scheduler or register allocator that stock Triton has not.

They check their arguments and give the same values as with it; LLVM places and schedules.
"""

from __future__ import annotations

from typing import Any

import triton
import triton.language as tl

from triton_plugins import dsl

from .arguments import constant, unwrap
from .pipeline import PIPELINE


@dsl.op("tlx", PIPELINE)
def amd_register_resident(
    value, register_class="agpr", registers_per_group=1, _semantic=None
) -> tl.tensor:
    """Returns a tensor that is wished to stay in registers of a class.

    Args:
        value: The tensor.
        register_class: "agpr" or "vgpr".
        registers_per_group: Registers that belong together.
    """
    _check_register_class(register_class)
    constant(registers_per_group, "registers_per_group")
    return _tensor(value, "value")


@dsl.op("tlx", PIPELINE)
def amd_register_class_anchor(value, register_class="vgpr", _semantic=None) -> tl.tensor:
    """Returns a tensor that is wished to be in registers of a class, "agpr" or "vgpr", here."""
    _check_register_class(register_class)
    return _tensor(value, "value")


@dsl.op("tlx", PIPELINE)
def amd_scheduled_mfma(
    a,
    b,
    acc,
    accumulator_role,
    resident_operand=None,
    accumulator_register_class=None,
    initialize=False,
    _semantic=None,
) -> tl.tensor:
    """Returns `a @ b + acc`, as `tl.dot` does.

    Args:
        a: Tensor of shape (M, K).
        b: Tensor of shape (K, N).
        acc: Tensor of shape (M, N).
        accumulator_role: "transient" or "persistent".
        resident_operand: 0 or 1 for the operand that is wished to stay in registers.
        accumulator_register_class: "agpr" or "vgpr".
        initialize: Whether the product starts from zero instead of `acc`.
    """
    if unwrap(accumulator_role) not in ("transient", "persistent"):
        raise ValueError(
            'argument \'accumulator_role\' must be "transient" or "persistent", but is '
            f"{unwrap(accumulator_role)!r}"
        )
    if unwrap(resident_operand) not in (None, 0, 1):
        raise ValueError(
            f"argument 'resident_operand' must be None, 0 or 1, but is {unwrap(resident_operand)!r}"
        )
    if unwrap(accumulator_register_class) is not None:
        _check_register_class(accumulator_register_class)
    acc = _tensor(acc, "acc")
    if unwrap(initialize):
        acc = _semantic.full([unwrap(size) for size in acc.shape], 0, acc.dtype)
    return tl.dot(a, b, acc, out_dtype=acc.dtype, _semantic=_semantic)


@dsl.op("tlx", PIPELINE)
def amd_mfma_commit(value, preserve=None, _semantic=None) -> Any:
    """Marks where products are wished to have ended; returns what it is given.

    Args:
        value: A tensor or a tuple of tensors.
        preserve: A tensor that is wished to stay in registers until here.

    Returns:
        `value`; with `preserve` a tuple of all.
    """
    several = isinstance(value, (list, tuple, tl.tuple))
    values = list(value) if several else [value]
    if preserve is None:
        return tl.tuple(values) if several else value
    return tl.tuple([*values, preserve])


@dsl.op("tlx", PIPELINE)
def rematerialized_range(start, end, identity, placement=None, _semantic=None) -> tl.tensor:
    """Returns `tl.arange(start, end)`, which is wished to be made anew for each `identity`."""
    constant(identity, "identity")
    return _semantic.arange(constant(start, "start"), constant(end, "end"))


@triton.jit
def warp_any(pred):
    """Returns whether a predicate holds anywhere in a tensor of bools."""
    return tl.max(pred.to(tl.int32)) != 0


@dsl.op("tlx", PIPELINE)
def warp_predicate(
    predicate, inits, body, args=(), wave_uniform=False, _semantic=None, _generator=None
) -> Any:
    """Returns `body(*inits, *args)` where a predicate holds, and `inits` elsewhere.

    All threads run the body, which must not depend on which do.

    Args:
        predicate: Scalar or tensor of bools, whose dimensions are the first ones of the carried
            values.
        inits: A tensor or a tuple of tensors that the body carries.
        body: A jitted function that returns as many values.
        args: More arguments of the body.
        wave_uniform: Whether the predicate is the same in all threads of a wave.

    Returns:
        A tensor, or a tuple of as many as there are `inits`.
    """
    carried = list(inits) if isinstance(inits, (list, tuple, tl.tuple)) else [inits]
    more = list(args) if isinstance(args, (list, tuple, tl.tuple)) else [args]
    made = _generator.call_JitFunction(body, [*carried, *more], {})
    results = list(made) if isinstance(made, (list, tuple, tl.tuple)) else [made]
    if len(results) != len(carried):
        raise TypeError(
            f"the body of warp_predicate returns {len(results)} values, but carries {len(carried)}"
        )
    merged = []
    for before, after in zip(carried, results, strict=True):
        where = _semantic.to_tensor(predicate)
        while where.type.is_block() and len(where.shape) < len(before.shape):
            where = _semantic.expand_dims(where, len(where.shape))
        merged.append(_semantic.where(where, after, before))
    return merged[0] if len(merged) == 1 else tl.tuple(merged)


def _tensor(value: Any, name: str) -> tl.tensor:
    if isinstance(value, tl.tensor):
        return value
    raise TypeError(f"argument '{name}' must be a tensor, but is {value!r}")


def _check_register_class(register_class: Any) -> None:
    if unwrap(register_class) not in ("agpr", "vgpr"):
        raise ValueError(
            'argument \'register_class\' must be "agpr" or "vgpr", but is '
            f"{unwrap(register_class)!r}"
        )
