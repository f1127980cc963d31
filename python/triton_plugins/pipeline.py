"""Pipelines: immutable values that say how the passes of a kernel's compilation differ from
Triton's own.

A stage is named as Triton names it ("ttir", "ttgir", "llir", ...). A pass is named by its adder
without `add_`, alone or qualified: "coalesce", "ttgpuir.coalesce", "amd.ttgpuir.pipeline". Passes
that a pipeline inserted can be anchors of later edits too.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import ModuleType
from typing import Any

from .edits import Edit, Kind, Occurrence, Predicate, Step
from .errors import PipelineError

__all__ = ["Edit", "Pipeline", "Step"]

AnyStep = str | Callable[..., Any] | Step
# What a stage can be overridden with: a function like Triton's own stage functions, or passes.
Override = AnyStep | Sequence[AnyStep]


@dataclass(frozen=True)
class Pipeline:
    """An immutable list of edits. Every method returns a new pipeline; `a + b` applies a's edits
    and then b's.

    Use it for one kernel (`@triton_plugins.use(pipeline)`), for a block (`with pipeline:`) or for
    the process (`pipeline.install()`).

    Attributes:
        name: Names the pipeline in messages.
        edits: The changes, in the order in which they apply.
    """

    name: str = "pipeline"
    edits: tuple[Edit, ...] = ()
    # What other modules compute from the edits, once.
    computed: dict[str, Any] = field(default_factory=dict, init=False, compare=False, repr=False)

    def insert_before(
        self,
        stage: str,
        anchor: str,
        *steps: AnyStep,
        args: tuple[Any, ...] = (),
        occurrence: Occurrence = "first",
        when: Predicate | None = None,
    ) -> Pipeline:
        """Runs steps right before a pass; after those that an earlier edit put there.

        Args:
            stage: Stage of the pass.
            anchor: The pass.
            steps: What to run, in this order.
            args: Arguments of the step, if there is just one and it is a name.
            occurrence: Which one, if the stage runs the pass several times: "first", "last", "all"
                or an index.
            when: Applies the edit only where this returns True; see `on`.
        """
        return self._edit("insert_before", stage, anchor, steps, args, occurrence, when)

    def insert_after(
        self,
        stage: str,
        anchor: str,
        *steps: AnyStep,
        args: tuple[Any, ...] = (),
        occurrence: Occurrence = "first",
        when: Predicate | None = None,
    ) -> Pipeline:
        """Runs steps right after a pass; after those that an earlier edit put there. Arguments as
        for `insert_before`."""
        return self._edit("insert_after", stage, anchor, steps, args, occurrence, when)

    def prepend(
        self,
        stage: str,
        *steps: AnyStep,
        args: tuple[Any, ...] = (),
        when: Predicate | None = None,
    ) -> Pipeline:
        """Runs steps before all passes of a stage. In a stage without passes a function gets the
        stage's input and returns another."""
        return self._edit("prepend", stage, "", steps, args, "first", when)

    def append(
        self,
        stage: str,
        *steps: AnyStep,
        args: tuple[Any, ...] = (),
        when: Predicate | None = None,
    ) -> Pipeline:
        """Runs steps after all passes of a stage. In a stage without passes a function gets the
        stage's output and returns another."""
        return self._edit("append", stage, "", steps, args, "first", when)

    def disable(
        self,
        stage: str,
        anchor: str,
        *,
        occurrence: Occurrence = "all",
        when: Predicate | None = None,
    ) -> Pipeline:
        """Leaves a pass out."""
        return self._edit("disable", stage, anchor, (), (), occurrence, when)

    def replace(
        self,
        stage: str,
        anchor: str,
        *steps: AnyStep,
        args: tuple[Any, ...] = (),
        occurrence: Occurrence = "all",
        when: Predicate | None = None,
    ) -> Pipeline:
        """Runs steps in place of a pass."""
        return self._edit("replace", stage, anchor, steps, args, occurrence, when)

    def override_stage(
        self,
        stage: str,
        replacement: Override,
        *,
        key: str | None = None,
        when: Predicate | None = None,
    ) -> Pipeline:
        """Runs something else in place of a stage.

        Args:
            stage: The stage.
            replacement: A function that takes the place of Triton's: it is called with the stage's
                input and the compilation's metadata, which it may change, and returns the stage's
                output. Or a pass, or a list of passes and functions of the module (as for
                `insert_before`), which run in place of all passes of the stage while the rest of
                the stage stays; an empty list leaves all passes out.
            key: Stands for the function in the cache key, as for `Step`.
            when: Applies the edit only where this returns True; see `on`.
        """
        if callable(replacement):
            function = Step(replacement, key=key)
            return self._edit("override_stage", stage, "", (function,), (), "first", when)
        passes = (replacement,) if isinstance(replacement, (str, Step)) else tuple(replacement)
        return self._edit("override_passes", stage, "", passes, (), "first", when)

    def override_pipeline(
        self, stages: Mapping[str, Override | None], *, when: Predicate | None = None
    ) -> Pipeline:
        """Runs other stages in place of all of Triton's.

        Args:
            stages: What each stage is overridden with, in order, as for `override_stage`; None
                keeps Triton's stage. Stages of Triton that are not named do not run. The first and
                the last one must be Triton's first and last, by name.
            when: Applies the edit only where this returns True; see `on`.
        """
        names = tuple(stages)
        edit = Edit("override_pipeline", "", "", (), "first", when, self.name, names)
        made = replace(self, edits=(*self.edits, edit))
        for stage, replacement in stages.items():
            if replacement is not None:
                made = made.override_stage(stage, replacement, when=when)
        return made

    def _edit(
        self,
        kind: Kind,
        stage: str,
        anchor: str,
        steps: tuple[AnyStep, ...],
        args: tuple[Any, ...],
        occurrence: Occurrence,
        when: Predicate | None,
    ) -> Pipeline:
        named = tuple(step if isinstance(step, Step) else Step(step) for step in steps)
        if kind not in ("disable", "override_passes") and not named:
            raise PipelineError(
                f"Pipeline {self.name!r}: {kind} on stage {stage!r} has no step. Name the passes "
                "or functions to run."
            )
        if args:
            if len(named) != 1 or named[0].args:
                raise PipelineError(
                    f"Pipeline {self.name!r}: args={args!r} need exactly one step without "
                    "arguments of its own. Write Step(name, args) for each step instead."
                )
            named = (replace(named[0], args=args),)
        if occurrence not in ("first", "last", "all") and (
            isinstance(occurrence, bool) or not isinstance(occurrence, int)
        ):
            raise PipelineError(
                f"Pipeline {self.name!r}: occurrence={occurrence!r} is unknown. Use 'first', "
                "'last', 'all' or an index."
            )
        edit = Edit(kind, stage, anchor, named, occurrence, when, self.name)
        return replace(self, edits=(*self.edits, edit))

    def __add__(self, other: Pipeline) -> Pipeline:
        if not isinstance(other, Pipeline):
            return NotImplemented
        return Pipeline(f"{self.name} + {other.name}", self.edits + other.edits)

    def install(self) -> None:
        """Makes the pipeline active in the whole process, around every other activation, until
        `uninstall`. Of several installed pipelines the first one is outermost.

        Raises:
            PipelineError: It is installed already.
        """
        _activate().install(self)

    def uninstall(self) -> None:
        """Ends what `install` began.

        Raises:
            PipelineError: It is not installed.
        """
        _activate().uninstall(self)

    def __reduce__(self) -> tuple[type[Pipeline], tuple[str, tuple[Edit, ...]]]:
        # What is computed belongs to the plugins of one process.
        return Pipeline, (self.name, self.edits)

    def __enter__(self) -> Pipeline:
        _activate().enter(self)
        return self

    def __exit__(self, *_: object) -> None:
        _activate().leave()


@functools.cache
def _activate() -> ModuleType:
    """The module `activate`, which imports this one; an import statement in each block would cost
    more than the block."""
    from . import activate

    return activate
