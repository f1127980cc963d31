"""Launches whose grid counts blocks: `ctas_per_cga`, as TLX spells clusters elsewhere.

Triton's own `num_ctas` and `ctas_per_cga` start the same clusters; but Triton's grid counts
clusters, and the other one blocks.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from types import FunctionType
from typing import Any

import triton
from triton.runtime.jit import JITFunction


def _cluster_size(ctas_per_cga: Any) -> int:
    """Returns the number of blocks n of a cluster, given as (n, 1, 1) or n; None stands for 1."""
    if ctas_per_cga is None:
        return 1
    shape = (ctas_per_cga, 1, 1) if isinstance(ctas_per_cga, int) else tuple(ctas_per_cga)
    if len(shape) != 3 or shape[1:] != (1, 1) or shape[0] < 1:
        raise ValueError(
            f"ctas_per_cga is {ctas_per_cga!r}; Triton launches clusters along the first dimension "
            "of the grid only, so it must be (n, 1, 1)"
        )
    return shape[0]


def _per_cluster(grid: Any, size: int) -> Any:
    """Returns the grid of clusters for a grid of blocks, both also as functions."""
    if callable(grid):
        return lambda arguments: _per_cluster(grid(arguments), size)
    first, *rest = grid
    if first % size:
        raise ValueError(
            f"the grid {tuple(grid)} counts blocks, as ctas_per_cga has it, and {first} blocks are "
            f"no whole number of clusters of {size}"
        )
    return (first // size, *rest)


class _Config(triton.Config):
    """A configuration of the autotuner that may have `ctas_per_cga`."""

    def __init__(
        self, kwargs: dict[str, Any], *args: Any, ctas_per_cga: Any = None, **options: Any
    ) -> None:
        # A number among these is what a file of the autotuner's timings (TRITON_CACHE_AUTOTUNING)
        # can hold, and what it tells configurations apart by.
        size = _cluster_size(ctas_per_cga)
        kwargs = {**kwargs, "ctas_per_cga": size} if size > 1 else kwargs
        super().__init__(kwargs, *args, **options)


class _Kernel(JITFunction):
    """A kernel whose launches may have `ctas_per_cga`."""

    def run(
        self, *args: Any, grid: Any, warmup: bool, ctas_per_cga: Any = None, **kwargs: Any
    ) -> Any:
        size = _cluster_size(ctas_per_cga)
        if size > 1:
            if kwargs.get("num_ctas", 1) != 1:
                raise ValueError(
                    f"num_ctas={kwargs['num_ctas']} and ctas_per_cga={ctas_per_cga!r} both make "
                    "clusters; give one of them"
                )
            kwargs["num_ctas"] = size
            grid = _per_cluster(grid, size)
        return super().run(*args, grid=grid, warmup=warmup, **kwargs)


def _with_option(made: Any) -> Any:
    """Makes a kernel, or one that a decorator makes, take the option."""
    if isinstance(made, JITFunction):
        made.__class__ = _Kernel
        return made
    if isinstance(made, FunctionType):
        return lambda function: _with_option(made(function))
    return made


@contextlib.contextmanager
def importing() -> Iterator[None]:
    """Lets modules that are imported meanwhile use `ctas_per_cga`.

    In such a module `triton.Config` takes `ctas_per_cga=(n, 1, 1)`, and so do launches of its
    kernels, whose grid then counts blocks:

        with compat.importing():
            import their_kernels

    Afterwards Triton is as before; the module's kernels and configurations keep what they have
    learned. No other thread may make kernels meanwhile.
    """
    config, jit = triton.Config, triton.jit
    triton.Config = _Config
    triton.jit = lambda *args, **kwargs: _with_option(jit(*args, **kwargs))
    try:
        yield
    finally:
        triton.Config, triton.jit = config, jit
