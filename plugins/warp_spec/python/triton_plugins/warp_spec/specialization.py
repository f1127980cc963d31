"""`specialize`, the decorator."""

from __future__ import annotations

from typing import Any

import triton_plugins

from .pipeline import make_pipeline


def specialize(
    kernel: Any = None,
    *,
    buffers: int = 0,
    producer_registers: int = 0,
    strict: bool = False,
) -> Any:
    """Makes a kernel one whose loops are specialized; goes above `@triton.jit`.

    Works bare, `@specialize`, and with options. The kernel runs with `num_warps=4` or 8, which
    are the warps that consume; the producer's are added.

    Args:
        kernel: The kernel, when used bare.
        buffers: Most stages of a channel, at least 2; fewer where shared memory asks for it. 0
            takes the kernel's `num_stages`.
        producer_registers: Registers of a producer's thread, 24 to 240; 0 lets the model choose.
            The consumers get what is left of the 64K.
        strict: A loop that can't be specialized is an error of the compilation.

    Raises:
        ValueError: A number is out of its range.
        PipelineError: What is decorated is no kernel.
    """
    if buffers < 0 or buffers == 1:
        raise ValueError(f"buffers={buffers}: a channel needs 2 stages or more, or 0 to choose")
    if producer_registers and not 24 <= producer_registers <= 240:
        raise ValueError(
            f"producer_registers={producer_registers}: setmaxnreg takes 24 to 240, or 0 to choose"
        )
    decorate = triton_plugins.use(make_pipeline(buffers, producer_registers, strict))
    return decorate if kernel is None else decorate(kernel)
