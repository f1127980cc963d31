"""What layout conversions a compiled kernel has, and what they cost."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from triton.compiler import CompiledKernel

import triton_plugins
from triton_plugins.opt import run_passes

if TYPE_CHECKING:
    import rich.table

WAYS = ("nothing", "registers", "shuffle", "shared")


@dataclass(frozen=True)
class SharedAccess:
    """What a thread does to write or to read a tensor in shared memory.

    Attributes:
        instruction: Which one: "st.shared", "stmatrix", "stmatrix.trans", "ld.shared", "ldmatrix",
            "ldmatrix.trans"; "ds_write" and "ds_read" on AMD.
        vector_bits: Bits that one instruction moves.
        instructions: Instructions.
        bank_conflicts: Passes over the banks that an instruction needs beyond those for its width.
    """

    instruction: str
    vector_bits: int
    instructions: int
    bank_conflicts: int


@dataclass(frozen=True)
class Conversion:
    """One layout conversion.

    Attributes:
        line: "file:line" of the kernel; empty without line information.
        op: The op: "ttg.convert_layout", or "ttg.local_load" from a buffer that was filled from
            registers.
        shape: Shape of the tensor.
        element: Type of its elements, as MLIR spells it.
        source: Layout before.
        target: Layout after.
        way: "nothing" if no data moves, "registers", "shuffle" or "shared".
        bytes: Bytes of the tensor.
        scratch_bytes: Shared memory that it takes, in bytes.
        loop_depth: Loops around it.
        store: How the source is written to shared memory; None for other ways.
        load: How the target is read from shared memory; None for other ways.
    """

    line: str
    op: str
    shape: tuple[int, ...]
    element: str
    source: str
    target: str
    way: str
    bytes: int
    scratch_bytes: int
    loop_depth: int
    store: SharedAccess | None
    load: SharedAccess | None


@dataclass(frozen=True)
class PlacedLayout:
    """A layout of a tensor of one shape, as bases.

    The element in a register of a thread is at the exclusive or of the bases that the set bits of
    its numbers name.

    Attributes:
        layout: The layout as MLIR spells it.
        shape: Shape of the tensor.
        bases: Positions by "register", "lane", "warp" and "block", lowest bit first.
    """

    layout: str
    shape: tuple[int, ...]
    bases: Mapping[str, tuple[tuple[int, ...], ...]]


@dataclass(frozen=True)
class Report:
    """The conversions of one kernel.

    Attributes:
        target: "cuda:90", "hip:gfx942", ...
        conversions: The conversions in the order of the program.
        layouts: Every layout among them.
    """

    target: str
    conversions: tuple[Conversion, ...]
    layouts: tuple[PlacedLayout, ...]

    def count(self, way: str) -> int:
        """Returns the number of conversions that go one way."""
        return sum(conversion.way == way for conversion in self.conversions)

    def json(self) -> str:
        """Returns the report as a JSON document."""
        return json.dumps(asdict(self), indent=2)

    def records(self) -> list[dict[str, Any]]:
        """Returns the conversions with short names of layouts, one flat record each."""
        names = {text: f"#{index}" for index, text in enumerate(self._texts())}
        return [_record(conversion, names) for conversion in self.conversions]

    def legend(self) -> dict[str, str]:
        """Returns the short names of the layouts with their text."""
        return {f"#{index}": text for index, text in enumerate(self._texts())}

    def table(self) -> rich.table.Table:
        """Returns the report as a table of rich; `rich.print` shows it."""
        from rich import box
        from rich.table import Table

        table = Table(title=f"layout conversions for {self.target}", box=box.SIMPLE_HEAD)
        for column in _COLUMNS:
            table.add_column(column, overflow="fold")
        for record in self.records():
            table.add_row(*(str(record[column]) for column in _COLUMNS))
        table.caption = "\n".join(f"{name} {text}" for name, text in self.legend().items())
        table.caption_justify = "left"
        return table

    def _texts(self) -> Iterable[str]:
        return dict.fromkeys(
            text
            for conversion in self.conversions
            for text in (conversion.source, conversion.target)
        )


_COLUMNS = (
    "line",
    "tensor",
    "from",
    "to",
    "way",
    "bytes",
    "scratch",
    "loops",
    "store",
    "load",
)


def report(kernel: Any, **arguments: Any) -> Report:
    """Lists the layout conversions of a kernel.

    Args:
        kernel: What `triton_plugins.compile` or a launch returned, a file of TritonGPU IR
            (`.ttgir`), or a kernel to compile first.
        arguments: For a kernel to compile: signature, constexprs, target, options, attrs, as for
            `triton_plugins.compile`.

    Raises:
        PipelineError: The IR does not parse.
        PassError: It names no target.
    """
    if isinstance(kernel, Path):
        return report_text(kernel.read_text(), kernel.name)
    if not isinstance(kernel, CompiledKernel):
        kernel = triton_plugins.compile(kernel, **arguments)
    return report_text(kernel.asm["ttgir"], f"{kernel.name}.ttgir")


def report_text(text: str, name: str = "input.ttgir") -> Report:
    """Lists the layout conversions of a module.

    Args:
        text: TritonGPU IR.
        name: What messages call it.
    """
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "report.json")
        run_passes(text, [("layout_report", [f"file={file}"])], name=name)
        document = json.loads(file.read_text())
    return Report(
        document["target"],
        tuple(_conversion(row) for row in document["conversions"]),
        tuple(_placed(row) for row in document["layouts"]),
    )


def _conversion(row: dict[str, Any]) -> Conversion:
    store, load = (
        SharedAccess(**row[access]) if access in row else None for access in ("store", "load")
    )
    rest = {key: row[key] for key in ("line", "op", "element", "way", "bytes")}
    return Conversion(
        **rest,
        shape=tuple(row["shape"]),
        source=row["from"],
        target=row["to"],
        scratch_bytes=row["scratch_bytes"],
        loop_depth=row["loop_depth"],
        store=store,
        load=load,
    )


def _placed(row: dict[str, Any]) -> PlacedLayout:
    bases = {
        dimension: tuple(tuple(basis) for basis in vectors)
        for dimension, vectors in row["bases"].items()
    }
    return PlacedLayout(row["layout"], tuple(row["shape"]), bases)


def _record(conversion: Conversion, names: Mapping[str, str]) -> dict[str, Any]:
    def describe(access: SharedAccess | None) -> str:
        if access is None:
            return ""
        conflicts = f", {access.bank_conflicts} conflicts" if access.bank_conflicts else ""
        bits = f"{access.vector_bits} bits"
        return f"{access.instructions} x {access.instruction}, {bits}{conflicts}"

    return {
        "line": conversion.line,
        "tensor": "x".join([*map(str, conversion.shape), conversion.element]),
        "from": names[conversion.source],
        "to": names[conversion.target],
        "way": conversion.way,
        "bytes": conversion.bytes,
        "scratch": conversion.scratch_bytes,
        "loops": conversion.loop_depth,
        "store": describe(conversion.store),
        "load": describe(conversion.load),
    }
