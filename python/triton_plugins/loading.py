"""Loads plugins into this process and remembers them.

A library stays until the process ends: LLVM cannot unload one. Everything here is safe to call from
several threads.
"""

from __future__ import annotations

import hashlib
import os
import threading
import warnings
from dataclasses import dataclass, field
from pathlib import Path

from . import interface, running, search
from .check import check
from .errors import PluginConflictError, PluginError, PluginMismatchError
from .note import Library, Note, read_library
from .table import read_table


@dataclass(frozen=True)
class Plugin:
    """A loaded plugin.

    Attributes:
        note: What the library says about itself.
        path: The library, as it was given.
        digest: sha256 over the library and over the Python files of its package
            `triton_plugins.<name>`; part of every cache key that depends on the plugin.
        has_note: Whether the library carries the kit's note. One that does not was built without
            the kit: its ops take values only.
    """

    note: Note
    path: Path
    digest: str = field(repr=False)
    has_note: bool = True

    @property
    def name(self) -> str:
        """Name of the plugin."""
        return self.note.name


_lock = threading.RLock()
# A process forked while another thread loads would find the lock held for ever.
os.register_at_fork(
    before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_lock.release
)
_plugins: dict[str, Plugin] = {}
_withheld: list[Path] = []
_stamps: dict[Path, tuple[Plugin, tuple[int, ...]]] = {}


def load(*names: str) -> tuple[Plugin, ...]:
    """Finds, checks and loads plugins by name.

    Libraries that `TRITON_PLUGIN_PATHS` names are loaded as well, as Triton 3.7 and 3.8 do on
    import; one that cannot be is a warning if the plugins asked for are there all the same. A
    plugin that is loaded already is returned as it is. Triton 3.7 and 3.8 take plugins only while
    they are imported, so with them this has to come before the first `import triton`.

    Args:
        names: The plugins, for example "tlx".

    Returns:
        The plugins, in the order of the names.

    Raises:
        PluginError: A subclass says what was found, what is needed and what to do.
    """
    with _lock:
        problem = None
        try:
            load_environment()
        except PluginError as error:
            if not names:
                raise
            problem = error
        try:
            plugins = tuple(
                _plugins[name] if name in _plugins else load_path(search.find(name))
                for name in names
            )
        except PluginError as error:
            if problem is not None:
                raise problem from error
            raise
    if problem is not None:
        warnings.warn(str(problem), RuntimeWarning, stacklevel=2)
    return plugins


def load_path(path: str | os.PathLike[str]) -> Plugin:
    """Checks and loads one library.

    Args:
        path: The library.

    Returns:
        The plugin; the same object when it is loaded already.

    Raises:
        PluginFileError: The file is not a readable plugin library.
        PluginMismatchError: It was built for another Triton.
        PluginConflictError: Another loaded library claims one of its names.
        PluginTooLateError: This Triton takes plugins only while it is imported.
    """
    path = Path(path)
    with _lock:
        known = _known(path)
        if known is not None:
            return known
        library = read_library(path)
        check(library)
        interface.check_in_time(path.absolute())
        note = library.note or interface.spelled(read_table(path.absolute()))
        twin = _plugins.get(note.name)
        digest = _digest(note.name, library.contents)
        if twin is not None and twin.digest == digest:
            # The same build under another path, for example in a runfiles tree.
            return twin
        _check_names(library, note)
        try:
            interface.open_library(path.absolute(), note)
        except PluginError:
            raise
        except RuntimeError as error:
            raise PluginMismatchError(
                f"Triton refused to load {path} ({note.label}): {error}. Build it against this "
                "Triton."
            ) from error
        plugin = Plugin(note, path, digest, library.note is not None)
        _plugins[note.name] = plugin
        _stamps[path.resolve()] = plugin, _stamp(path)
        return plugin


def load_environment() -> tuple[Plugin, ...]:
    """Loads every library that `TRITON_PLUGIN_PATHS` names, whoever set it and when.

    Triton 3.9 itself no longer reads the variable. Triton 3.7 and 3.8 end the process on an entry
    that they cannot take: before they are imported, such an entry is taken out of the variable.

    Raises:
        PluginError: An entry cannot be loaded; all others are.
    """
    with _lock:
        try:
            paths = search.environment_paths()
        finally:
            # An empty entry, or an empty variable, is no library.
            _withhold()
        plugins, problems = [], []
        for path in dict.fromkeys([*_withheld, *paths]):
            try:
                plugins.append(_load_entry(path))
            except PluginError as error:
                problems.append(error)
        if problems:
            raise problems[0]
        return tuple(plugins)


def _load_entry(path: Path) -> Plugin:
    try:
        return load_path(path)
    except PluginError as error:
        _withhold(path)
        # Whoever asked for another plugin has to know why this one is loaded at all.
        raise type(error)(
            f"{error} {search.PATHS_VARIABLE} names this library; take it out of there to go on "
            "without it."
        ) from error


def _withhold(path: Path | None = None) -> None:
    """Saves the import of Triton 3.7 and 3.8 from a bad entry; without a path, from empty ones."""
    if search.PATHS_VARIABLE not in os.environ or running.imported():
        return
    if running.takes_plugins_on_import_only():
        interface.withhold(path)
        if path is not None and path not in _withheld:
            # The next call finds it too, and says again why it cannot be loaded.
            _withheld.append(path)


def loaded() -> tuple[Plugin, ...]:
    """Returns the plugins that are loaded, in the order of loading."""
    with _lock:
        return tuple(_plugins.values())


def pass_owner(name: str) -> Plugin | None:
    """Returns the loaded plugin that provides a pass."""
    return next((p for p in _plugins.copy().values() if name in p.note.passes), None)


def op_owner(name: str) -> Plugin | None:
    """Returns the loaded plugin that provides an op."""
    return next((p for p in _plugins.copy().values() if name in p.note.ops), None)


def how_to_load(name: str) -> str:
    """One sentence that says how to get the plugin that a pass or op name points to."""
    prefix = name.partition("_")[0]
    owner = _plugins.get(prefix)
    if owner is not None:
        return (
            f"The loaded plugin {owner.note.label} ({owner.path}) has no such name; it may be "
            "another version than the one needed."
        )
    return (
        f"Load the plugin that provides it first: triton_plugins.load({prefix!r}) finds an "
        f"installed one, triton_plugins.load_path('.../{search.library_name(prefix)}') takes a "
        "path."
    )


def _stamp(path: Path) -> tuple[int, ...]:
    status = path.stat()
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


def _known(path: Path) -> Plugin | None:
    if "\0" in str(path):
        # Only read_library turns such a path into an error of ours.
        return None
    plugin, stamp = _stamps.get(path.resolve(), (None, ()))
    if plugin is not None and path.exists() and _stamp(path) != stamp:
        raise PluginMismatchError(
            f"{path} changed on disk after it was loaded ({plugin.note.label}), and a loaded "
            "library cannot be replaced. Start a new process to use the new build."
        )
    return plugin


def _digest(name: str, contents: bytes) -> str:
    digest = hashlib.sha256(contents)
    for source in search.package_sources(name):
        digest.update(source.read_bytes())
    return digest.hexdigest()


def _check_names(library: Library, note: Note) -> None:
    if note.name in _plugins:
        other = _plugins[note.name]
        raise PluginConflictError(
            f"{library.path} and {other.path} are two different builds of one plugin, "
            f"{note.name!r} ({note.version or '?'} and {other.note.version or '?'}), and the "
            "second is loaded already. One process can hold one of them; remove the other from the "
            "search path."
        )
    for other in _plugins.values():
        for kind in ("passes", "ops", "dialects"):
            shared = sorted(set(getattr(note, kind)) & set(getattr(other.note, kind)))
            if shared:
                raise PluginConflictError(
                    f"{library.path} ({note.label}) and {other.path} ({other.note.label}) both "
                    f"provide the {kind} {', '.join(shared)}. Triton would silently keep one of "
                    "them, so the first is not loaded. Use only one of the two libraries in a "
                    "process."
                )
