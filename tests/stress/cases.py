"""What the stress test compiles: 40 kernels, five functions for four targets under eight kinds of
pipelines, from four plugins of which one was built without the kit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import triton
import triton.language as tl
from library_maker import built

import triton_plugins
import triton_plugins.tlx as tlx
from triton_plugins import Pipeline, Step

TARGETS = ("cuda:80", "cuda:90", "gfx942", "gfx950")


@triton.jit
def add(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, tl.load(x + at, mask=at < n) + 1.0, mask=at < n)


@triton.jit
def total(x, y, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(y + tl.program_id(0), tl.sum(tl.load(x + at, mask=at < n, other=0.0)))


@triton.jit
def running(x, y, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    sum = tl.zeros((BLOCK,), tl.float32)
    for i in range(n):
        sum += tl.load(x + i * BLOCK + at)
    tl.store(y + at, sum)


@triton.jit
def product(x, y, n, BLOCK: tl.constexpr):
    rows = tl.arange(0, BLOCK)[:, None]
    cols = tl.arange(0, BLOCK)[None, :]
    tile = tl.load(x + rows * n + cols).to(tl.float16)
    tl.store(y + rows * n + cols, tl.dot(tile, tile))


# Its operations bring TLX's pipeline.
@triton.jit
def staged(x, y, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    view = tlx.local_view(tlx.local_alloc((BLOCK,), tlx.dtype_of(x), 1), 0)
    tlx.local_store(view, tl.load(x + at, mask=at < n, other=0.0))
    tl.store(y + at, tlx.local_load(view))


# Powers of two; a dot needs 16 at least.
KERNELS = ((add, 64), (total, 128), (running, 32), (product, 16), (staged, 128))


@dataclass(frozen=True)
class Case:
    """One kernel of the 40.

    Attributes:
        kernel: The function; under `use` if the case has such pipelines.
        block: Its block size.
        target: What it is compiled for.
        around: Pipelines of `with` blocks around the compilation, the outermost first.
        marks: How many Python steps run in it.
        name: For messages.
    """

    kernel: Any
    block: int
    target: str
    around: tuple[Pipeline, ...]
    marks: int
    name: str

    def compile(self) -> tuple[bytes, str]:
        """Compiles it anew: the machine code and its assembly."""
        with ExitStack() as stack:
            for pipeline in self.around:
                stack.enter_context(pipeline)
            asm = triton_plugins.compile(
                self.kernel,
                signature={"x": "*fp32:16", "y": "*fp32:16", "n": "i32"},
                constexprs={"BLOCK": self.block},
                target=self.target,
                options={"num_warps": 1},
            ).asm
        if self.target.startswith("cuda"):
            return asm["cubin"], asm["ptx"]
        return asm["hsaco"], asm["amdgcn"]


def load_plugins() -> Path:
    """Loads the plugins beside TLX; returns the library that carries no note."""
    triton_plugins.load_path(built("tests/stress/libscale.so"))
    triton_plugins.load_path(built("core/test/libkit.so"))
    foreign = Path(triton.__file__).parent / "plugins" / "libTritonPluginsTestLib.so"
    triton_plugins.load_path(foreign)
    return foreign


def cases(foreign_pass: str, mark: Callable[[Any], None]) -> Sequence[Case]:
    """The 40 kernels.

    Args:
        foreign_pass: A pass that renames a kernel.
        mark: A step that has no effect on the module.
    """
    # (pipelines of `use`, pipelines of `with` blocks, Python steps that run)
    times3 = Pipeline("times 3").prepend("ttir", "scale_stores", args=("factor=3",))
    times5 = Pipeline("times 5").append("ttir", "scale_stores", args=("factor=5",))
    rename = Pipeline("rename").append("ttgir", foreign_pass)
    marked = Pipeline("marked").append("ttgir", Step(mark, key="mark"))
    counted = Pipeline("counted").insert_after(
        "ttgir", "coalesce", "kit_count", args=("op=tt.load",)
    )
    uncoalesced = Pipeline("uncoalesced").disable("ttgir", "coalesce")
    ways: Sequence[tuple[tuple[Pipeline, ...], tuple[Pipeline, ...], int]] = (
        ((), (), 0),
        ((times3,), (), 0),
        ((), (times5,), 0),
        ((uncoalesced,), (marked,), 1),
        ((times3 + counted,), (rename,), 0),
        ((rename, marked), (times5, counted), 1),
        ((), (marked, times3, uncoalesced), 1),
        ((counted, times5), (), 0),
    )
    made = []
    for k, (function, block) in enumerate(KERNELS):
        for w, (used, around, marks) in enumerate(ways):
            kernel = function
            for pipeline in used:
                kernel = triton_plugins.use(pipeline)(kernel)
            target = TARGETS[(k + w) % len(TARGETS)]
            names = " / ".join(p.name for p in (*around, *used)) or "stock"
            name = f"{function.__name__} for {target} under {names}"
            made.append(Case(kernel, block, target, around, marks, name))
    return made
