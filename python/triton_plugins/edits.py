"""What pipelines are made of: steps, and the edits that put them into stages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from .errors import PipelineError
from .target import Target

Occurrence = Literal["first", "last", "all"] | int
Predicate = Callable[[Target], bool]
Kind = Literal[
    "insert_before",
    "insert_after",
    "prepend",
    "append",
    "disable",
    "replace",
    # Steps in place of all passes of a stage; and a function in place of the stage.
    "override_passes",
    "override_stage",
    # The list of stages.
    "override_pipeline",
]


@dataclass(frozen=True)
class Step:
    """One thing that a pipeline adds to a stage.

    Attributes:
        run: Name of a plugin pass ("tlx_lower") or of a registered one (`register_pass`), qualified
            name of a stock pass ("ttgpuir.coalesce"), or a function of the module.
        args: Arguments of a pass. Strings for a plugin pass, what the adder takes for a stock pass,
            what follows the module for a registered one.
        key: Stands for a function in the cache key, for functions whose source and closure do not
            tell all that they depend on.
    """

    run: str | Callable[..., Any]
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
                "the module alone. Bind arguments with functools.partial, or register it "
                "(triton_plugins.register_pass) and use its name."
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
    """One change to one stage, as a `Pipeline` method recorded it.

    Attributes:
        kind: What is changed.
        stage: The stage; "" where the list of stages is changed.
        anchor: The pass, for edits that have one.
        steps: What to run.
        occurrence: Which occurrence of the pass.
        when: Where the edit applies; None means everywhere.
        owner: Name of the pipeline, for messages.
        stages: The stages of an overridden pipeline.
    """

    kind: Kind
    stage: str
    anchor: str
    steps: tuple[Step, ...]
    occurrence: Occurrence
    when: Predicate | None
    owner: str
    stages: tuple[str, ...] = ()

    @property
    def anchored(self) -> bool:
        """Whether it hangs on a pass of the stage."""
        return self.kind in ("insert_before", "insert_after", "disable", "replace")

    def __str__(self) -> str:
        if self.kind == "override_pipeline":
            return f"override_pipeline with the stages {', '.join(self.stages)}"
        steps = ", ".join(step.label for step in self.steps)
        where = (
            f"{self.anchor!r} in stage {self.stage!r}" if self.anchor else f"stage {self.stage!r}"
        )
        if self.kind in ("override_stage", "override_passes"):
            return f"override_stage {self.stage!r} with {steps or 'no pass'}"
        return f"{self.kind} {where}" + (
            f" with {steps}" if self.kind == "replace" else f": {steps}" if steps else ""
        )


def contradiction(earlier: Edit, later: Edit, where: str) -> PipelineError:
    """The error for two edits that cannot both apply.

    Args:
        earlier: One of them.
        later: The other one.
        where: What both change, for example "the stage 'ttgir'".
    """
    return PipelineError(
        f"Two edits contradict each other on {where}: pipeline {earlier.owner!r} says {earlier}, "
        f"pipeline {later.owner!r} says {later}. Use one of the two, or give them different "
        "occurrences or predicates (when=)."
    )
