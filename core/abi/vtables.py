"""Compares virtual tables: what plugins' classes put in each slot, and what the wheel expects.

MLIR in the wheel has no debug information, but its tables are data: relocations fill the slots with
functions, and functions have names.
"""

from __future__ import annotations

import dataclasses
import subprocess
from collections.abc import Iterable, Mapping

import names
from compare import Difference
from elf import Vtable

_PREFIX = "vtable for "


@dataclasses.dataclass
class VtableComparison:
    """The outcome for all tables of one library."""

    equal: dict[str, int] = dataclasses.field(default_factory=dict)
    """Slots compared by the wheel's class."""
    differences: list[Difference] = dataclasses.field(default_factory=list)


class _Table:
    """A table whose functions are known by class and by what they are called within it."""

    def __init__(self, table: Vtable, demangled: Mapping[str, str]) -> None:
        functions = [[_split(demangled[name]) for name in slot] for slot in table.slots]
        self.size = table.size
        self.classes = [{owner for owner, _ in slot} for slot in functions]
        self.methods = [{method for _, method in slot} for slot in functions]

    def owners(self) -> set[str]:
        return set().union(*self.classes) if self.classes else set()


class WheelVtables:
    """The virtual tables of libtriton.so, and what is known of their pure slots."""

    def __init__(self, tables: Mapping[str, Vtable]) -> None:
        self._tables = _read(tables)
        self._heirs: dict[str, list[_Table]] = {}
        for table in self._tables.values():
            for owner in table.owners():
                self._heirs.setdefault(owner, []).append(table)

    def compare(self, tables: Mapping[str, Vtable]) -> VtableComparison:
        """Compares the tables of a plugin with those of the same classes and of their bases.

        A base is known by the functions that the plugin's class inherits from it.
        """
        result = VtableComparison()
        for name, ours in _read(tables).items():
            for base in sorted((ours.owners() | {name}) & self._tables.keys()):
                differences = list(self._compare(name, ours, base))
                result.differences += differences
                if not differences:
                    slots = len(self._tables[base].methods)
                    result.equal[base] = max(slots, result.equal.get(base, 0))
        return result

    def _compare(self, name: str, ours: _Table, base: str) -> Iterable[Difference]:
        wheel = self._tables[base]
        label = f"{name} (as {base})" if name != base else name
        if len(ours.methods) < len(wheel.methods) or name == base and ours.size != wheel.size:
            yield Difference(label, "vtable", f"{ours.size} bytes", f"{wheel.size} bytes")
            return
        # A class may add functions of its own behind those of its base.
        for index, there in enumerate(wheel.methods):
            here = ours.methods[index]
            there = there or self._pure(base, index)
            if here and there and not here & there:
                yield Difference(label, f"vtable slot {index}", _show(here), _show(there))

    def _pure(self, base: str, index: int) -> set[str]:
        """What the wheel's heirs of `base` have in a slot that is pure in `base`."""
        found: set[str] = set()
        for heir in self._heirs.get(base, ()):
            if index < len(heir.methods) and self._inherits(heir, base):
                found |= heir.methods[index]
        return found

    def _inherits(self, heir: _Table, base: str) -> bool:
        # Identical code is folded, so a function of `base` may stand in an unrelated table, but
        # hardly in the same slot.
        slots = zip(heir.classes, self._tables[base].classes, strict=False)
        return any(base in ours and base in theirs for ours, theirs in slots)


def _read(tables: Mapping[str, Vtable]) -> dict[str, _Table]:
    mangled = set(tables).union(*(slot for table in tables.values() for slot in table.slots))
    demangled = demangle(mangled)
    return {
        demangled[name].removeprefix(_PREFIX): _Table(table, demangled)
        for name, table in tables.items()
    }


def demangle(mangled: Iterable[str]) -> dict[str, str]:
    """Demangles C++ names with binutils, which come with every g++."""
    symbols = sorted(mangled)
    output = subprocess.run(
        ["c++filt"], input="\n".join(symbols), capture_output=True, text=True, check=True
    )
    return dict(zip(symbols, output.stdout.splitlines(), strict=True))


def _split(function: str) -> tuple[str, str]:
    """Splits a demangled function into its class and its name and parameters there."""
    for thunk in ("non-virtual thunk to ", "virtual thunk to "):
        function = function.removeprefix(thunk)
    *owner, method = names.components(function.replace("(anonymous namespace)", "{anonymous}"))
    return "::".join(owner), "~" if method.startswith("~") else method


def _show(methods: set[str]) -> str:
    return " | ".join(sorted(methods))
