"""The compiled functions for matrices in the host's memory."""

from __future__ import annotations

import functools
from types import ModuleType


@functools.cache
def host() -> ModuleType:
    """Returns the extension module.

    Raises:
        ImportError: It was built for another Python, or not at all.
    """
    try:
        from . import _host
    except ImportError as error:
        raise ImportError(
            "triton_plugins.sparsity24 has no extension module for this Python, so it cannot work "
            f"on matrices in the host's memory ({error}). Build it with this Python and its "
            "headers, or move the matrix to the GPU."
        ) from error
    return _host
