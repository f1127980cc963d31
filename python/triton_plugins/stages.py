"""Runs a stage of Triton's compiler under edits.

The stage function runs as a copy (see rehome.py) in which `ir.pass_manager` makes a recorder. The
recorder notes the passes that the stage adds; when the stage runs it, it places the edits among
them and feeds real pass managers. A first, dry run without a module tells all passes of the stage
beforehand, so that "last" and a missing anchor are known before anything is changed.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from triton._C.libtriton import ir

from . import failures
from .edits import Edit
from .errors import PassError, PipelineError
from .opt import parse
from .plan import Placed, StockPass, overriding, place
from .recorder import Recorder, recording_rehomer
from .steps import Observer, adder, is_function, run_step
from .target import Target
from .whole_stage import run_whole_stage

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
        lowered: Whether the module is in LLVM's dialect.
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
    lowered: bool = False

    def call(self, function: StageFunction, source: Any, metadata: dict[str, Any]) -> Any:
        """Calls a copy of the stage function with recorders for pass managers."""
        rehomer = recording_rehomer(self.run_manager, self.dry)
        return rehomer.callable(function)(source, metadata)

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
        last_step = ""
        for of_passes, group in itertools.groupby(entries, _is_pass):
            passes = tuple(group)
            if of_passes and self.observer is None and not self.lowered:
                self._run_together(recorder, passes, module, name, last_step)
            else:
                self._run_one_by_one(recorder, passes, module, name, last_step)
            last_step = passes[-1].name

    def _run_together(
        self,
        recorder: Recorder,
        passes: Sequence[Placed],
        module: ir.module,
        name: str,
        last_step: str,
    ) -> None:
        """Runs passes in one manager: for each manager Triton copies the module, and for each step
        that may fail on its own we would have to print it."""
        before = module.str()
        manager = recorder.real_manager()
        for entry in passes:
            add = entry.stock.add if entry.stock is not None else adder(entry.step)
            add(manager)
        try:
            manager.run(module, name)
        except RuntimeError as error:
            # Which one it was is found out on a second run. A module that was not valid before, as
            # a function may leave it, has no text that parses; and parsing needs a file.
            with contextlib.suppress(PipelineError, OSError):
                copy = parse(before, module.context, f"{self.kernel}.mlir")
                self._run_one_by_one(recorder, passes, copy, name, last_step)
            raise self._stock_failure(error, before, last_step) from error
        self._note_dialect(passes)

    def _run_one_by_one(
        self,
        recorder: Recorder,
        entries: Sequence[Placed],
        module: ir.module,
        name: str,
        last_step: str,
    ) -> None:
        pending: list[Placed] = []
        for entry in entries:
            if entry.stock is not None:
                pending.append(entry)
                continue
            self._run_stock(recorder, pending, module, name, last_step)
            pending = []
            run_step(self, entry, module, recorder.real_manager, name)
            last_step = entry.name
        self._run_stock(recorder, pending, module, name, last_step)

    def _run_stock(
        self,
        recorder: Recorder,
        passes: Sequence[Placed],
        module: ir.module,
        name: str,
        last_step: str,
    ) -> None:
        if not passes:
            return
        manager = recorder.real_manager()
        for entry in passes:
            entry.stock.add(manager)
        before = self.text_before(module)
        try:
            manager.run(module, name)
        except RuntimeError as error:
            raise self._stock_failure(error, before or module.str_nodebug(), last_step) from error
        self._note_dialect(passes)

    def _stock_failure(self, error: RuntimeError, before: str, last_step: str) -> PassError:
        owners = ", ".join(dict.fromkeys(repr(edit.owner) for edit in self.edits))
        after = f", on what the step {last_step!r} left" if last_step else ""
        kept = failures.keep(before, self.kernel, self.stage, last_step or "triton")
        return PassError(
            f"Kernel {self.kernel!r}, stage {self.stage!r}: a pass of Triton failed under the "
            f"pipeline {owners}{after} ({error}; stderr says which pass and why).\n{kept}",
            before,
        )

    def _note_dialect(self, passes: Sequence[Placed]) -> None:
        self.lowered |= any(entry.name.endswith("ttgpuir.to_llvmir") for entry in passes)

    def text_before(self, module: ir.module) -> str:
        """The text of a module for the case that the next pass fails; "" in LLVM's dialect.

        There it is so long that printing it takes a noticeable part of a compilation.
        """
        return "" if self.lowered else module.str_nodebug()


def _is_pass(entry: Placed) -> bool:
    """Whether an entry is a pass, of Triton or of a plugin, and no Python function."""
    return entry.stock is not None or not is_function(entry.step)


class _NoModule:
    """Stands in for the module in a dry run: it has no text and answers None to every other
    question, and no C++ function accepts it."""

    def __init__(self) -> None:
        self.context = ir.context()

    def __getattr__(self, name: str) -> Callable[..., str | None]:
        # Triton 3.8 looks for operations in the text.
        answer = "" if name in ("str", "str_nodebug") else None
        return lambda *args, **kwargs: answer


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


@dataclass(eq=False)
class EditedStage:
    """A stage function that runs another one under edits.

    Attributes:
        function: The other stage function.
        stage: Name of the stage.
        target: What is compiled for.
        observer: Told about every step, or None.
        edits: The edits, all of which apply to the target; more can come until it is called.
    """

    function: StageFunction
    stage: str
    target: Target
    observer: Observer | None = None
    edits: list[Edit] = field(default_factory=list)

    def __call__(self, source: Any, metadata: dict[str, Any]) -> Any:
        """Runs the stage."""
        edits = tuple(self.edits)
        if isinstance(source, ir.module):
            kernel = source.get_entry_func_name()
        else:
            # The stage that turns the module into text notes it, some of them late.
            kernel = metadata.get("name", "")
        run = StageRun(
            self.stage,
            self.target,
            edits,
            self.observer,
            kernel=kernel,
            compilation=metadata.get("hash", ""),
        )
        override = overriding(edits, self.stage)
        whole = override is not None and override.kind == "override_stage"
        if whole or not isinstance(source, ir.module):
            function = override.steps[0].run if whole else self.function
            return run_whole_stage(run, function, override, source, metadata)
        run.lists = stage_passes(self.function, self.stage, self.target, metadata)
        if not run.lists:
            raise PipelineError(
                f"Pipeline {edits[0].owner!r} says {edits[0]}, but the stage {self.stage!r} is a "
                f"{type(self.function).__name__} of "
                f"{getattr(self.function, '__module__', None)!r} in which no pass manager was "
                "seen. Another hook replaced the stage; apply the pipeline without that hook."
            )
        lists = tuple(run.lists)
        place(lists, edits, self.stage, self.target)
        result = run.call(self.function, source, metadata)
        if run.ran < len(lists):
            # The dry run saw more pass managers, so an edit may have been left out: this raises
            # then.
            place(run.lists[: run.ran], edits, self.stage, self.target)
        return result
