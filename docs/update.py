"""Writes the pages that are generated from .td files into docs/.

./bazelw run //docs:update
"""

from __future__ import annotations

import os
import pathlib

ROOT = pathlib.Path(__file__).parents[1]

# Page in docs/ -> what mlir-tblgen wrote, relative to the root.
GENERATED = {
    "layout_dialect.md": "plugins/layout/IR/layout.md",
    "layout_passes.md": "plugins/layout/Transforms/Passes.md",
    "sparsity24_dialect.md": "plugins/sparsity24/IR/sparsity24.md",
    "sparsity24_passes.md": "plugins/sparsity24/Transforms/Passes.md",
    "tlx_dialect.md": "plugins/tlx/IR/tlx.md",
    "tlx_passes.md": "plugins/tlx/Transforms/Passes.md",
    "warp_spec_dialect.md": "plugins/warp_spec/IR/warp_spec.md",
    "warp_spec_passes.md": "plugins/warp_spec/Transforms/Passes.md",
}


def page(source: str) -> str:
    """The text of a generated page."""
    lines = (ROOT / source).read_text().splitlines()
    return "\n".join(line.rstrip() for line in lines).strip() + "\n"


def main() -> None:
    """Writes the pages into the checkout that Bazel was started in."""
    docs = pathlib.Path(os.environ["BUILD_WORKSPACE_DIRECTORY"], "docs")
    for name, source in GENERATED.items():
        (docs / name).write_text(page(source))
        print(f"docs/{name}")


if __name__ == "__main__":
    main()
