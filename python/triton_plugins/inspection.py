"""Tells what passes this Triton runs for a target."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from triton.backends.compiler import GPUTarget, Language
from triton.compiler import make_backend

from .plan import StockPass
from .stages import stage_passes
from .target import Target, parse_target

# The later stages turn text into text.
_IR_STAGES = ("ttir", "ttgir", "llir")


def passes(
    target: str | GPUTarget, options: Mapping[str, Any] | None = None
) -> dict[str, list[tuple[StockPass, ...]]]:
    """Returns the passes of every stage that has any, one tuple for each pass manager of the stage.

    Args:
        target: "cuda:90", "hip:gfx942", or a Triton `GPUTarget`.
        options: num_warps, num_stages, ...
    """
    gpu = parse_target(target)
    backend = make_backend(gpu)
    parsed = backend.parse_options(dict(options or {}))
    stages: dict[str, Any] = {}
    backend.add_stages(stages, parsed, Language.TRITON)
    described = Target(gpu.backend, gpu.arch, parsed)
    metadata = {"target": gpu, **vars(parsed)}
    return {
        stage: stage_passes(function, stage, described, metadata)
        for stage, function in stages.items()
        if stage in _IR_STAGES
    }
