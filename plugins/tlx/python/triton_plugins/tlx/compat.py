"""Lets kernels written for TLX elsewhere run as they are.

    import triton_plugins.tlx.compat

    import triton.language.extra.tlx as tlx                         # is there now
    from triton.language.extra.tlx.warp_spec import get_bufidx_phase

This gives the operations of `triton_plugins.tlx` a second name and does nothing else: no class of
Triton changes, and kernels that use none of them compile as before.

The launch option `ctas_per_cga`, which Triton refuses, is there for modules imported in a block:

    with triton_plugins.tlx.compat.importing():
        import their_kernels
"""

from __future__ import annotations

import sys
from types import ModuleType

from triton_plugins import tlx

from . import blackwell, tasks
from .launch import importing as importing

NAME = "triton.language.extra.tlx"


def _make_module() -> ModuleType:
    module = ModuleType(NAME, tlx.__doc__)
    # Only a package has submodules.
    module.__path__ = []
    module.__all__ = list(tlx.__all__)
    for name in tlx.__all__:
        setattr(module, name, getattr(tlx, name))
    for name in ("_alloc_clc_responses", "_clc_issue", "_clc_query", "_to_mxfp8_block"):
        setattr(module, name, getattr(blackwell, name))
    # Kernels written for the peer's own name of this class.
    module.storage_alias_spec_type_class = type(tlx.storage_alias_spec)
    return module


def _install(name: str, module: ModuleType) -> None:
    sys.modules[name] = module
    parent, _, attribute = name.rpartition(".")
    setattr(sys.modules[parent], attribute, module)


if NAME in sys.modules:
    other = getattr(sys.modules[NAME], "__file__", None)
    raise ImportError(
        f"{NAME} is there already{f', from {other}' if other else ''}; one process can use one "
        "implementation of it"
    )
_warp_spec = ModuleType(f"{NAME}.warp_spec", "Helpers of kernels with tasks.")
_warp_spec.get_bufidx_phase = tasks.get_bufidx_phase
_install(NAME, _make_module())
_install(f"{NAME}.warp_spec", _warp_spec)
