"""Launches of a compiled kernel whose TMA descriptors are encoded once.

Triton encodes a kernel's descriptors at every launch, which takes the host longer than the launch.
An encoded descriptor says where a matrix is and how it is read. It keeps no memory, and is right
for whatever lies there with the same shape, strides and dtype.
"""

from __future__ import annotations

import copy
import itertools
from typing import Any

from triton import knobs
from triton.backends.nvidia.driver import make_tensordesc_arg
from triton.runtime import driver
from triton.tools.tensor_descriptor import TensorDescriptor

# The argument of a kernel: a descriptor, or a tuple of them.
Descriptors = TensorDescriptor | tuple[TensorDescriptor, ...]


class Launcher:
    """Launches a kernel on the current stream of the device that it was compiled on."""

    def __init__(self, kernel: Any, grid: tuple[int, int, int]) -> None:
        """Takes over how Triton launches the kernel, but for its descriptors.

        Args:
            kernel: What a launch of a `triton.jit` function has returned.
            grid: Programs along each axis.
        """
        active = driver.active
        self._kernel = kernel
        self._grid = grid
        self._device = active.get_current_device()
        self._current_device = active.get_current_device
        self._set_device = active.set_current_device
        self._stream = active.get_current_stream
        self._launch = active.utils.launch
        # Triton's launcher without the step that encodes descriptors among the arguments.
        self._run = run = copy.copy(kernel.run)
        run.launch = self._launch
        self._handles = kernel.function, kernel.packed_metadata
        self._needs_more = run.global_scratch_size or run.profile_scratch_size or run.gsan_enabled
        # What a launch without scratch memory and hooks passes on between stream and arguments.
        self._options = (
            kernel.function, run.launch_cooperative_grid, run.launch_pdl, kernel.packed_metadata,
            None, None, None, None, None, run.arg_annotations, run.kernel_signature,
        )  # fmt: skip

    def encoded(self, *descriptors: Descriptors) -> tuple[Any, ...]:
        """The arguments that stand for the kernel's descriptors, all of them in their order."""
        groups = [each if isinstance(each, tuple) else (each,) for each in descriptors]
        found = zip(itertools.chain(*groups), self._kernel.metadata.tensordesc_meta, strict=True)
        encoded = iter([make_tensordesc_arg(*pair, None) for pair in found])
        arguments: list[Any] = []
        for each, group in zip(descriptors, groups, strict=True):
            parts = [part for _ in group for part in next(encoded)]
            arguments += [tuple(parts)] if isinstance(each, tuple) else parts
        return tuple(arguments)

    def __call__(self, *args: Any) -> None:
        """Launches the kernel.

        Args:
            args: All arguments, constants as well, with what `encoded` returned for descriptors.
        """
        current = self._current_device()
        if current == self._device:
            self._launch_on_current_device(args)
            return
        self._set_device(self._device)
        try:
            self._launch_on_current_device(args)
        finally:
            self._set_device(current)

    def _launch_on_current_device(self, args: tuple[Any, ...]) -> None:
        stream = self._stream(self._device)
        enter, leave = knobs.runtime.launch_enter_hook, knobs.runtime.launch_exit_hook
        # Triton has chains of hooks there, which are mostly empty, and users put functions.
        hooked = getattr(enter, "calls", enter) or getattr(leave, "calls", leave)
        if hooked or self._needs_more:
            metadata = self._kernel.launch_metadata(self._grid, stream)
            self._run(*self._grid, stream, *self._handles, metadata, enter, leave, *args)
        else:
            self._launch(*self._grid, stream, *self._options, args)
