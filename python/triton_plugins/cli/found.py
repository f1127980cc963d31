"""The plugins that can be found, where, and whether they fit this Triton."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import EntryPoints, entry_points
from pathlib import Path

from .. import loading, search
from ..check import check
from ..errors import PluginError
from ..note import Library, Note, read_library
from .output import CommandError


@dataclass(frozen=True)
class Found:
    """One plugin.

    Attributes:
        name: Its name.
        path: Its library.
        place: How it was found.
        library: What its ELF file says, or None if it cannot be read.
        loaded: The plugin as it is loaded in this process, or None.
        refusal: Why it cannot be loaded, or "".
    """

    name: str
    path: Path
    place: str
    library: Library | None
    loaded: loading.Plugin | None
    refusal: str

    @property
    def note(self) -> Note | None:
        """What the library says about itself; a loaded one without a note says it in its table."""
        if self.loaded is not None:
            return self.loaded.note
        return self.library.note if self.library is not None else None

    @property
    def state(self) -> str:
        """ "loaded", "refused", or "fits" if nobody asked for it yet."""
        return "loaded" if self.loaded is not None else "refused" if self.refusal else "fits"


def plugins() -> list[Found]:
    """The plugins that can be found without a name, and those that are loaded from elsewhere.

    Raises:
        CommandError: An installed package fails when it is asked where its library is.
    """
    try:
        installed = search.installed()
    except PluginError:
        raise
    except Exception as error:
        # Code of any package: whatever it raises.
        packages = (entry.dist.name for entry in _entry_points() if entry.dist is not None)
        raise CommandError(
            f"An entry point of the group {search.ENTRY_POINT_GROUP} fails: "
            f"{type(error).__name__}: {error}. Packages with such entry points are "
            f"{', '.join(packages)}; repair or uninstall the one that fails."
        ) from error
    found = [look(path, name) for name, path in installed.items()]
    seen = {plugin.path.resolve() for plugin in found}
    others = (plugin for plugin in loading.loaded() if plugin.path.resolve() not in seen)
    return found + [look(plugin.path, plugin.name) for plugin in others]


def look(path: Path, name: str = "") -> Found:
    """Looks at one library.

    Args:
        path: The library.
        name: The name it was found by; by default what the library says, or the file's.
    """
    resolved = path.resolve()
    loaded = next((p for p in loading.loaded() if p.path.resolve() == resolved), None)
    library, refusal = None, ""
    try:
        library = read_library(path)
        check(library)
    except PluginError as error:
        refusal = str(error)
    if not name:
        note = library.note if library else None
        name = note.name if note else path.name.removeprefix("lib").removesuffix(".so")
    return Found(name, path, _place(name, path), library, loaded, refusal)


def library_path(text: str) -> Path:
    """The library that a command line means by a path or the name of a plugin."""
    path = Path(text)
    if path.exists() or path.name != text or path.suffix == ".so":
        return path
    return search.find(text)


def _place(name: str, path: Path) -> str:
    if path in search.environment_paths():
        return search.PATHS_VARIABLE
    package = Path("triton_plugins", name)
    if path.parent.parts[-2:] == package.parts:
        return "beside its package"
    if (path.parent / "python" / package).is_dir():
        return "the plugin's folder"
    if name in {entry.name for entry in _entry_points()}:
        return f"entry point {search.ENTRY_POINT_GROUP}"
    return "given path"


def _entry_points() -> EntryPoints:
    return entry_points(group=search.ENTRY_POINT_GROUP)
