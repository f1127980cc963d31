"""What a pipeline can be told about the GPU that a kernel is compiled for."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from triton.backends.compiler import GPUTarget

from .errors import PipelineError


@dataclass(frozen=True)
class Target:
    """The target of one compilation.

    Attributes:
        backend: "cuda" or "hip".
        arch: Compute capability (90) or processor ("gfx942").
        options: The backend's options (num_warps, num_stages, ...), as Triton parsed them.
    """

    backend: str
    arch: int | str
    options: Any = None

    def __str__(self) -> str:
        return f"{self.backend}:{self.arch}"


@dataclass(frozen=True)
class On:
    """A predicate that holds on one backend, on some of its architectures, for some options."""

    backend: str
    archs: tuple[int | str, ...] = ()
    options: tuple[tuple[str, Any], ...] = ()

    def __call__(self, target: Target) -> bool:
        if target.backend != self.backend or (self.archs and target.arch not in self.archs):
            return False
        return all(self._option(target, name) == value for name, value in self.options)

    def _option(self, target: Target, name: str) -> Any:
        try:
            return getattr(target.options, name)
        except AttributeError:
            known = ", ".join(vars(target.options)) if target.options is not None else "none"
            raise PipelineError(
                f"A predicate asks for the option {name!r} on {target}, which has no such option. "
                f"Its options are: {known}."
            ) from None


def on(backend: str, *archs: int | str, **options: Any) -> On:
    """Returns a `when` predicate. Any function of a `Target` is one, too.

    Args:
        backend: "cuda" or "hip".
        archs: Compute capabilities (90) or processors ("gfx942"); none means every one.
        options: Values that options must have, for example num_warps=8.
    """
    return On(backend, archs, tuple(options.items()))


def parse_target(target: str | GPUTarget) -> GPUTarget:
    """Returns a Triton target for "cuda:90", "sm_90a", "hip:gfx942" or "gfx942".

    Raises:
        PipelineError: The text names no target.
    """
    if isinstance(target, GPUTarget):
        return target
    if found := re.fullmatch(r"(?:cuda:|sm_?)(\d{2,3})[af]?", target):
        return GPUTarget("cuda", int(found.group(1)), 32)
    if found := re.fullmatch(r"(?:hip:)?(gfx(\d+)[0-9a-f]{2}(?:-strict)?)", target):
        # RDNA (gfx10 and up) runs waves of 32 lanes, GCN and CDNA of 64.
        return GPUTarget("hip", found.group(1), 32 if int(found.group(2)) >= 10 else 64)
    raise PipelineError(
        f"{target!r} is no target. Write cuda:90 or sm_90 for an NVIDIA GPU, hip:gfx942 or gfx942 "
        "for an AMD one."
    )
