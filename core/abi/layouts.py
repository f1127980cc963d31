"""Class layouts from DWARF, read by gdb: it indexes the wheel's 140 MB of it in seconds."""

from __future__ import annotations

import dataclasses
import json
import os
import pathlib
import subprocess
import tempfile
from collections.abc import Mapping, Sequence

_SCRIPT = pathlib.Path(__file__).with_name("gdb_script.py")
_SETTINGS = (
    "auto-load off",
    "debuginfod enabled off",
    # Looking for the definition of every class that a field's unit only declares takes a minute.
    "opaque-type-resolution off",
)


class GdbError(Exception):
    """gdb could not be run or did not answer."""


@dataclasses.dataclass(frozen=True)
class Member:
    """A base class, a field or the pointer to the virtual table. Offset and size are in bits."""

    kind: str
    name: str
    offset: int
    size: int


@dataclasses.dataclass(frozen=True)
class Layout:
    """How one class lies in memory; `file` is where it is defined, if that was asked for."""

    size: int
    members: tuple[Member, ...] = ()
    file: str = ""

    @property
    def empty(self) -> bool:
        """Whether there is nothing to lay out: traits and tags."""
        return all(member.kind == "base" and member.size <= 8 for member in self.members)


def read_units(
    gdb: str, library: pathlib.Path, units: Sequence[Sequence[int]]
) -> dict[str, Layout]:
    """Reads every class that some compile units define.

    Args:
        gdb: the debugger.
        library: an ELF file with debug information.
        units: for each compile unit, addresses of code in it.
    """
    return _run(gdb, library, {"units": [list(unit) for unit in units]})


def look_up(
    gdb: str, library: pathlib.Path, spellings: Mapping[str, Sequence[str]]
) -> dict[str, Layout]:
    """Reads the classes that `library` defines in full, the others are left out.

    Args:
        gdb: the debugger.
        library: an ELF file with debug information.
        spellings: for each class, the names it may have there.
    """
    return _run(gdb, library, {"lookup": {key: list(names) for key, names in spellings.items()}})


def _run(gdb: str, library: pathlib.Path, request: dict) -> dict[str, Layout]:
    with tempfile.TemporaryDirectory(prefix="abi_audit") as folder:
        output = pathlib.Path(folder, "layouts.json")
        request_file = pathlib.Path(folder, "request.json")
        request_file.write_text(json.dumps({**request, "output": str(output)}))
        command = [gdb, "-batch", "-nx"]
        for setting in _SETTINGS:
            command += ["-iex", f"set {setting}"]
        command += ["-x", str(_SCRIPT), str(library)]
        # gdb has a Python of its own, which our variables would mislead.
        environment = {
            key: value for key, value in os.environ.items() if not key.startswith("PYTHON")
        }
        environment["ABI_AUDIT_REQUEST"] = str(request_file)
        try:
            result = subprocess.run(
                command, env=environment, capture_output=True, text=True, check=False
            )
        except OSError as error:
            raise GdbError(
                f"cannot run {gdb}: {error.strerror}; --gdb names a gdb with Python scripting"
            ) from error
        if not output.exists():
            raise GdbError(
                f"{gdb} did not read {library} (exit status {result.returncode}):\n"
                f"{result.stderr.strip()}"
            )
        answer = json.loads(output.read_text())
    return {name: _layout(value) for name, value in answer.items()}


def _layout(value: dict) -> Layout:
    members = tuple(Member(*member) for member in value["members"])
    return Layout(value["size"], members, value.get("file", ""))
