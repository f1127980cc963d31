"""Facts about the Triton of this process that can be had without importing it.

Triton 3.7 and 3.8 take plugins only while they are imported, so what is loaded into them has to be
found and checked before that.
"""

from __future__ import annotations

import ctypes
import functools
import importlib.util
import os
import re
import sys
from pathlib import Path

_EXTENSION = "triton._C.libtriton"
_VERSION = re.compile(r"^__version__\s*=\s*['\"]([^'\"]+)['\"]", re.MULTILINE)
# The first release that loads a plugin into a running process.
_FIRST_WITH_CALLS = (3, 9)


@functools.cache
def folder() -> Path:
    """Returns the folder of the package `triton` that this process imports or has imported.

    Raises:
        ImportError: There is none.
    """
    module = sys.modules.get("triton")
    spec = module.__spec__ if module is not None else importlib.util.find_spec("triton")
    if spec is None or not spec.origin:
        raise ImportError(
            "triton_plugins needs Triton, and no package `triton` is on sys.path. Install it: "
            "pip install triton==3.9.0."
        )
    return Path(spec.origin).parent


@functools.cache
def version() -> str:
    """Returns the version of that Triton."""
    found = _VERSION.search((folder() / "__init__.py").read_text())
    return found.group(1) if found else sys.modules["triton"].__version__


def release(text: str) -> str:
    """The part of a version that fixes the ABI: a local suffix (+git...) names the same release."""
    return text.partition("+")[0]


def described() -> str:
    """Version and place of that Triton, the beginning of a sentence."""
    return f"Triton {version()} runs here ({folder()})"


def imported() -> bool:
    """Whether Triton's compiled part is in this process, and has taken the plugins it takes on
    import."""
    return _EXTENSION in sys.modules


def takes_plugins_on_import_only() -> bool:
    """Whether this Triton reads `TRITON_PLUGIN_PATHS` while it is imported and takes no plugin
    later: 3.7 and 3.8."""
    if imported():
        libtriton = sys.modules[_EXTENSION]
        calls = (libtriton, "extend_with"), (libtriton.ir, "extend_dialects_with")
        return not any(hasattr(owner, name) for owner, name in calls)
    numbers = tuple(int(part) for part in re.findall(r"\d+", version())[:2])
    return numbers < _FIRST_WITH_CALLS


@functools.cache
def _handle() -> ctypes.CDLL:
    # Opening the file registers nothing yet, neither with Python nor with LLVM; the later import
    # gets the same copy.
    module = sys.modules.get(_EXTENSION)
    path = module.__file__ if module is not None else folder() / "_C" / "libtriton.so"
    try:
        return ctypes.CDLL(str(path))
    except OSError as error:
        raise ImportError(
            f"Triton {version()} ({folder()}) cannot be loaded: {error}. Install it again."
        ) from error


def exports(symbol: str) -> bool:
    """Whether libtriton.so defines a symbol for others."""
    return hasattr(_handle(), symbol)


def in_process(library: Path) -> bool:
    """Whether a shared library is open in this process."""
    try:
        ctypes.CDLL(str(library), mode=os.RTLD_NOLOAD | os.RTLD_NOW)
    except OSError:
        return False
    return True
