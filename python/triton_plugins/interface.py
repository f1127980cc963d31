"""How this Triton takes plugins and what it calls their passes and ops: the module to touch when a
Triton changes its loading interface.

| Triton   | loading                                | pass                     | op            |
| -------- | -------------------------------------- | ------------------------ | ------------- |
| 3.7, 3.8 | TRITON_PLUGIN_PATHS, read on import    | passes.plugin.<name>     | <name>        |
| 3.9      | three calls                            | passes.plugin.add_<name> | create_<name> |
| coming   | libtriton.extend_with                  | passes.<plugin>.add_<name> | create_<name> |

Everybody else uses one spelling, the bare name.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

from . import old_ops, running
from .errors import PluginTooLateError
from .note import Note
from .search import PATHS_VARIABLE

_ADD, _CREATE = "add_", "create_"

# Plugin by the name of its pass; coming versions give each plugin a module of its own.
_plugin_of: dict[str, str] = {}


def spelled(note: Note) -> Note:
    """Returns a note with its names in the one spelling.

    A plugin for 3.7 or 3.8 may bring along the prefixes that 3.9 adds by itself.
    """
    if not running.takes_plugins_on_import_only():
        return note
    return replace(
        note,
        passes=tuple(name.removeprefix(_ADD) for name in note.passes),
        ops=tuple(name.removeprefix(_CREATE) for name in note.ops),
    )


def check_in_time(path: Path) -> None:
    """Raises `PluginTooLateError` when this Triton takes no plugin any more and did not take this
    one."""
    if not (running.imported() and running.takes_plugins_on_import_only()):
        return
    if running.in_process(path):
        return
    raise PluginTooLateError(
        f"{path} was not loaded: {running.described()}, takes plugins only while it is "
        f"imported, and is imported already. Call triton_plugins.load or load_path before the "
        f"first `import triton` (and before other packages import it), set {PATHS_VARIABLE}={path} "
        "before the process starts, or install triton==3.9.0, which loads plugins at any time."
    )


def open_library(path: Path, note: Note) -> None:
    """Makes the dialects, passes and ops of a library that was checked before known to Triton.

    A Triton that takes plugins only on import is told to take it then.
    """
    _plugin_of.update(dict.fromkeys(note.passes, note.name))
    if running.takes_plugins_on_import_only():
        if not running.imported():
            announce(path)
        return
    from triton._C import libtriton

    if hasattr(libtriton, "extend_with"):
        libtriton.extend_with(str(path))
        return
    libtriton.ir.extend_dialects_with(str(path))
    libtriton.passes.plugin.extend_with(str(path))
    libtriton.ir.builder.extend_with(str(path))


def announce(path: Path) -> None:
    """Names a library in the variable that Triton 3.7 and 3.8 read on import."""
    entries = [entry for entry in os.environ.get(PATHS_VARIABLE, "").split(":") if entry]
    if str(path) not in entries:
        os.environ[PATHS_VARIABLE] = ":".join([*entries, str(path)])


def withhold(path: Path | None) -> None:
    """Takes a library, and empty entries, out of that variable: with them, the import would end the
    process."""
    entries = os.environ.get(PATHS_VARIABLE, "").split(":")
    kept = [entry for entry in entries if entry.strip() and Path(entry) != path]
    if kept:
        os.environ[PATHS_VARIABLE] = ":".join(kept)
    else:
        os.environ.pop(PATHS_VARIABLE, None)


def pass_adder(name: str) -> Callable[..., None] | None:
    """The function that adds a plugin pass to a pass manager: called with the manager and a list of
    strings."""
    from triton._C.libtriton import passes

    homes = [getattr(passes, home, None) for home in (_plugin_of.get(name, "plugin"), "plugin")]
    bare = (name,) if running.takes_plugins_on_import_only() else ()
    for home in homes:
        for spelling in (*bare, _ADD + name):
            if hasattr(home, spelling):
                return getattr(home, spelling)
    return None


def op_creator(builder: Any, name: str) -> Callable[[Sequence[Any]], Any] | None:
    """The method of the builder that creates a plugin op: called with the operands, it returns the
    result."""
    if not running.takes_plugins_on_import_only():
        return getattr(builder, _CREATE + name, None)
    # The bare name first: the builder has create_ methods of its own, such as create_load.
    create = getattr(builder, name, None) or getattr(builder, _CREATE + name, None)
    if create is not None and running.version().startswith("3.7."):
        return old_ops.with_result(builder, create, name)
    return create


def stock_roots() -> dict[str, ModuleType]:
    """The modules of libtriton that hold pass adders, by the first component of a pass's full name
    ("" for the common ones)."""
    from triton._C import libtriton

    roots = {"": libtriton.passes}
    for backend in ("nvidia", "amd"):
        if hasattr(libtriton, backend):
            roots[backend] = getattr(libtriton, backend).passes
    return roots


def parent_module(root: str) -> ModuleType:
    """The module of libtriton that holds the pass adders of a backend."""
    from triton._C import libtriton

    return getattr(libtriton, root)
