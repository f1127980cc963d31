"""Puts edits into the stages of one compilation."""

from __future__ import annotations

import contextvars
import sys
from types import FrameType
from typing import Any, NoReturn

from triton.compiler import compiler

from .activation import Activation
from .edits import Edit, contradiction
from .errors import OpError, PipelineError
from .pipeline import Pipeline
from .stages import EditedStage
from .target import Target


class Compilation:
    """The stages of one compilation and the edits that are in them.

    Attributes:
        stages: Triton's dict of stage functions, which is changed in place.
        target: What is compiled for.
        activation: The activation that the compilation runs under, or None.
        edits: All edits, also those that don't apply to the target.
    """

    def __init__(
        self, stages: dict[str, Any], target: Target, activation: Activation | None = None
    ) -> None:
        self.stages = stages
        self.target = target
        self.edits: list[Edit] = []
        self._observer = activation.observer if activation else None
        # Another hook may wrap what is put into the stages, so it is remembered here as well.
        self._edited: dict[str, EditedStage] = {}
        self._pipeline: Edit | None = None
        if activation is not None:
            self.add(activation.edits)
        if self._observer is not None:
            self._announce()

    def add(self, edits: tuple[Edit, ...]) -> None:
        """Adds edits inside those that are there.

        Raises:
            PipelineError: An edit names a stage that does not exist, or contradicts another one.
        """
        self.edits += edits
        active = [edit for edit in edits if edit.when is None or edit.when(self.target)]
        for edit in active:
            if edit.kind == "override_pipeline":
                self._override(edit)
        for edit in active:
            if edit.kind != "override_pipeline":
                self._edited_stage(edit).edits.append(edit)
        for name, function in self.stages.items():
            if function is _missing:
                raise PipelineError(
                    f"Pipeline {self._pipeline.owner!r} says {self._pipeline}, but nothing says "
                    f"what the stage {name!r} runs, and Triton has no such stage for "
                    f"{self.target}. Give it a function."
                )

    def _edited_stage(self, edit: Edit) -> EditedStage:
        name = edit.stage
        if name not in self.stages:
            by = f" Pipeline {self._pipeline.owner!r} chose them." if self._pipeline else ""
            raise PipelineError(
                f"Pipeline {edit.owner!r} says {edit}, but a compilation for {self.target} has no "
                f"such stage. Its stages are: {', '.join(self.stages)}.{by}"
            )
        if self.stages[name] is _missing and edit.kind != "override_stage":
            raise PipelineError(
                f"Pipeline {edit.owner!r} says {edit}, but Triton has no such stage for "
                f"{self.target} in which steps could run. Give it a function first."
            )
        if name not in self._edited:
            made = EditedStage(self.stages[name], name, self.target, self._observer)
            self.stages[name] = self._edited[name] = made
        return self._edited[name]

    def _override(self, edit: Edit) -> None:
        if self._pipeline is not None:
            if self._pipeline.stages != edit.stages:
                raise contradiction(self._pipeline, edit, "the list of stages")
            return
        first, *_, last = self.stages
        if not edit.stages or (edit.stages[0], edit.stages[-1]) != (first, last):
            raise PipelineError(
                f"Pipeline {edit.owner!r} says {edit}, but a compilation for {self.target} starts "
                f"with {first!r} and ends with {last!r}. Name these two first and last."
            )
        for name, edited in self._edited.items():
            if name not in edit.stages:
                raise contradiction(edited.edits[0], edit, f"the stage {name!r}")
        self._pipeline = edit
        replaced = {name: self.stages.get(name, _missing) for name in edit.stages}
        self.stages.clear()
        self.stages.update(replaced)

    def _announce(self) -> None:
        """Lets the first stage tell the observer that a compilation starts."""
        first = next(iter(self.stages))
        function, begin = self.stages[first], self._observer.begin

        def announced(source: Any, metadata: dict[str, Any]) -> Any:
            begin(metadata)
            return function(source, metadata)

        self.stages[first] = announced


def _missing(source: Any, metadata: dict[str, Any]) -> NoReturn:
    """Stands for a stage that Triton does not have and that an edit must fill."""
    raise AssertionError("a stage without a function is an error before it runs")


_latest: contextvars.ContextVar[Compilation | None] = contextvars.ContextVar(
    "triton_plugins_compilation", default=None
)


def edit_stages(activation: Activation, backend: Any, stages: dict[str, Any], options: Any) -> None:
    """Puts the edits of an activation into the stages of a compilation that starts."""
    target = Target(backend.target.backend, backend.target.arch, options)
    _latest.set(Compilation(stages, target, activation))


def add_default(pipeline: Pipeline, op: str) -> None:
    """Adds a plugin's pipeline to the compilation that is creating the IR of a kernel, innermost.
    Does nothing if it is there already, or any part of it.

    Triton builds the dict of stages before it creates the IR and runs the stages after that, so an
    op that is created in between can still add to them. The dict is a local variable of
    `triton.compile`, which is on the stack; nothing else leads to it.

    Args:
        pipeline: The pipeline.
        op: The op that needs it, for messages.

    Raises:
        OpError: This Triton keeps its stages elsewhere.
        PipelineError: An edit does not fit.
    """
    frame = _compiling()
    if frame is None:
        # Somebody only creates IR, for example to look at it, and runs no stage.
        return
    local = frame.f_locals
    stages = local.get("stages")
    if not isinstance(stages, dict) or "target" not in local or "options" not in local:
        raise OpError(
            op,
            "its plugin's passes cannot be added to this kernel, because this Triton compiles in "
            f"another way than 3.9. Put @triton_plugins.use(...) with the plugin's pipeline "
            f"({pipeline.name!r}) above the kernel's @triton.jit",
        )
    compilation = _latest.get()
    if compilation is None or compilation.stages is not stages:
        target = local["target"]
        compilation = Compilation(stages, Target(target.backend, target.arch, local["options"]))
        _latest.set(compilation)
    if not any(edit in compilation.edits for edit in pipeline.edits):
        compilation.add(pipeline.edits)


def _compiling() -> FrameType | None:
    """The frame of the innermost `triton.compile`, found by its name and module: a wrapper may have
    taken its place there."""
    frame = sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_name == "compile" and frame.f_globals is vars(compiler):
            return frame
        frame = frame.f_back
    return None
