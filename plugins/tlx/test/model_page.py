"""The kernel that docs/tlx_model.md explains, taken from the page."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import triton

_PAGE = Path(__file__).parents[3] / "docs" / "tlx_model.md"


def kernel(folder: Path, **changes: str) -> triton.JITFunction:
    """Returns the kernel of the page.

    Args:
        folder: Where its source is written, which Triton reads.
        **changes: `name="old -> new"`, a text that is replaced by another before.
    """
    _, _, rest = _PAGE.read_text().partition("```python\n")
    source, _, _ = rest.partition("```\n")
    for change in changes.values():
        old, _, new = change.partition(" -> ")
        assert source.count(old) == 1
        source = source.replace(old, new)
    path = folder / "model_kernel.py"
    path.write_text(source)
    spec = importlib.util.spec_from_file_location("model_kernel", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.matmul
