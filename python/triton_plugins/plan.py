"""Places the edits of pipelines in the list of passes that a stage runs. Pure data: nothing here
touches a module or a pass manager."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import triton

from .edits import Edit, Step, contradiction
from .errors import PipelineError
from .target import Target


@dataclass(frozen=True)
class StockPass:
    """A pass that Triton's own stage function adds.

    Attributes:
        name: Full name, for example "ttgpuir.coalesce" or "amd.ttgpuir.pipeline".
        args: What the stage gives its adder, for display.
        add: Adds it to a pass manager.
    """

    name: str
    args: tuple[Any, ...] = ()
    add: Callable[[Any], None] | None = field(default=None, compare=False, repr=False)


@dataclass(eq=False)
class Placed:
    """One entry of the resulting list, with the edits that hang on it.

    Attributes:
        stock: The stock pass, or None for a step.
        step: The step of a pipeline, or None for a stock pass.
        owner: Name of the pipeline that put the step there.
        removed_by: The edit that disabled or replaced it.
    """

    stock: StockPass | None = None
    step: Step | None = None
    owner: str = ""
    removed_by: Edit | None = None
    before: list[Placed] = field(default_factory=list)
    instead: list[Placed] = field(default_factory=list)
    after: list[Placed] = field(default_factory=list)

    @property
    def name(self) -> str:
        """Full name of the pass, or the step's label."""
        if self.stock is not None:
            return self.stock.name
        return self.step.label if self.step is not None else ""


def place(
    lists: Sequence[Sequence[StockPass]], edits: Sequence[Edit], stage: str, target: Target
) -> list[list[Placed]]:
    """Returns what each pass manager of a stage runs under some edits, removed passes included.

    Args:
        lists: The passes of each pass manager of the stage, in order.
        edits: The edits of this stage, in the order in which they apply.
        stage: The stage, for messages.
        target: The target, for predicates and messages.

    Raises:
        PipelineError: An anchor does not exist, or two edits contradict each other.
    """
    managers = [
        [Placed(), *(Placed(stock=stock) for stock in stocks), Placed()] for stocks in lists
    ]
    active = [edit for edit in edits if edit.when is None or edit.when(target)]
    override = overriding(active, stage)
    if override is not None:
        _override(override, managers)
    for edit in active:
        _apply(edit, active, managers, target)
    return [
        [entry for root in manager for entry in _walk(root) if entry.name] for manager in managers
    ]


def overriding(edits: Sequence[Edit], stage: str) -> Edit | None:
    """Returns the edit that overrides a stage, if there is one.

    Raises:
        PipelineError: Two edits override it differently, or it is overridden by a function and
            another edit hangs on one of its passes.
    """
    overrides = [edit for edit in edits if edit.kind in ("override_stage", "override_passes")]
    if not overrides:
        return None
    first = overrides[0]
    for other in overrides[1:]:
        if (other.kind, other.steps) != (first.kind, first.steps):
            raise contradiction(first, other, f"the stage {stage!r}")
    for edit in edits:
        if first.kind == "override_stage" and edit.anchored:
            raise contradiction(first, edit, f"the stage {stage!r}")
    return first


def matches(name: str, anchor: str) -> bool:
    """Whether an anchor, qualified or not, means the pass of that full name."""
    return name == anchor or name.endswith(f".{anchor}")


def _walk(entry: Placed) -> Iterator[Placed]:
    for child in entry.before:
        yield from _walk(child)
    yield entry
    for child in (*entry.instead, *entry.after):
        yield from _walk(child)


def _override(override: Edit, managers: list[list[Placed]]) -> None:
    """Takes all passes out and puts the override's steps first; its function, too, is a step
    here."""
    for manager in managers:
        for entry in manager:
            if entry.stock is not None:
                entry.removed_by = override
    managers[0][1:1] = [Placed(step=step, owner=override.owner) for step in override.steps]


def _apply(
    edit: Edit, active: Sequence[Edit], managers: list[list[Placed]], target: Target
) -> None:
    steps = [Placed(step=step, owner=edit.owner) for step in edit.steps]
    if edit.kind == "prepend":
        managers[0][0].after += steps
    elif edit.kind == "append":
        managers[-1][-1].before += steps
    elif edit.anchored:
        for entry in _find(edit, active, managers, target):
            _hang(edit, entry)


def _hang(edit: Edit, entry: Placed) -> None:
    # Each place gets entries of its own, since later edits may hang on one of them.
    steps = [Placed(step=step, owner=edit.owner) for step in edit.steps]
    earlier = entry.removed_by
    overridden = earlier is not None and earlier.kind == "override_passes"
    if overridden and edit.kind == "disable":
        return
    if overridden or (
        earlier is not None
        and edit.kind in ("disable", "replace")
        and (earlier.kind, earlier.steps) != (edit.kind, edit.steps)
    ):
        raise contradiction(earlier, edit, f"the pass {entry.name!r} of stage {edit.stage!r}")
    if edit.kind == "insert_before":
        entry.before += steps
    elif edit.kind == "insert_after":
        entry.after += steps
    elif earlier is None:
        entry.removed_by = edit
        entry.instead = steps


def _find(
    edit: Edit, active: Sequence[Edit], managers: list[list[Placed]], target: Target
) -> list[Placed]:
    entries = [
        entry for manager in managers for root in manager for entry in _walk(root) if entry.name
    ]
    found = [entry for entry in entries if matches(entry.name, edit.anchor)]
    if found and edit.occurrence == "all":
        return found
    index = edit.occurrence
    if isinstance(index, str):
        index = -1 if index == "last" else 0
    if found and -len(found) <= index < len(found):
        return [found[index]]
    names = [entry.name for entry in entries]
    listing = ", ".join(names) if names else "no passes"
    if found:
        problem = (
            f"but the stage runs it {len(found)} time{'s' * (len(found) > 1)}, so there is no "
            f"occurrence {edit.occurrence}"
        )
    else:
        problem = f"but the stage runs no such pass for {target}{_suggestion(edit.anchor, names)}"
        inner = [e for e in active if any(matches(s.label, edit.anchor) for s in e.steps)]
        if inner:
            problem += (
                f" at that point: pipeline {inner[0].owner!r} puts it there, but its edits apply "
                "after this one. Name that pipeline first, with +"
            )
    raise PipelineError(
        f"Pipeline {edit.owner!r} says {edit}, {problem}. Triton {triton.__version__} runs there: "
        f"{listing}."
    )


def _suggestion(anchor: str, names: list[str]) -> str:
    short = {name.rpartition(".")[2]: name for name in names} | {name: name for name in names}
    near = dict.fromkeys(
        short[match] for match in difflib.get_close_matches(anchor, short, n=3, cutoff=0.5)
    )
    return f" (near: {', '.join(near)})" if near else ""
