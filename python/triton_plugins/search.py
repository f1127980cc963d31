"""Finds the library of a plugin by its name.

The places, in order: `TRITON_PLUGIN_PATHS`, installed packages with an entry point in the group
`triton.plugins`, the folder of the Python package `triton_plugins.<name>` (an installed wheel), and
the plugin's own folder in a source or runfiles tree.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterator
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

from .errors import PluginConflictError, PluginFileError, PluginNotFoundError

PATHS_VARIABLE = "TRITON_PLUGIN_PATHS"
ENTRY_POINT_GROUP = "triton.plugins"


def library_name(name: str) -> str:
    """File name of a plugin's library."""
    return f"lib{name}.so"


def environment_paths() -> list[Path]:
    """Returns the entries of `TRITON_PLUGIN_PATHS`.

    Raises:
        PluginFileError: An entry is empty.
    """
    value = os.environ.get(PATHS_VARIABLE)
    if not value:
        return []
    entries = value.split(":")
    if not all(entry.strip() for entry in entries):
        raise PluginFileError(
            f"{PATHS_VARIABLE} has an empty entry: {value!r}. It is a list of library paths with "
            "single colons between them; remove the leading, trailing or doubled colon."
        )
    return [Path(entry) for entry in entries]


def find(name: str) -> Path:
    """Returns the path of a plugin's library.

    Args:
        name: The plugin, for example "tlx".

    Raises:
        PluginNotFoundError: It is in none of the places; the message lists them.
        PluginConflictError: Two installed packages offer it.
    """
    looked_at = []
    for place, path in _candidates(name):
        if path.is_file():
            return path
        looked_at.append(f"{path} ({place})")
    places = (
        "; ".join(looked_at) or f"no entry point and no package triton_plugins.{name} is installed"
    )
    raise PluginNotFoundError(
        f"No plugin named {name!r} was found. Looked at: {places}. Install its package, name its "
        f"{library_name(name)} in {PATHS_VARIABLE}, or call triton_plugins.load_path with the path "
        "of the library."
    )


def installed() -> dict[str, Path]:
    """Returns the libraries that can be found without knowing a name: from the variable and from
    installed packages."""
    found = {}
    for path in environment_paths():
        found.setdefault(path.name.removeprefix("lib").removesuffix(".so"), path)
    for entry in entry_points(group=ENTRY_POINT_GROUP):
        path = next(_entry_point_paths(entry), None)
        if path is not None:
            found.setdefault(entry.name, path)
    for name, path in _sibling_packages():
        found.setdefault(name, path)
    return found


def package_sources(name: str) -> list[Path]:
    """Returns the Python files of the package `triton_plugins.<name>`, sorted; empty if there is
    none."""
    folders = _package_folders(f"{__package__}.{name}")
    return sorted(file for folder in folders for file in folder.rglob("*.py"))


def _candidates(name: str) -> Iterator[tuple[str, Path]]:
    for path in environment_paths():
        if path.name == library_name(name):
            yield PATHS_VARIABLE, path
    yield from _installed_as(name)
    yield from (
        ("beside its Python package", path)
        for path in _beside_package(f"{__package__}.{name}", name)
    )


def _installed_as(name: str) -> list[tuple[str, Path]]:
    """The libraries that installed packages offer under a name, with who offers them."""
    offers = [
        (f"entry point of {entry.dist.name if entry.dist else entry.value}", path)
        for entry in entry_points(group=ENTRY_POINT_GROUP, name=name)
        for path in _entry_point_paths(entry)
    ]
    libraries = {path.resolve(): (place, path) for place, path in offers if path.is_file()}
    if len(libraries) > 1:
        found = " and ".join(f"{path} ({place})" for place, path in libraries.values())
        raise PluginConflictError(
            f"More than one installed package offers a plugin named {name!r}: {found}. Uninstall "
            f"all but one, or name the one you mean in {PATHS_VARIABLE}."
        )
    return offers


def _entry_point_paths(entry: EntryPoint) -> Iterator[Path]:
    """`name = package` stands for lib<name>.so in the package; `name = package:attribute` for the
    path the attribute is or returns."""
    if entry.attr:
        value = entry.load()
        yield Path(value() if callable(value) else value)
    else:
        yield from _beside_package(entry.module, entry.name)


def _sibling_packages() -> Iterator[tuple[str, Path]]:
    for folder in importlib.import_module(__package__).__path__:
        for package in sorted(Path(folder).iterdir()) if os.path.isdir(folder) else ():
            for path in _beside(package, package.name):
                if path.is_file():
                    yield package.name, path


def _beside_package(module: str, name: str) -> Iterator[Path]:
    for folder in _package_folders(module):
        yield from _beside(folder, name)


def _beside(package: Path, name: str) -> Iterator[Path]:
    # Paths stay as they are, unresolved: in a runfiles tree every file is a link out of it.
    yield package / library_name(name)
    if len(package.parents) > 2:
        # plugins/<name>/python/triton_plugins/<name> -> plugins/<name>/lib<name>.so
        yield package.parents[2] / library_name(name)


def _package_folders(module: str) -> list[Path]:
    try:
        spec = importlib.util.find_spec(module)
    except (ImportError, ValueError):
        return []
    return [Path(folder) for folder in (spec.submodule_search_locations or ())] if spec else []
