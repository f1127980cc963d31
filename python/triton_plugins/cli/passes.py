"""Lists the passes that this Triton runs for a target, in order, as its own stage functions add
them; nothing is compiled.

With --kernel it also shows what the pipelines of a kernel, and those that its operations bring
along, make of them: what they add, disable and replace. The names shown are the ones that pipelines
use as anchors. The types of a kernel's arguments make no difference to them: --signature and
--constexpr are taken so that the arguments of diff can stay.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

from .. import inspection
from ..activation import effective
from ..pipeline import Pipeline
from ..plan import Placed
from . import kernels
from .output import Output, Section

_COLUMNS = ("stage", "manager", "number", "mark", "pass", "arguments", "pipeline")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the target, and the kernel whose pipelines are shown."""
    kernels.add_target(parser)
    parser.add_argument(
        "--kernel", metavar="FILE.py:NAME", help="a kernel, also as MODULE:NAME, with its pipelines"
    )
    parser.add_argument(
        "--pipeline",
        action="append",
        default=[],
        metavar="MODULE:NAME",
        help="a pipeline to show around the kernel's (repeatable, the outermost first)",
    )
    kernels.add_arguments(parser)


def run(args: argparse.Namespace, out: Output) -> int:
    """Prints the passes of every stage."""
    # First, since a file may make pipelines active when it is imported.
    kernel = kernels.load_kernel(args.kernel, args) if args.kernel else None
    given = [kernels.load_pipeline(text) for text in args.pipeline]
    activation = effective()
    active = [
        *([Pipeline("active", activation.edits)] if activation is not None else []),
        *(pipeline for pipeline in given if pipeline is not None),
        *(kernel.pipelines if kernel is not None else ()),
    ]
    defaults = inspection.default_pipelines(kernel.function) if kernel is not None else ()
    there = [edit for pipeline in active for edit in pipeline.edits]
    # As in a compilation, a plugin's pipeline is left out where a part of it is active already.
    pipelines = active + [p for p in defaults if not any(edit in there for edit in p.edits)]
    options = kernel.options if kernel is not None else kernels.options(args)
    stages = inspection.planned(args.target, pipelines, options)
    records = [record for stage, managers in stages.items() for record in _records(stage, managers)]
    document = {
        "target": f"{args.target.backend}:{args.target.arch}",
        "stages": list(stages),
        "pipelines": list(dict.fromkeys(edit.owner for p in pipelines for edit in p.edits)),
        "passes": records,
    }
    out.show([Section("passes", _COLUMNS, records, heading="stage")], document)
    return 0


def _records(stage: str, managers: list[list[Placed]]) -> Iterator[dict[str, Any]]:
    number = 0
    for index, manager in enumerate(managers, 1):
        for entry in manager:
            removed = entry.removed_by
            number += removed is None
            source = entry.stock or entry.step
            yield {
                "stage": stage,
                "manager": index,
                "number": None if removed else number,
                "mark": _mark(entry),
                "pass": entry.name,
                "arguments": [repr(arg) for arg in source.args],
                "pipeline": removed.owner if removed else entry.owner,
            }


def _mark(entry: Placed) -> str:
    if entry.removed_by is not None:
        return "disabled" if entry.removed_by.kind == "disable" else "replaced"
    return "stock" if entry.stock is not None else "added"
