"""Places the edits of pipelines in the list of passes that a stage runs. Pure data: nothing here
touches a module or a pass manager."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import triton

from .errors import PipelineError
from .pipeline import Edit, Step
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
    for edit in edits:
        if edit.when is None or edit.when(target):
            _apply(edit, managers, stage, target)
    return [
        [entry for root in manager for entry in _walk(root) if entry.name] for manager in managers
    ]


def matches(name: str, anchor: str) -> bool:
    """Whether an anchor, qualified or not, means the pass of that full name."""
    return name == anchor or name.endswith(f".{anchor}")


def _walk(entry: Placed) -> Iterator[Placed]:
    for child in entry.before:
        yield from _walk(child)
    yield entry
    for child in (*entry.instead, *entry.after):
        yield from _walk(child)


def _apply(edit: Edit, managers: list[list[Placed]], stage: str, target: Target) -> None:
    steps = [Placed(step=step, owner=edit.owner) for step in edit.steps]
    if edit.kind == "prepend":
        managers[0][0].after += steps
        return
    if edit.kind == "append":
        managers[-1][-1].before += steps
        return
    for entry in _find(edit, managers, stage, target):
        # Each place gets entries of its own, since later edits may hang on one of them.
        steps = [Placed(step=step, owner=edit.owner) for step in edit.steps]
        if edit.kind == "insert_before":
            entry.before += steps
        elif edit.kind == "insert_after":
            entry.after += steps
        else:
            _remove(entry, edit, steps)


def _remove(entry: Placed, edit: Edit, steps: list[Placed]) -> None:
    earlier = entry.removed_by
    if earlier is not None:
        if earlier.kind == edit.kind and earlier.steps == edit.steps:
            return
        raise PipelineError(
            f"Two edits contradict each other on the pass {entry.name!r} of stage {edit.stage!r}: "
            f"pipeline {earlier.owner!r} says {earlier}, pipeline {edit.owner!r} says {edit}. Use "
            "one of the two, or give them different occurrences."
        )
    entry.removed_by = edit
    entry.instead = steps


def _find(edit: Edit, managers: list[list[Placed]], stage: str, target: Target) -> list[Placed]:
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
