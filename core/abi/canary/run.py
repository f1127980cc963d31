"""Runs the canary's passes and some stock ones over a module and prints what becomes of it.

It is a process of its own, since a plugin that does not fit crashes.
"""

from __future__ import annotations

import pathlib
import sys

from triton._C import libtriton


def transform(plugin: str, module: pathlib.Path) -> str:
    """Returns the module after each pass, as text."""
    ir, passes = libtriton.ir, libtriton.passes
    ir.extend_dialects_with(plugin)
    passes.plugin.extend_with(plugin)
    context = ir.context()
    ir.load_dialects(context)
    mod = ir.parse_mlir_module(str(module), context)
    added = passes.plugin
    steps = {
        "inspect": lambda manager: added.add_canary_inspect(manager, ["tag=7"]),
        "rewrite": lambda manager: added.add_canary_rewrite(manager, []),
        # Canonicalizes too, so it calls the dialect's interface, patterns and folders.
        "inline": passes.common.add_inliner,
    }
    text = []
    for name, add in steps.items():
        manager = ir.pass_manager(context)
        add(manager)
        manager.run(mod, name)
        text.append(f"// After {name}\n{mod.str_nodebug()}")
    return "\n".join(text)


if __name__ == "__main__":
    print(transform(sys.argv[1], pathlib.Path(sys.argv[2])), end="")
