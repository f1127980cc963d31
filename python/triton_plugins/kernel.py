"""`use`: a kernel that always compiles under a pipeline.

The result is a kernel of Triton's own kind with a cache of its own. It differs only where it
compiles, so a warm launch costs what it costs without us.
"""

from __future__ import annotations

import copy
import functools
from collections import defaultdict
from collections.abc import Callable
from typing import Any

from triton.runtime.jit import JITFunction, KernelInterface

from . import activate
from .errors import PipelineError
from .keys import digest, pipeline_key
from .pipeline import Pipeline


class PipelineKernel:
    """Mixed into the class of a kernel: compiles it under pipelines.

    Attributes:
        pipelines: The pipelines, from the outermost to the innermost.
    """

    pipelines: tuple[Pipeline, ...] = ()

    @property
    def cache_key(self) -> str:
        """The key of the kernel's source and pipelines; timings that the autotuner keeps hang on it
        too."""
        return digest(super().cache_key, *(pipeline_key(pipeline) for pipeline in self.pipelines))

    def _do_compile(self, *args: Any, **kwargs: Any) -> Any:
        with activate.activated(self.pipelines):
            return super()._do_compile(*args, **kwargs)


@functools.cache
def _kernel_class(cls: type[JITFunction]) -> type[JITFunction]:
    return type(cls.__name__, (PipelineKernel, cls), {"__module__": cls.__module__})


def _with_pipeline(kernel: Any, pipeline: Pipeline) -> Any:
    """A copy of a kernel that compiles under one more pipeline; of a wrapper, a copy around such a
    copy."""
    made = copy.copy(kernel)
    if not isinstance(kernel, JITFunction):
        made.fn = _with_pipeline(kernel.fn, pipeline)
        if hasattr(kernel, "cache"):
            # The autotuner's choices: another pipeline may favour another configuration.
            made.cache = {}
        return made
    if not isinstance(kernel, PipelineKernel):
        made.__class__ = _kernel_class(type(kernel))
    made.pipelines = (pipeline, *getattr(kernel, "pipelines", ()))
    made.device_caches = defaultdict(made.create_binder)
    made.pre_run_hooks = list(kernel.pre_run_hooks)
    return made


def use(pipeline: Pipeline) -> Callable[[Any], Any]:
    """Returns a decorator that makes a kernel compile under a pipeline.

    It goes above `@triton.jit`, above or below `@triton.autotune` and `@triton.heuristics`. The
    decorated kernel stays as it is and a copy is returned, so
    `triton_plugins.use(pipeline)(kernel)` gives a second kernel beside the first.

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

    def decorate(kernel: Any) -> Any:
        if not isinstance(kernel, KernelInterface):
            raise PipelineError(
                f"use() decorates a kernel, and {kernel!r} is none. Write "
                "@triton_plugins.use(pipeline) above @triton.jit."
            )
        if not isinstance(innermost(kernel), JITFunction):
            # Triton's interpreter runs the Python function and no pass at all.
            return kernel
        return _with_pipeline(kernel, pipeline)

    return decorate


def innermost(kernel: Any) -> Any:
    """Returns the function below Triton's wrappers, or None if there is none."""
    while isinstance(kernel, KernelInterface) and not isinstance(kernel, JITFunction):
        kernel = getattr(kernel, "fn", None)
    return kernel
