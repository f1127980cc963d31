"""Writes what is generated in docs/: pages from .td files, and the table of TLX's operations.

./bazelw run //docs:update
"""

from __future__ import annotations

import os
import pathlib

from plugins.tlx.test import operations

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


MODEL = "tlx_model.md"
_BEGIN = "<!-- Written by docs/update.py from plugins/tlx/test/operations.py. -->\n"
_END = "<!-- end -->\n"


def with_table(text: str) -> str:
    """The page about TLX's model with the table as it is now."""
    head, begin, rest = text.partition(_BEGIN)
    _, end, tail = rest.partition(_END)
    return f"{head}{begin}{operations.table()}{end}{tail}"


def main() -> None:
    """Writes the pages into the checkout that Bazel was started in."""
    docs = pathlib.Path(os.environ["BUILD_WORKSPACE_DIRECTORY"], "docs")
    for name, source in GENERATED.items():
        (docs / name).write_text(page(source))
        print(f"docs/{name}")
    model = docs / MODEL
    model.write_text(with_table(model.read_text()))
    print(f"docs/{MODEL}")


if __name__ == "__main__":
    main()
