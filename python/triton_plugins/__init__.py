"""Loads plugins into the stock Triton compiler and composes their passes per kernel.

    import triton_plugins

    triton_plugins.load("tlx") pipeline = triton_plugins.Pipeline("mine").insert_after("ttgir",
    "convert_to_ttgpuir", "tlx_exit_ttgpuir")

    @triton_plugins.use(pipeline)
    @triton.jit
    def kernel(...): ...

A plugin's Python package `triton_plugins.<name>` may lie in another folder on sys.path.
"""

from __future__ import annotations

import warnings
from pkgutil import extend_path

__path__ = extend_path(__path__, __name__)

from .compilation import compile
from .dumping import Dump, dump
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
)
from .kernel import use
from .loading import Plugin, load, load_environment, load_path, loaded
from .note import Note, read_note
from .pipeline import Pipeline, Step
from .target import Target, on
from .version import __version__

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
    "use",
]

try:
    load_environment()
except PluginError as error:
    # Importing must work, if only to ask `python -m triton_plugins list` what is wrong; load()
    # raises the error.
    warnings.warn(str(error), RuntimeWarning, stacklevel=2)
