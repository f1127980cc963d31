"""Compares what a kernel compiles to under two pipelines: the IR of each stage, the instructions of
the machine code by class, the waits in it, and the resources that it takes.

    diff kernel.py:gemm none mine.py:PIPELINE --target sm_90 --signature 'a=*fp16:16,n=i32'

A pipeline is MODULE:NAME or FILE.py:NAME, or the word none. It goes around those that the kernel
has itself. No GPU is needed. The exit status is 1 where the two differ, as that of diff is.
"""

from __future__ import annotations

import argparse
import difflib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any

from triton.compiler import CompiledKernel

from .. import machine_code
from . import kernels
from .output import CommandError, Output, Section, UsageError

# Shown unless others are asked for: the assembly differs in every line when anything does, and the
# counts of its instructions say more.
_DEFAULT_STAGES = ("ttir", "ttgir", "llir")
_ADDRESS = re.compile(r"^(\s*)/\*[0-9a-f]+\*/", re.MULTILINE)


@dataclass(frozen=True)
class _Side:
    """One of the two compilations: the text of every stage and the summary of the code."""

    name: str
    texts: Mapping[str, str]
    code: machine_code.MachineCode


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the kernel and the two pipelines."""
    parser.add_argument("kernel", metavar="FILE.py:NAME", help="a kernel, also as MODULE:NAME")
    parser.add_argument("before", metavar="BEFORE", help="a pipeline, or none")
    parser.add_argument("after", metavar="AFTER", help="the pipeline to compare with it, or none")
    kernels.add_target(parser)
    kernels.add_arguments(parser)
    parser.add_argument(
        "--stage",
        action="append",
        default=[],
        help=f"a stage whose text is compared (repeatable; {', '.join(_DEFAULT_STAGES)} by "
        "default; ptx, sass and amdgcn are there too; - for none)",
    )


def run(args: argparse.Namespace, out: Output) -> int:
    """Prints the differences; 1 if there are any."""
    kernel = kernels.load_kernel(args.kernel, args)
    pipelines = [kernels.load_pipeline(text) for text in (args.before, args.after)]
    before, after = (
        _side(name, kernels.compiled(kernel, args.target, pipeline))
        for name, pipeline in zip((args.before, args.after), pipelines, strict=True)
    )
    diffs = {
        stage: list(_unified(stage, before, after)) for stage in _stages(args.stage, before, after)
    }
    numbers = [*_instructions(before, after), *_waits(before, after), *_resources(before, after)]
    columns = ("kind", "name", "before", "after", "change")
    changed = [record for record in numbers if record["before"] != record["after"]]
    # Code may differ where no count and no shown stage does: in the order of its instructions.
    differs = bool(changed) or any(
        before.texts.get(stage) != after.texts.get(stage)
        for stage in before.texts.keys() | after.texts.keys()
    )
    document = {
        "kernel": args.kernel,
        "target": f"{args.target.backend}:{args.target.arch}",
        "before": before.name,
        "after": after.name,
        "differs": differs,
        "ir": {stage: "\n".join(lines) for stage, lines in diffs.items()},
        "code": numbers,
    }
    text = "\n".join(line for lines in diffs.values() for line in lines)
    out.show([Section("code", columns, numbers, heading="kind")], document, text)
    return int(differs)


def _side(name: str, kernel: CompiledKernel) -> _Side:
    texts = {stage: text for stage, text in kernel.asm.items() if isinstance(text, str)}
    if "cubin" in kernel.asm:
        # Without addresses, or one more instruction would change every line behind it.
        texts["sass"] = _ADDRESS.sub(r"\1", machine_code.disassemble(kernel.asm["cubin"]))
    try:
        return _Side(name, texts, machine_code.inspect(kernel))
    except (ValueError, RuntimeError) as error:
        raise CommandError(f"The machine code cannot be read: {error}") from error


def _stages(wanted: list[str], *sides: _Side) -> list[str]:
    there = list(dict.fromkeys(stage for side in sides for stage in side.texts))
    if wanted == ["-"]:
        return []
    for stage in wanted:
        if stage not in there:
            raise UsageError(f"There is no text of a stage {stage!r}, only of {', '.join(there)}.")
    return wanted or [stage for stage in _DEFAULT_STAGES if stage in there]


def _unified(stage: str, before: _Side, after: _Side) -> Iterator[str]:
    return difflib.unified_diff(
        before.texts.get(stage, "").splitlines(),
        after.texts.get(stage, "").splitlines(),
        f"{stage}\t{before.name}",
        f"{stage}\t{after.name}",
        lineterm="",
    )


def _instructions(before: _Side, after: _Side) -> Iterator[dict[str, Any]]:
    first, second = before.code.final.classes(), after.code.final.classes()
    for name in dict.fromkeys([*first, *second]):
        yield _record("instructions", name, first.get(name, 0), second.get(name, 0))
    total = (sum(side.code.final.opcodes.values()) for side in (before, after))
    yield _record("instructions", "all", *total)


def _waits(before: _Side, after: _Side) -> Iterator[dict[str, Any]]:
    first, second = before.code.final.waits, after.code.final.waits
    for name in dict.fromkeys([*first, *second]):
        pair = list(first.get(name, ())), list(second.get(name, ()))
        if any(pair):
            yield _record("waits", name, *pair)


def _resources(before: _Side, after: _Side) -> Iterator[dict[str, Any]]:
    for field in fields(machine_code.Resources):
        pair = (getattr(side.code.resources, field.name) for side in (before, after))
        first, second = pair
        if field.name != "sources" and (first, second) != (None, None):
            yield _record("resources", field.name, first, second)


def _record(kind: str, name: str, before: Any, after: Any) -> dict[str, Any]:
    counts = isinstance(before, int) and isinstance(after, int)
    change = after - before if counts else None
    text = f"{change:+d}" if change else None if counts or before == after else "changed"
    return {"kind": kind, "name": name, "before": before, "after": after, "change": text}
