"""Tells what passes this Triton runs for a target, and what pipelines make of them."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any

from triton.backends.compiler import GPUTarget, Language
from triton.compiler import make_backend
from triton.runtime.jit import JITFunction

from .activation import Activation, current_activation
from .builtin import Builtin
from .editing import Compilation
from .keys import pipeline_key
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
        PluginNotLoadedError: A pipeline runs a pass of a plugin that is not loaded.
        PipelineError: The pipelines do not fit the stages, or contradict each other.
    """
    described, stages, _ = _stages(target, options)
    edits = tuple(edit for pipeline in pipelines for edit in pipeline.edits)
    # Both check them as a compilation does; the second one changes the list of stages where they
    # say so.
    for pipeline in pipelines:
        pipeline_key(pipeline)
    Compilation(stages, described).add(edits)
    lists = passes(target, options)
    return {
        stage: place(
            lists.get(stage) or [()], [e for e in edits if e.stage == stage], stage, described
        )
        for stage in stages
    }


def default_pipelines(kernel: JITFunction) -> list[Pipeline]:
    """Returns the pipelines that the operations of plugins bring into a kernel: those of all
    operations that it or a function it calls refers to, in branches that are never compiled too."""
    found: dict[int, Pipeline] = {}
    seen: set[int] = set()
    pending: list[Any] = [kernel]
    while pending:
        value = pending.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, Builtin):
            found.setdefault(id(value.pipeline), value.pipeline)
        elif isinstance(value, JITFunction):
            scope = value.get_capture_scope()
            pending += (_referred(node, scope) for node in ast.walk(value.parse()))
    return list(found.values())


def _referred(node: ast.AST, scope: Mapping[str, Any]) -> Any:
    """What a name, or an attribute of a module, refers to in the code of a kernel."""
    if isinstance(node, ast.Name):
        return scope.get(node.id)
    if isinstance(node, ast.Attribute):
        owner = _referred(node.value, scope)
        # Attributes of anything else may be computed, and are no operations.
        return getattr(owner, node.attr, None) if isinstance(owner, ModuleType) else None
    return None


def _stages(
    target: str | GPUTarget, options: Mapping[str, Any] | None
) -> tuple[Target, dict[str, Any], dict[str, Any]]:
    gpu = parse_target(target)
    backend = make_backend(gpu)
    parsed = backend.parse_options(dict(options or {}))
    stages: dict[str, Any] = {}
    # Triton's own stages are wanted, without what is active here.
    token = current_activation.set(Activation(None, (), "").completed())
    try:
        backend.add_stages(stages, parsed, Language.TRITON)
    finally:
        current_activation.reset(token)
    return Target(gpu.backend, gpu.arch, parsed), stages, {"target": gpu, **vars(parsed)}
