"""The tutorials of the package triton-utlx, imported through the compat module.

They are read from the unpacked package, whose folder the variable UTLX names. Where there is no
PyTorch or no GPU, stand-ins let them be imported, which is enough to compile their kernels.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import importlib.util
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from unittest import mock

import triton
from triton.backends.compiler import GPUTarget

from triton_plugins.tlx import compat


class _Driver:
    """Stands for the driver of a Hopper GPU that is not there."""

    def get_active_torch_device(self) -> str:
        return "cuda"

    def get_current_target(self) -> GPUTarget:
        return GPUTarget("cuda", 90, 32)


def has_gpu() -> bool:
    """Whether PyTorch is there and finds a GPU."""
    return importlib.util.find_spec("torch") is not None and _torch_finds_gpu()


def _torch_finds_gpu() -> bool:
    import torch

    return torch.cuda.is_available()


@contextlib.contextmanager
def _host() -> Iterator[None]:
    with contextlib.ExitStack() as stack:
        stack.enter_context(compat.importing())
        if not has_gpu():
            # Not patch.dict, which would forget what is imported meanwhile.
            sys.modules["torch"] = mock.MagicMock()
            sys.modules["torch"].cuda.get_device_capability.return_value = (9, 0)
            stack.callback(sys.modules.pop, "torch")
            stack.enter_context(mock.patch.object(triton.runtime.driver, "_active", _Driver()))
        yield


@functools.cache
def load(name: str) -> ModuleType:
    """Imports a tutorial by its file's name without ".py"."""
    path = Path(os.environ["UTLX"]).absolute() / "tlx" / "tutorials" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"tutorial_{name.replace('-', '_')}", path)
    module = importlib.util.module_from_spec(spec)
    with _host():
        spec.loader.exec_module(module)
    return module


def public_names() -> list[str]:
    """The names that the package gives kernels: its `__all__`."""
    path = Path(os.environ["UTLX"]).absolute() / "utlx_plugin" / "__init__.py"
    # Importing it would load its library, which is for another Triton.
    for statement in ast.parse(path.read_text()).body:
        if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == "__all__":
            return ast.literal_eval(statement.value)
    raise AssertionError(f"{path} has no __all__")
