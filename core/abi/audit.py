"""Compares what our plugins take for granted with the Triton wheel they are loaded into.

    ./bazelw run //core/abi:audit

A plugin and libtriton.so share C++ classes: if a field of one lies elsewhere in the other, memory
is corrupted. The audit compares
  * sizes and all fields of the classes in the headers, with the wheel's debug information;
  * virtual tables of the plugins' classes, slot by slot, with the tables in libtriton.so;
  * symbols that the plugins import, with those that libtriton.so exports;
  * the LLVM commit in the plugins' notes, with the one in libtriton.so;
  * what a small plugin, the canary, does to a module, with what it must do.
Classes that the wheel's debug information lacks are listed with what proves them instead.

With `-c dbg` it also reads which classes the code of each plugin uses beyond the headers. Those
that nothing proves are listed: mostly classes of LLVM IR, which plugins mention and never touch.

Exit status: 0 if all is equal, 1 if something differs, 2 if the audit cannot run.
"""

from __future__ import annotations

import argparse
import difflib
import importlib.util
import os
import pathlib
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence

import layouts
import names
import notes
import proofs
import report
import rich.console
from compare import Difference, compare
from elf import Elf
from layouts import Layout
from vtables import WheelVtables

_HERE = pathlib.Path(__file__).parent
_CANARY = _HERE / "canary"


class AuditError(Exception):
    """The audit cannot run."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the audit; returns the exit status."""
    options = _parse(arguments)
    console = rich.console.Console()
    try:
        result = audit(options, console)
    except (AuditError, layouts.GdbError, notes.NoteError) as error:
        console.print(
            f"abi audit: {error}", style="bold red", highlight=False, markup=False, soft_wrap=True
        )
        return 2
    report.print_report(result, console)
    if options.json:
        report.write_json(result, _user_path(options.json))
    return 1 if result.differences else 0


def audit(options: argparse.Namespace, console: rich.console.Console) -> report.Report:
    """Compares everything.

    Args:
        options: what the command line says.
        console: where progress is shown.
    """
    start = time.monotonic()
    wheel = Elf(_existing(options.triton or _wheel_library()))
    plugins = [Elf(_existing(path)) for path in [options.canary, *options.plugin]]
    result = report.Report(
        wheel=str(wheel.path),
        libraries=[str(plugin.path) for plugin in plugins],
        llvm_commit="",
    )
    with console.status("reading our classes"):
        ours = _Ours(options, plugins)
    with console.status("reading virtual tables"):
        _compare_vtables(plugins, wheel, result)
    with console.status("comparing symbols and commits"):
        _compare_imports(plugins, wheel, result)
        _compare_commits(plugins, wheel, result)
    with console.status("running the canary"):
        wrong_answers = _run_canary(options.canary)
        result.differences += wrong_answers
    with console.status("reading the wheel's debug information, half a minute or more"):
        theirs = _theirs(options.gdb, wheel, ours.all)
    equal = _compare_layouts(ours, theirs, result)
    unknown = {
        name: layout
        for name, layout in ours.used.items()
        if name not in theirs and proofs.from_sdk(layout)
    }
    exercised = () if wrong_answers else ours.exercised
    result.proofs = proofs.prove(unknown, equal, result.vtables, exercised)
    result.seconds = time.monotonic() - start
    return result


class _Ours:
    """Our classes: those of the headers and, library by library, those that plugins use."""

    def __init__(self, options: argparse.Namespace, plugins: Sequence[Elf]) -> None:
        self._declared = _classes(options.gdb, Elf(_existing(options.probe)))
        self.exercised = _classes(options.gdb, Elf(_existing(options.canary_debug)))
        for classes, path in (
            (self._declared, options.probe),
            (self.exercised, options.canary_debug),
        ):
            if not classes:
                raise AuditError(f"{path} has no debug information; it must be built with -g")
        self._plugins = [self.exercised, *(_classes(options.gdb, plugin) for plugin in plugins)]

    @property
    def libraries(self) -> list[dict[str, Layout]]:
        """One mapping for each library, since each could have a layout of its own."""
        return [self._declared, *self._plugins]

    @property
    def used(self) -> dict[str, Layout]:
        """What the code of plugins uses."""
        return {name: layout for library in self._plugins for name, layout in library.items()}

    @property
    def all(self) -> dict[str, Layout]:
        """All of them."""
        return {name: layout for library in self.libraries for name, layout in library.items()}


def _compare_layouts(ours: _Ours, theirs: Mapping[str, Layout], result: report.Report) -> set[str]:
    """Compares every library's classes; returns those that are equal."""
    standard = {name for name, layout in ours.all.items() if not proofs.from_sdk(layout)}
    differences: dict[Difference, None] = {}
    for library in ours.libraries:
        comparison = compare(library, theirs, nameless=standard)
        differences |= dict.fromkeys(comparison.differences)
    result.differences += differences
    result.compared = len(theirs.keys() - standard)
    result.compared_standard = len(theirs.keys() & standard)
    result.fields = sum(len(layout.members) for layout in theirs.values())
    return theirs.keys() - {difference.type for difference in differences}


def _classes(gdb: str, library: Elf) -> dict[str, Layout]:
    if not library.units:
        return {}
    classes = layouts.read_units(gdb, library.path, library.units)
    # Of classes without a name that others could use, only the library itself has objects.
    return {
        name: layout
        for name, layout in classes.items()
        if not layout.empty
        and not any(mark in name for mark in ("{", "(anonymous", "<lambda"))
        and not _is_of_c(name, layout)
    }


def _is_of_c(name: str, layout: Layout) -> bool:
    """Whether it is a structure of the C library: objects of these are its own business, and it
    gives their spare bytes new names (_IO_FILE in glibc 2.41) without breaking anybody."""
    return len(names.components(name)) == 1 and not proofs.from_sdk(layout)


def _theirs(gdb: str, wheel: Elf, ours: Mapping[str, Layout]) -> dict[str, Layout]:
    spellings = names.Spellings(wheel.debug_strings(), ours)
    wanted = {name: found for name in ours if (found := spellings.of(name))}
    return layouts.look_up(gdb, wheel.path, wanted)


def _compare_vtables(plugins: Sequence[Elf], wheel: Elf, result: report.Report) -> None:
    tables = WheelVtables(wheel.vtables())
    for plugin in plugins:
        comparison = tables.compare(plugin.vtables())
        result.vtables |= comparison.equal
        result.differences += comparison.differences


def _compare_imports(plugins: Sequence[Elf], wheel: Elf, result: report.Report) -> None:
    exports = wheel.exports()
    found: set[str] = set()
    for plugin in plugins:
        imports = plugin.imports()
        found |= imports & exports
        result.differences += [
            Difference(plugin.path.name, "import", name, "absent")
            for name in sorted(imports - exports)
        ]
    result.imports = len(found)


def _compare_commits(plugins: Sequence[Elf], wheel: Elf, result: report.Report) -> None:
    text = wheel.bytes(".rodata")
    for plugin in plugins:
        commit = notes.llvm_commit(plugin.path)
        result.llvm_commit = result.llvm_commit or commit
        if commit.encode() not in text:
            result.differences.append(Difference(plugin.path.name, "LLVM commit", commit, "absent"))


def _run_canary(canary: pathlib.Path) -> list[Difference]:
    """What is wrong with the module that the canary's passes make."""
    command = [sys.executable, str(_CANARY / "run.py"), str(canary), str(_CANARY / "module.mlir")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if run.returncode:
        end = run.stderr.strip().splitlines()[-5:]
        return [Difference("canary", "exit status", "\n".join(end), str(run.returncode))]
    expected = (_CANARY / "expected.mlir").read_text().splitlines()
    lines = difflib.unified_diff(expected, run.stdout.splitlines(), lineterm="", n=0)
    changes = [line for line in lines if not line.startswith(("---", "+++", "@@"))]
    return [
        Difference(
            "canary",
            "line",
            line[1:] if line[0] == "-" else "",
            line[1:] if line[0] == "+" else "",
        )
        for line in changes
    ]


def _wheel_library() -> pathlib.Path:
    spec = importlib.util.find_spec("triton")
    if spec is None or not spec.submodule_search_locations:
        raise AuditError("there is no package triton here; --triton names a libtriton.so")
    return pathlib.Path(next(iter(spec.submodule_search_locations)), "_C", "libtriton.so")


def _existing(path: pathlib.Path) -> pathlib.Path:
    if not path.is_file():
        raise AuditError(f"{path} is not a file")
    return path


def _user_path(path: pathlib.Path) -> pathlib.Path:
    """Bazel starts programs elsewhere than where the user is."""
    return pathlib.Path(os.environ.get("BUILD_WORKING_DIRECTORY", "."), path)


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="abi audit", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="write all of it to FILE")
    parser.add_argument(
        "--plugin",
        type=pathlib.Path,
        action="append",
        default=[],
        metavar="FILE",
        help="a plugin to check besides the canary; every plugin of this repository is by default",
    )
    parser.add_argument(
        "--triton", type=pathlib.Path, metavar="FILE", help="libtriton.so, the package's by default"
    )
    parser.add_argument(
        "--gdb",
        default=os.environ.get("ABI_AUDIT_GDB", "gdb"),
        help="a gdb with Python scripting; %(default)s by default",
    )
    parser.add_argument(
        "--probe",
        type=pathlib.Path,
        default=_HERE / "libprobe_debug.so",
        metavar="FILE",
        help="a library with debug information of all classes in the headers",
    )
    parser.add_argument(
        "--canary-debug",
        type=pathlib.Path,
        default=_HERE / "libcanary_debug.so",
        metavar="FILE",
        help="the canary's code with debug information",
    )
    parser.add_argument(
        "--canary",
        type=pathlib.Path,
        default=_HERE / "libcanary.so",
        metavar="FILE",
        help="the canary",
    )
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
