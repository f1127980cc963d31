"""Launches of a compiled kernel whose TMA descriptors are encoded once.

Triton encodes a kernel's descriptors at every launch, which takes the host longer than the launch.
An encoded descriptor says where a matrix is and how it is read. It keeps no memory, and is right
for whatever lies there with the same shape, strides and dtype.
"""

from __future__ import annotations

import copy
from typing import Any

from triton import knobs
from triton.backends.nvidia.driver import make_tensordesc_arg
from triton.runtime import driver
from triton.tools.tensor_descriptor import TensorDescriptor


class Launcher:
    """Launches a kernel on the current stream."""

    def __init__(self, kernel: Any, grid: tuple[int, int, int]) -> None:
        """Takes over how Triton launches the kernel, but for its descriptors.

        Args:
            kernel: What a launch of a `triton.jit` function returns.
            grid: Programs along each axis.
        """
        self._kernel = kernel
        self._grid = grid
        self._run = copy.copy(kernel.run)
        # Triton's launcher without the step that encodes descriptors among the arguments.
        self._run.launch = driver.active.utils.launch
        self._handles = kernel.function, kernel.packed_metadata

    def encoded(self, *descriptors: TensorDescriptor) -> tuple[Any, ...]:
        """The arguments that stand for the kernel's descriptors, all of them in their order."""
        found = zip(descriptors, self._kernel.metadata.tensordesc_meta, strict=True)
        return tuple(part for pair in found for part in make_tensordesc_arg(*pair, None))

    def __call__(self, *args: Any) -> None:
        """Launches the kernel.

        Args:
            args: All arguments, constants as well, with what `encoded` returned for descriptors.
        """
        active = driver.active
        stream = active.get_current_stream(active.get_current_device())
        hooks = knobs.runtime.launch_enter_hook, knobs.runtime.launch_exit_hook
        metadata = self._kernel.launch_metadata(self._grid, stream)
        self._run(*self._grid, stream, *self._handles, metadata, *hooks, *args)
