"""Loads plugins into the stock Triton compiler and composes their passes per kernel.

    import triton
    import triton_plugins

    triton_plugins.load("tlx")
    pipeline = triton_plugins.Pipeline("mine").insert_after("ttgir", "coalesce", "tlx_lower")

    @triton_plugins.use(pipeline)
    @triton.jit
    def kernel(...): ...

A plugin's Python package `triton_plugins.<name>` may lie in another folder on sys.path.
"""

from __future__ import annotations

import importlib
import warnings
from pkgutil import extend_path
from typing import TYPE_CHECKING, Any

__path__ = extend_path(__path__, __name__)

from . import running
from .errors import (
    OpError,
    PassError,
    PipelineError,
    PluginConflictError,
    PluginError,
    PluginFileError,
    PluginMismatchError,
    PluginNotFoundError,
    PluginNotLoadedError,
    PluginTooLateError,
)
from .loading import Plugin, load, load_environment, load_path, loaded
from .note import Note, read_note
from .version import __version__

if TYPE_CHECKING:
    from .compilation import compile
    from .dumping import Dump, dump
    from .kernel import use
    from .pipeline import Pipeline, Step
    from .registry import register_pass
    from .target import Target, on

__all__ = [
    "Dump",
    "Note",
    "OpError",
    "PassError",
    "Pipeline",
    "PipelineError",
    "Plugin",
    "PluginConflictError",
    "PluginError",
    "PluginFileError",
    "PluginMismatchError",
    "PluginNotFoundError",
    "PluginNotLoadedError",
    "PluginTooLateError",
    "Step",
    "Target",
    "__version__",
    "compile",
    "dump",
    "load",
    "load_path",
    "loaded",
    "on",
    "read_note",
    "register_pass",
    "use",
]

# What imports Triton comes with its first use, so that plugins can be loaded before: Triton 3.7 and
# 3.8 take none later.
_NEEDS_TRITON = {
    "Dump": "dumping",
    "Pipeline": "pipeline",
    "Step": "pipeline",
    "Target": "target",
    "compile": "compilation",
    "dump": "dumping",
    "on": "target",
    "register_pass": "registry",
    "use": "kernel",
}


def __getattr__(name: str) -> Any:
    if name not in _NEEDS_TRITON:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    # Says more than the import itself when there is no Triton.
    running.folder()
    value = getattr(importlib.import_module(f".{_NEEDS_TRITON[name]}", __name__), name)
    globals()[name] = value
    return value


try:
    load_environment()
except PluginError as error:
    # Importing must work, if only to ask `python -m triton_plugins list` what is wrong; load()
    # raises the error.
    warnings.warn(str(error), RuntimeWarning, stacklevel=2)
