"""Hints to bring data into the caches."""

from __future__ import annotations

import triton.language as tl

from triton_plugins import dsl

from .arguments import check_nvidia, needs_hopper, unwrap
from .pipeline import PIPELINE


@dsl.op("tlx", PIPELINE)
def prefetch(pointer, level="L2", mask=None, tensormap=False, _semantic=None) -> None:
    """Starts to bring data into a cache; nobody waits for it.

    Each element costs an instruction, so point to one in every 32 bytes that are wanted.

    Args:
        pointer: A pointer or tensor of pointers. With `tensormap` a tensor descriptor, which is
            itself brought into the cache that copies read it from.
        level: "L2", or "L1" for both (PTX ISA, "prefetch").
        mask: Bool or tensor of bools of the pointers' shape; others are left out.
        tensormap: Whether a descriptor is meant.

    Raises:
        OpError: The GPU has no such instruction.
        ValueError: The level is another.
    """
    if unwrap(tensormap):
        needs_hopper("prefetch with tensormap=True", "TMA", "leave it out there", _semantic)
        if not isinstance(pointer, tl.core.tensor_descriptor_base):
            raise TypeError(f"prefetch of a tensormap takes a descriptor, but got {pointer!r}")
        dsl.create_op(_semantic, "tlx_prefetch_descriptor", descriptor=pointer.handle)
        return
    level = unwrap(level)
    if level not in ("L1", "L2"):
        raise ValueError(f"argument 'level' must be 'L1' or 'L2', but is {level!r}")
    check_nvidia("prefetch", _semantic)
    arguments = [pointer.to(tl.int64, bitcast=True, _semantic=_semantic)]
    guard, constraints = "", "=r,l"
    if unwrap(mask) is not None:
        wanted = _semantic.not_equal(_semantic.to_tensor(unwrap(mask)), 0)
        arguments.append(wanted.to(tl.int32, _semantic=_semantic))
        guard, constraints = "@p ", "=r,l,r"
    check = "setp.ne.b32 p, $2, 0; " if guard else ""
    tl.inline_asm_elementwise(
        f"{{ .reg .pred p; {check}{guard}prefetch.global.{level} [$1]; mov.u32 $0, 0; }}",
        constraints,
        arguments,
        dtype=tl.int32,
        is_pure=False,
        pack=1,
        _semantic=_semantic,
    )
