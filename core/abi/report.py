"""Tables for people and JSON for programs."""

from __future__ import annotations

import dataclasses
import json
import pathlib

import proofs
import rich.box
import rich.console
import rich.table
from compare import Difference

_SHOWN = 40
"""More differences than these tell nothing new: one changed class is a member of many."""


@dataclasses.dataclass
class Report:
    """Everything that the audit found."""

    wheel: str
    libraries: list[str]
    llvm_commit: str
    compared: int = 0
    """Classes of MLIR, LLVM and Triton whose layouts were compared."""
    compared_standard: int = 0
    """Classes of the standard library, likewise."""
    fields: int = 0
    vtables: dict[str, int] = dataclasses.field(default_factory=dict)
    """Classes whose virtual tables were compared, with the number of slots."""
    imports: int = 0
    proofs: dict[str, list[str]] = dataclasses.field(default_factory=dict)
    differences: list[Difference] = dataclasses.field(default_factory=list)
    seconds: float = 0

    @property
    def differing(self) -> list[str]:
        """What differs, each once."""
        return sorted({difference.type for difference in self.differences})


def write_json(report: Report, path: pathlib.Path) -> None:
    """Writes all of it."""
    content = dataclasses.asdict(report) | {"differing": report.differing}
    path.write_text(json.dumps(content, indent=2, sort_keys=True) + "\n")


def print_report(report: Report, console: rich.console.Console) -> None:
    """Prints the summary, and the differences if there are any."""
    table = rich.table.Table(title="Plugins against the wheel", box=rich.box.SIMPLE)
    table.add_column("what")
    table.add_column("number", justify="right")
    table.add_column("how")
    table.add_row(
        "layouts compared", str(report.compared), "MLIR, LLVM, Triton: size and every field, DWARF"
    )
    table.add_row("", str(report.compared_standard), "C++ standard library, likewise")
    table.add_row("fields and bases in them", str(report.fields), "")
    slots = sum(report.vtables.values())
    table.add_row(
        "virtual tables compared", str(len(report.vtables)), f"{slots} slots, function by function"
    )
    table.add_row("imported symbols found", str(report.imports), "exported by the wheel")
    label = "not in the wheel's DWARF, proven by"
    for proof in proofs.ALL:
        if proof in report.proofs:
            table.add_row(label, str(len(report.proofs[proof])), proof)
            label = ""
    differing = len(report.differing)
    table.add_row("differ", str(differing), "", style="bold red" if differing else "bold green")
    console.print(table)
    console.print(f"LLVM commit {report.llvm_commit}, {report.seconds:.0f} s", highlight=False)
    if report.differences:
        _print_differences(report.differences, console)
    for name in report.proofs.get(proofs.NONE, []):
        console.print(f"not proven: {name}", style="yellow", highlight=False)


def _print_differences(differences: list[Difference], console: rich.console.Console) -> None:
    table = rich.table.Table(title="Differences", box=rich.box.SIMPLE)
    # Names of templates can fill a screen; the numbers must stay on it.
    names = max(console.width - 48, 30)
    table.add_column("type", no_wrap=True, max_width=names * 3 // 5)
    table.add_column("field", no_wrap=True, max_width=names * 2 // 5)
    table.add_column("here", overflow="fold")
    table.add_column("wheel", overflow="fold")
    shown = ""
    for difference in differences[:_SHOWN]:
        name = difference.type if difference.type != shown else ""
        shown = difference.type
        table.add_row(name, difference.what, difference.here, difference.wheel)
    console.print(table)
    if len(differences) > _SHOWN:
        console.print(f"and {len(differences) - _SHOWN} more: --json has all")
