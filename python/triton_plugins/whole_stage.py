"""Runs stages as they are, with functions around them: stages that work on text, and functions that
take the place of a stage."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from triton._C.libtriton import ir

from .edits import Edit, Step
from .errors import PipelineError
from .plan import Placed
from .steps import run_step

if TYPE_CHECKING:
    from .stages import StageRun


def run_whole_stage(
    run: StageRun,
    function: Callable[[Any, dict[str, Any]], Any],
    override: Edit | None,
    source: Any,
    metadata: dict[str, Any],
) -> Any:
    """Runs a stage function between the steps that are prepended and appended to its stage.

    Args:
        run: The stage, with edits that apply to its target.
        function: The function.
        override: The edit that put the function in the place of Triton's, or None.
        source: The stage's input.
        metadata: The compilation's metadata.

    Raises:
        PipelineError: An edit needs passes, or the function returned nothing.
    """
    for edit in run.edits:
        if edit.anchored or edit.kind == "override_passes":
            raise _no_passes(run, edit)
    result = function(_around(run, "prepend", source), metadata)
    if result is None:
        where = f"Pipeline {override.owner!r} says {override}, but it" if override else "It"
        raise PipelineError(
            f"{where} returned nothing for kernel {run.kernel!r}. What stands for the stage "
            f"{run.stage!r} is called with its input and the metadata and must return its output."
        )
    return _around(run, "append", result)


def _around(run: StageRun, kind: str, value: Any) -> Any:
    for edit in run.edits:
        if edit.kind == kind:
            for step in edit.steps:
                value = _step(run, edit, step, value)
    return value


def _step(run: StageRun, edit: Edit, step: Step, value: Any) -> Any:
    if isinstance(value, ir.module):
        entry = Placed(step=step, owner=edit.owner)
        run_step(run, entry, value, lambda: ir.pass_manager(value.context), run.stage)
        return value
    if isinstance(step.run, str):
        raise _no_passes(run, edit)
    try:
        return step.run(value)
    except Exception as error:
        error.add_note(
            f"Kernel {run.kernel!r}, stage {run.stage!r}: the function {step.label!r} of pipeline "
            f"{edit.owner!r} failed."
        )
        raise


def _no_passes(run: StageRun, edit: Edit) -> PipelineError:
    return PipelineError(
        f"Pipeline {edit.owner!r} says {edit}, but the stage {run.stage!r} works on text and runs "
        "no passes. Only functions can be prepended or appended there, or override it."
    )
