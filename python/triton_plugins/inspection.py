"""Tells what passes this Triton runs for a target, and what pipelines make of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from triton.backends.compiler import GPUTarget, Language
from triton.compiler import make_backend

from .pipeline import Pipeline
from .plan import Placed, StockPass, place
from .stages import stage_passes
from .target import Target, parse_target

# The later stages turn text into text.
_IR_STAGES = ("ttir", "ttgir", "llir")


def passes(
    target: str | GPUTarget, options: Mapping[str, Any] | None = None
) -> dict[str, list[tuple[StockPass, ...]]]:
    """Returns the passes of every stage, one tuple for each pass manager of the stage; none for
    stages that work on text.

    Args:
        target: "cuda:90", "hip:gfx942", or a Triton `GPUTarget`.
        options: num_warps, num_stages, ...
    """
    described, stages, metadata = _stages(target, options)
    return {
        stage: stage_passes(function, stage, described, metadata) if stage in _IR_STAGES else []
        for stage, function in stages.items()
    }


def planned(
    target: str | GPUTarget,
    pipelines: Sequence[Pipeline],
    options: Mapping[str, Any] | None = None,
) -> dict[str, list[list[Placed]]]:
    """Returns what every stage runs under some pipelines, removed passes included.

    Args:
        target: As for `passes`.
        pipelines: The pipelines, from the outermost to the innermost.
        options: As for `passes`.

    Raises:
        PipelineError: The pipelines do not fit the stages, or contradict each other.
    """
    described, _, _ = _stages(target, options)
    edits = [edit for pipeline in pipelines for edit in pipeline.edits]
    return {
        stage: place(
            lists or [()], [edit for edit in edits if edit.stage == stage], stage, described
        )
        for stage, lists in passes(target, options).items()
    }


def _stages(
    target: str | GPUTarget, options: Mapping[str, Any] | None
) -> tuple[Target, dict[str, Any], dict[str, Any]]:
    gpu = parse_target(target)
    backend = make_backend(gpu)
    parsed = backend.parse_options(dict(options or {}))
    stages: dict[str, Any] = {}
    backend.add_stages(stages, parsed, Language.TRITON)
    return Target(gpu.backend, gpu.arch, parsed), stages, {"target": gpu, **vars(parsed)}
