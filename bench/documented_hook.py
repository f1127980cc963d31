"""A stages hook of the form that Triton's own plugin README recommends, to be measured beside ours.

Triton calls the hook without arguments on every launch, and this one answers as that README does:
with the text of its file as the key and a hash of it, so that an edit of the file recompiles the
kernels. Nothing is remembered between calls.
"""

from __future__ import annotations

import hashlib
import pathlib
from typing import Any

from triton._C.libtriton import ir, passes


def key() -> str:
    """The text of this file."""
    return pathlib.Path(__file__).read_text()


def key_hash() -> str:
    """A hash of it."""
    return hashlib.sha256(key().encode()).hexdigest()


def hook(
    backend: Any = None,
    stages: dict[str, Any] | None = None,
    options: Any = None,
    language: Any = None,
    capability: Any = None,
) -> tuple[str, str] | None:
    """Answers with the key, or runs one plugin pass after Triton's own of the stage `ttgir`."""
    if stages is None:
        return key(), key_hash()
    stock = stages["ttgir"]

    def ttgir(module: Any, metadata: dict[str, Any]) -> Any:
        module = stock(module, metadata)
        manager = ir.pass_manager(module.context)
        passes.plugin.add_tlx_lower_waits(manager, [])
        manager.run(module, "documented_hook")
        return module

    stages["ttgir"] = ttgir
    return None
