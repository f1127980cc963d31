"""Runs a stage of Triton's compiler under edits.

The stage function runs as a copy (see rehome.py) in which `ir.pass_manager` makes a recorder. The
recorder notes the passes that the stage adds; when the stage runs it, it places the edits among
them and feeds real pass managers. A first, dry run without a module tells all passes of the stage
beforehand, so that "last" and a missing anchor are known before anything is changed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from triton._C.libtriton import ir

from .errors import PassError, PipelineError
from .pipeline import Edit, Step
from .plan import Placed, StockPass, place
from .recorder import Recorder, recording_rehomer
from .steps import Observer, run_step
from .target import Target

StageFunction = Callable[[Any, dict[str, Any]], Any]


@dataclass
class StageRun:
    """One run of one stage.

    Attributes:
        stage: Name of the stage.
        target: What is compiled for.
        edits: The edits of this stage, in order.
        observer: Told about every step, or None.
        dry: Only records the passes.
        kernel: Name of the kernel, for messages.
        compilation: Hash that tells this compilation from others.
        lists: The passes of each pass manager; from a dry run, then of what really ran.
        ran: Number of pass managers that ran.
    """

    stage: str
    target: Target
    edits: tuple[Edit, ...] = ()
    observer: Observer | None = None
    dry: bool = False
    kernel: str = ""
    compilation: str = ""
    lists: list[tuple[StockPass, ...]] = field(default_factory=list)
    ran: int = 0

    def call(self, function: StageFunction, source: Any, metadata: dict[str, Any]) -> Any:
        """Calls a copy of the stage function with recorders for pass managers."""
        return recording_rehomer(self.run_manager).callable(function)(source, metadata)

    def run_manager(self, recorder: Recorder, module: ir.module, name: str) -> None:
        """Runs what a recorder holds, with the edits that fall into it."""
        recorded = tuple(recorder.passes)
        if self.dry:
            self.lists.append(recorded)
            return
        index = self.ran
        self.ran += 1
        # The dry run saw the same passes, unless the stage looks at the module; what it adds now is
        # what counts.
        self.lists[index : index + 1] = [recorded]
        entries = place(self.lists, self.edits, self.stage, self.target)[index]
        self._run_entries(
            recorder, [entry for entry in entries if entry.removed_by is None], module, name
        )

    def _run_entries(
        self, recorder: Recorder, entries: Sequence[Placed], module: ir.module, name: str
    ) -> None:
        pending: list[StockPass] = []
        last_step = ""
        for entry in entries:
            if entry.stock is not None:
                pending.append(entry.stock)
                continue
            self._run_stock(recorder, pending, module, name, last_step)
            pending = []
            run_step(self, entry, module, recorder.real_manager, name)
            last_step = entry.name
        self._run_stock(recorder, pending, module, name, last_step)

    def _run_stock(
        self,
        recorder: Recorder,
        passes: Sequence[StockPass],
        module: ir.module,
        name: str,
        last_step: str,
    ) -> None:
        if not passes:
            return
        manager = recorder.real_manager()
        for stock in passes:
            stock.add(manager)
        try:
            manager.run(module, name)
        except RuntimeError as error:
            owners = ", ".join(dict.fromkeys(repr(edit.owner) for edit in self.edits))
            after = f", on what the step {last_step!r} left" if last_step else ""
            raise PassError(
                f"Kernel {self.kernel!r}, stage {self.stage!r}: a pass of Triton failed under the "
                f"pipeline {owners}{after} ({error}; stderr says which pass and why)."
            ) from error


class _NoModule:
    """Stands in for the module in a dry run: answers None to every question, and no C++ function
    accepts it."""

    def __init__(self) -> None:
        self.context = ir.context()

    def __getattr__(self, name: str) -> Callable[..., None]:
        return lambda *args, **kwargs: None


def stage_passes(
    function: StageFunction, stage: str, target: Target, metadata: dict[str, Any]
) -> list[tuple[StockPass, ...]]:
    """Returns the passes that a stage would run, one tuple for each pass manager, without running
    any.

    Args:
        function: The stage function, as the backend put it into the stages.
        stage: Its name.
        target: What is compiled for.
        metadata: The metadata that the stage would get.

    Raises:
        PipelineError: The stage failed before it ran a pass manager.
    """
    run = StageRun(stage, target, dry=True)
    try:
        run.call(function, _NoModule(), dict(metadata))
    except Exception as error:
        # What follows the passes cannot go on without a real module; the passes are known by then.
        if not run.lists:
            raise PipelineError(
                f"The passes of stage {stage!r} cannot be listed: its function failed before it "
                f"ran any ({error!r})."
            ) from error
    return run.lists


def wrap_stage(
    function: StageFunction,
    stage: str,
    target: Target,
    edits: tuple[Edit, ...],
    observer: Observer | None,
) -> StageFunction:
    """Returns a stage function that runs another one under edits."""

    def staged(source: Any, metadata: dict[str, Any]) -> Any:
        if not isinstance(source, ir.module):
            return _run_text_stage(function, stage, target, edits, source, metadata)
        kernel = source.get_entry_func_name()
        lists = stage_passes(function, stage, target, metadata)
        if not lists:
            raise PipelineError(
                f"Pipeline {edits[0].owner!r} says {edits[0]}, but the stage {stage!r} is a "
                f"{type(function).__name__} of {getattr(function, '__module__', None)!r} in which "
                "no pass manager was seen. Another hook replaced the stage; apply the pipeline "
                "without that hook."
            )
        place(lists, edits, stage, target)
        run = StageRun(
            stage,
            target,
            edits,
            observer,
            kernel=kernel,
            compilation=metadata.get("hash", ""),
            lists=lists,
        )
        result = run.call(function, source, metadata)
        if run.ran < len(lists):
            # The dry run saw more pass managers, so an edit may have been left out: this raises
            # then.
            place(run.lists[: run.ran], edits, stage, target)
        return result

    return staged


def _run_text_stage(
    function: StageFunction,
    stage: str,
    target: Target,
    edits: tuple[Edit, ...],
    source: Any,
    metadata: dict[str, Any],
) -> Any:
    """Runs a stage that has text or bytes and no passes."""
    active = [edit for edit in edits if edit.when is None or edit.when(target)]
    for edit in active:
        if edit.kind not in ("prepend", "append") or any(
            isinstance(step.run, str) for step in edit.steps
        ):
            raise PipelineError(
                f"Pipeline {edit.owner!r} says {edit}, but the stage {stage!r} works on text and "
                "runs no passes. Only functions can be prepended or appended there."
            )

    def apply(kind: str, value: Any) -> Any:
        steps: list[Step] = [step for edit in active if edit.kind == kind for step in edit.steps]
        for step in steps:
            value = step.run(value)
        return value

    return apply("append", function(apply("prepend", source), metadata))
