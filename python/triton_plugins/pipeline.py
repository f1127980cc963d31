"""Pipelines: immutable values that say how the passes of a kernel's compilation differ from
Triton's own.

A stage is named as Triton names it ("ttir", "ttgir", "llir", ...). A pass is named by its adder
without `add_`, alone or qualified: "coalesce", "ttgpuir.coalesce", "amd.ttgpuir.pipeline". Passes
that a pipeline inserted can be anchors of later edits too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from .errors import PipelineError
from .target import Target

Occurrence = Literal["first", "last", "all"] | int
Predicate = Callable[[Target], bool]
Kind = Literal["insert_before", "insert_after", "prepend", "append", "disable", "replace"]


@dataclass(frozen=True)
class Step:
    """One thing that a pipeline adds to a stage.

    Attributes:
        run: Name of a plugin pass ("tlx_lower"), qualified name of a stock pass
            ("ttgpuir.coalesce"), or a function of the module.
        args: Arguments of a pass. Strings for a plugin pass, what the adder takes for a stock pass.
        key: Stands for a function in the cache key, for functions whose source and closure do not
            tell all that they depend on.
    """

    run: str | Callable[[Any], Any]
    args: tuple[Any, ...] = ()
    key: str | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.run, str) and not callable(self.run):
            raise PipelineError(
                f"{self.run!r} is no step. A step is the name of a pass or a function that takes "
                "the module."
            )
        if not isinstance(self.run, str) and self.args:
            raise PipelineError(
                f"The function {self.label} is given args={self.args!r}, but a function step takes "
                "the module alone. Bind arguments with functools.partial."
            )
        object.__setattr__(
            self, "args", (self.args,) if isinstance(self.args, str) else tuple(self.args)
        )

    @property
    def label(self) -> str:
        """Name of the step, for messages and file names."""
        if isinstance(self.run, str):
            return self.run
        function = getattr(self.run, "func", self.run)
        return getattr(function, "__name__", type(function).__name__)


@dataclass(frozen=True)
class Edit:
    """One change to one stage, as a `Pipeline` method recorded it."""

    kind: Kind
    stage: str
    anchor: str
    steps: tuple[Step, ...]
    occurrence: Occurrence
    when: Predicate | None
    owner: str

    def __str__(self) -> str:
        steps = ", ".join(step.label for step in self.steps)
        where = (
            f"{self.anchor!r} in stage {self.stage!r}" if self.anchor else f"stage {self.stage!r}"
        )
        return f"{self.kind} {where}" + (
            f" with {steps}" if self.kind == "replace" else f": {steps}" if steps else ""
        )


@dataclass(frozen=True)
class Pipeline:
    """An immutable list of edits. Every method returns a new pipeline; `a + b` applies a's edits
    and then b's.

    Use it for one kernel (`@triton_plugins.use(pipeline)`) or for a block (`with pipeline:`).

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
        *steps: str | Callable[[Any], Any] | Step,
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
        *steps: str | Callable[[Any], Any] | Step,
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
        *steps: str | Callable[[Any], Any] | Step,
        args: tuple[Any, ...] = (),
        when: Predicate | None = None,
    ) -> Pipeline:
        """Runs steps before all passes of a stage. In a stage without passes a function gets the
        stage's input and returns another."""
        return self._edit("prepend", stage, "", steps, args, "first", when)

    def append(
        self,
        stage: str,
        *steps: str | Callable[[Any], Any] | Step,
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
        *steps: str | Callable[[Any], Any] | Step,
        args: tuple[Any, ...] = (),
        occurrence: Occurrence = "all",
        when: Predicate | None = None,
    ) -> Pipeline:
        """Runs steps in place of a pass."""
        return self._edit("replace", stage, anchor, steps, args, occurrence, when)

    def _edit(
        self,
        kind: Kind,
        stage: str,
        anchor: str,
        steps: tuple[str | Callable[[Any], Any] | Step, ...],
        args: tuple[Any, ...],
        occurrence: Occurrence,
        when: Predicate | None,
    ) -> Pipeline:
        named = tuple(step if isinstance(step, Step) else Step(step) for step in steps)
        if kind != "disable" and not named:
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

    def __enter__(self) -> Pipeline:
        from . import activate

        activate.enter(self)
        return self

    def __exit__(self, *_: object) -> None:
        from . import activate

        activate.leave()
