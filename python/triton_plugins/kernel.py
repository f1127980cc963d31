"""`use`: a kernel that always compiles under a pipeline."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from triton.runtime.jit import KernelInterface

from . import activate
from .errors import PipelineError
from .pipeline import Pipeline


class PipelineKernel(KernelInterface):
    """A kernel with a pipeline. Everything but launching is the kernel's own.

    Attributes:
        fn: The kernel below, as Triton's own wrappers call it.
        pipeline: The pipeline.
    """

    def __init__(self, fn: Any, pipeline: Pipeline) -> None:
        self.fn = fn
        self.pipeline = pipeline
        self.__doc__ = fn.__doc__

    def run(self, *args: Any, **kwargs: Any) -> Any:
        """Launches or compiles the kernel under the pipeline."""
        activate.enter(self.pipeline)
        try:
            return self.fn.run(*args, **kwargs)
        finally:
            activate.leave()

    def warmup(self, *args: Any, **kwargs: Any) -> Any:
        """Compiles the kernel under the pipeline without launching it."""
        activate.enter(self.pipeline)
        try:
            return self.fn.warmup(*args, **kwargs)
        finally:
            activate.leave()

    def __getattr__(self, name: str) -> Any:
        if name == "fn":
            # Asked for before __init__ ran, while unpickling.
            raise AttributeError(name)
        return getattr(self.fn, name)

    def __repr__(self) -> str:
        return f"PipelineKernel({self.fn!r}, {self.pipeline.name!r})"


def use(pipeline: Pipeline) -> Callable[[Any], PipelineKernel]:
    """Returns a decorator that makes a kernel compile under a pipeline.

    It goes above `@triton.jit`, above or below `@triton.autotune` and `@triton.heuristics`. The
    kernel without the decorator stays as it is, so `triton_plugins.use(pipeline)(kernel)` gives a
    second kernel from a first.

    Args:
        pipeline: The pipeline.

    Raises:
        PipelineError: What is decorated is no kernel.
    """
    if not isinstance(pipeline, Pipeline):
        raise PipelineError(
            f"use() takes a Pipeline, not {pipeline!r}. Write @triton_plugins.use(pipeline) above "
            "@triton.jit."
        )

    def decorate(kernel: Any) -> PipelineKernel:
        if not isinstance(kernel, KernelInterface):
            raise PipelineError(
                f"use() decorates a kernel, and {kernel!r} is none. Write "
                "@triton_plugins.use(pipeline) above @triton.jit."
            )
        return PipelineKernel(kernel, pipeline)

    return decorate
