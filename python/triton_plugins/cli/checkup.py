"""The checks of `doctor`. Each looks at one thing and yields findings; none changes anything."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import platform
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from triton import knobs

from .. import check, running, search
from ..errors import PluginError
from . import found, gpus
from .output import CommandError

OK, WARNING, PROBLEM = "ok", "warning", "problem"

# Any symbol of MLIR that plugins cannot do without.
_MLIR_SYMBOL = "_ZN4mlir9Operation7destroyEv"
_INSTALL = "Install the triton wheel from PyPI (pip install triton==3.9.0)."

# What a set variable does that surprises, and what to do then.
_VARIABLES = {
    check.UNSAFE_VARIABLE: (
        "libraries are opened without a check, and one that does not fit crashes the process",
        "Unset it.",
    ),
    "TRITON_PLUGIN_VERSION_CHECK": (
        "Triton's own check of a plugin's version is changed",
        "Unset it, unless a plugin's instructions ask for it.",
    ),
    "TRITON_INTERPRET": (
        "kernels run as Python, and no pass of a plugin runs",
        "Unset it to compile kernels.",
    ),
    "TRITON_ALWAYS_COMPILE": (
        "nothing is taken from the cache",
        "Unset it; the cache keys cover plugins and pipelines.",
    ),
    "TRITON_KERNEL_OVERRIDE": (
        "IR from a folder replaces what the stages make",
        "Unset it, unless that is wanted.",
    ),
}


@dataclass(frozen=True)
class Finding:
    """What one check found.

    Attributes:
        check: What was looked at.
        verdict: "ok", "warning" or "problem".
        found: What was found.
        remedy: What to do about it; empty if there is nothing to do.
    """

    check: str
    verdict: str
    found: str
    remedy: str = ""


def wheel() -> Iterator[Finding]:
    """The Triton that runs here, and whether it takes plugins."""
    yield Finding("wheel", OK, f"Triton {running.version()} in {running.folder()}")
    commit = check.llvm_commit()
    if commit:
        yield Finding("wheel llvm", OK, f"LLVM {commit}")
    else:
        yield Finding(
            "wheel llvm",
            WARNING,
            "libtriton.so does not say which LLVM it was built from, so plugins are compared by "
            "Triton's version alone",
            _INSTALL,
        )
    if not running.exports(_MLIR_SYMBOL):
        yield Finding(
            "wheel plugins",
            PROBLEM,
            "libtriton.so exports no MLIR symbols, so no plugin can be loaded",
            f"{_INSTALL} Or build Triton with TRITON_EXT_ENABLED=1.",
        )
    elif running.takes_plugins_on_import_only():
        yield Finding(
            "wheel plugins",
            WARNING,
            f"Triton {running.version()} loads plugins only while it is imported, from "
            f"{search.PATHS_VARIABLE}",
            f"Set {search.PATHS_VARIABLE} before Python starts, or install triton==3.9.0.",
        )
    else:
        yield Finding("wheel plugins", OK, "libtriton.so exports MLIR and loads plugins")


def python() -> Iterator[Finding]:
    """The interpreter."""
    implementation = platform.python_implementation()
    yield Finding("python", OK, f"{implementation} {platform.python_version()} ({sys.executable})")


def headers() -> Iterator[Finding]:
    """Whether a plugin can be built against this wheel."""
    include = running.folder() / "include" / "triton"
    count = sum(1 for _ in include.rglob("*.h"))
    if count:
        yield Finding("headers", OK, f"{count} headers in {include}")
    else:
        yield Finding(
            "headers",
            WARNING,
            f"There are no headers in {include}: plugins can be loaded but not built",
            "Triton's wheels have them from 3.9.0 on; install it to build plugins.",
        )


def plugins() -> Iterator[Finding]:
    """Whether each plugin that can be found fits the wheel."""
    try:
        present = found.plugins()
    except (PluginError, CommandError) as error:
        yield Finding("plugins", PROBLEM, str(error), "Correct it as it says.")
        return
    if not present:
        yield Finding(
            "plugins",
            WARNING,
            "No plugin was found",
            f"Install one, or name its library in {search.PATHS_VARIABLE}.",
        )
    for plugin in present:
        name = f"plugin {plugin.name}"
        note = plugin.note
        if plugin.refusal:
            yield Finding(name, PROBLEM, plugin.refusal, "Do what the refusal says, or remove it.")
        elif note is None:
            yield Finding(
                name,
                WARNING,
                f"{plugin.path} carries no note; its symbols and version strings fit",
                "A build with the triton_plugin kit can be checked exactly.",
            )
        else:
            built = f"Triton {note.triton_version}, LLVM {note.llvm_commit or 'unknown'}"
            yield Finding(name, OK, f"{note.label} for {built}: {plugin.path} {plugin.state}")


def devices() -> Iterator[Finding]:
    """The GPUs, their drivers, and PyTorch, through which Triton launches kernels."""
    present = gpus.gpus()
    for gpu in present:
        yield Finding("gpu", OK, f"{gpu.name}, {gpu.arch}, driver {gpu.driver}")
    if not present:
        yield Finding(
            "gpu",
            WARNING,
            "No GPU was found",
            "Kernels can be compiled for a named target (triton_plugins.compile) but not run. "
            "If there is a GPU, check its driver.",
        )
    if importlib.util.find_spec("torch") is None:
        yield Finding(
            "torch",
            WARNING,
            "PyTorch is not installed",
            "Triton needs it to launch kernels, not to compile them; install it to run kernels.",
        )
    else:
        try:
            version = importlib.metadata.version("torch")
        except importlib.metadata.PackageNotFoundError:
            version = "without metadata"
        yield Finding("torch", OK, f"PyTorch {version}")


def cache() -> Iterator[Finding]:
    """The cache folder."""
    folder = Path(knobs.cache.dir)
    there = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    problem = ""
    if not there.is_dir():
        problem = f"{there} is no folder"
    else:
        try:
            # Permission bits do not tell of read-only and full file systems.
            with tempfile.TemporaryFile(dir=there) as file:
                file.write(b"\0" * 4096)
        except OSError as error:
            problem = f"{there} cannot be written: {error.strerror}"
    if problem:
        remedy = "Make it writable, or point TRITON_CACHE_DIR at a folder that is."
        yield Finding("cache", PROBLEM, f"Cache folder {folder}: {problem}", remedy)
    else:
        made = "" if there == folder else ", which is made when it is needed"
        yield Finding("cache", OK, f"Cache folder {folder}{made}")


def hook() -> Iterator[Finding]:
    """The slot in which Triton takes one hook of a process."""
    holder = knobs.runtime.add_stages_inspection_hook
    if holder is None:
        yield Finding("hook", OK, "Nobody holds Triton's hook slot")
        return
    module = getattr(holder, "__module__", None) or type(holder).__module__
    name = f"{module}.{getattr(holder, '__qualname__', type(holder).__qualname__)}"
    if module.partition(".")[0] == __package__.partition(".")[0]:
        yield Finding("hook", OK, f"triton_plugins holds Triton's hook slot ({name})")
    else:
        yield Finding(
            "hook",
            WARNING,
            f"{name} holds Triton's hook slot: it applies to every kernel, and Triton asks it on "
            "every launch",
            "Pipelines work beside it; remove it if nothing needs it.",
        )


def environment() -> Iterator[Finding]:
    """The variables that Triton and triton_plugins read."""
    names = sorted(name for name in os.environ if name.startswith("TRITON_"))
    for name in names:
        label = f"{name}={os.environ[name]}"
        if name in _VARIABLES:
            effect, remedy = _VARIABLES[name]
            yield Finding("environment", WARNING, f"{label}: {effect}", remedy)
        else:
            yield Finding("environment", OK, label)
    if not names:
        yield Finding("environment", OK, "No variable TRITON_* is set")


CHECKS = (wheel, python, headers, plugins, devices, cache, hook, environment)
