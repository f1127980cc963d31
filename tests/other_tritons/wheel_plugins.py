"""Loads the test plugins that a Triton wheel carries, runs their passes and their op under a
pipeline, and prints what came out as JSON."""

# Triton 3.7 and 3.8 take plugins only before they are imported.
# ruff: noqa: E402

from __future__ import annotations

import json

import triton_plugins
from triton_plugins import running

PLUGINS = (
    triton_plugins.load_path(running.folder() / "plugins" / "libTritonPluginsTestLib.so"),
    (triton_plugins.load_path(running.folder() / "plugins" / "libMLIRDialectPlugin.so")),
)

import triton
import triton.language as tl
from triton.language.core import builtin

from triton_plugins.dsl import create_op


@builtin
def custom_op(x, _semantic=None):
    """The op of libMLIRDialectPlugin.so: x + x."""
    return tl.tensor(create_op(_semantic, "custom_op", x=x), x.type)


@triton.jit
def twice_twice(out, n):
    # In a nested block and on what the op itself returned.
    if n > 3:
        tl.store(out, custom_op(custom_op(n.to(tl.float32))))


def main() -> None:
    """Compiles the kernel with and without the passes, for both backends."""
    renames, converts = PLUGINS[0].note.passes[0], PLUGINS[1].note.passes[0]
    pipeline = (
        triton_plugins.Pipeline("test plugins")
        .insert_after("ttir", "common.inliner", renames)
        .insert_before("ttgir", "convert_to_ttgpuir", converts)
    )
    texts = {}
    for target in ("cuda:90", "hip:gfx942"):
        compiled = {
            name: triton_plugins.compile(
                kernel, signature={"out": "*fp32", "n": "i32"}, target=target
            ).asm
            for name, kernel in {
                "stock": twice_twice,
                "edited": triton_plugins.use(pipeline)(twice_twice),
            }.items()
        }
        texts[target] = {
            name: {"ttir": asm["ttir"], "machine_code": len(asm.get("cubin") or asm["hsaco"])}
            for name, asm in compiled.items()
        }
    loaded = [plugin.name for plugin in triton_plugins.loaded()]
    print(json.dumps({"triton": triton.__version__, "loaded": loaded, "targets": texts}))


main()
