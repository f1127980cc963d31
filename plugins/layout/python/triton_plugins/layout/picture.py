"""Pictures of layouts: which thread and register of it hold each element of a tensor."""

from __future__ import annotations

import colorsys
import itertools
import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING

from triton_plugins.errors import PipelineError
from triton_plugins.target import parse_target

from .layouts import Layout
from .report import PlacedLayout, report_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# More cells than that cannot be read.
_MAX_CELLS = 64 * 64


@dataclass(frozen=True, order=True)
class Holder:
    """What holds an element.

    Attributes:
        warp: The warp.
        lane: The thread in the warp.
        register: The element's number among those of the thread.
    """

    warp: int
    lane: int
    register: int


def place(
    layout: Layout | str, shape: Sequence[int], target: str, num_warps: int = 4
) -> PlacedLayout:
    """Returns a layout of registers as bases for a tensor of a shape.

    Args:
        layout: The layout, or its text in MLIR.
        shape: The shape.
        target: "cuda:90", "hip:gfx942", ...; it decides on the threads of a warp.
        num_warps: Warps of a program.

    Raises:
        PipelineError: It is no layout, or does not fit the shape, the target or num_warps.
    """
    gpu = parse_target(target)
    tensor = f"tensor<{'x'.join(map(str, shape))}xi32, {layout}>"
    return report_text(
        f'module attributes {{"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = {num_warps} : i32, '
        f'ttg.target = "{gpu.backend}:{gpu.arch}", '
        f'"ttg.threads-per-warp" = {gpu.warp_size} : i32}} {{\n'
        f"  tt.func @layout(%x: {tensor}) {{\n"
        f"    %0 = ttg.convert_layout %x : {tensor} -> {tensor}\n"
        "    tt.return\n  }\n}\n",
        "layout.mlir",
    ).layouts[0]


def holders(placed: PlacedLayout) -> dict[tuple[int, ...], list[Holder]]:
    """Returns what holds each element, in the first block of a cluster.

    Args:
        placed: The layout with its bases.

    Returns:
        By position; several holders where the layout keeps copies, the first one first.
    """
    found = defaultdict(list)
    spaces = [list(_positions(placed, name)) for name in ("warp", "lane", "register")]
    for numbers in itertools.product(*(range(len(space)) for space in spaces)):
        position = [0] * len(placed.shape)
        for space, number in zip(spaces, numbers, strict=True):
            position = [a ^ b for a, b in zip(position, space[number], strict=True)]
        found[tuple(position)].append(Holder(*numbers))
    return dict(found)


def draw(
    layout: Layout | PlacedLayout | str,
    shape: Sequence[int] | None = None,
    *,
    target: str = "cuda:90",
    num_warps: int = 4,
    file: str | PathLike[str] | None = None,
) -> Figure:
    """Draws a layout of registers: a cell for each element, with the thread and register of its
    first holder; the colour is that of the warp. Dimensions before the last one go down.

    Args:
        layout: A layout, its text in MLIR, or one of a report's layouts.
        shape: Shape of the tensor; a report's layout has one.
        target: "cuda:90", "hip:gfx942", ...
        num_warps: Warps of a program.
        file: Where the picture goes; its ending says which kind (.svg, .png, .pdf).

    Returns:
        The figure of matplotlib.

    Raises:
        PipelineError: The layout does not fit, or the tensor is too large for a picture.
    """
    # Only here: importing it takes longer than everything else.
    from matplotlib.figure import Figure
    from matplotlib.patches import Rectangle

    if not isinstance(layout, PlacedLayout):
        if shape is None:
            raise PipelineError("draw() needs the shape of the tensor: draw(layout, (16, 32)).")
        layout = place(layout, shape, target, num_warps)
    *leading, columns = layout.shape
    rows = math.prod(leading)
    if rows * columns > _MAX_CELLS:
        raise PipelineError(
            f"A tensor of shape {list(layout.shape)} has {rows * columns} elements, too many for a "
            f"picture. Draw one of at most {_MAX_CELLS}; layouts repeat beyond their own size."
        )
    found = holders(layout)
    warps = 1 << len(layout.bases["warp"])
    lanes = 1 << len(layout.bases["lane"])

    figure = Figure(figsize=(1.2 + 0.62 * columns, 1.2 + 0.42 * rows))
    axes = figure.subplots()
    for row, index in enumerate(itertools.product(*map(range, leading))):
        for column in range(columns):
            here = found[(*index, column)]
            copies = f" +{len(here) - 1}" if len(here) > 1 else ""
            axes.add_patch(
                Rectangle((column, row), 1, 1, facecolor=_colour(here[0], warps, lanes), ec="white")
            )
            axes.text(
                column + 0.5,
                row + 0.5,
                f"T{here[0].warp * lanes + here[0].lane}:{here[0].register}{copies}",
                ha="center",
                va="center",
                fontsize=7,
            )
    axes.set(xlim=(0, columns), ylim=(rows, 0), aspect="auto")
    axes.set_xticks([column + 0.5 for column in range(columns)], range(columns), fontsize=7)
    axes.set_yticks(
        [row + 0.5 for row in range(rows)],
        [",".join(map(str, index)) for index in itertools.product(*map(range, leading))],
        fontsize=7,
    )
    axes.xaxis.tick_top()
    axes.set_title(f"{layout.layout}\nthread:register, a colour for each warp", fontsize=8)
    figure.tight_layout()
    if file is not None:
        figure.savefig(file)
    return figure


def _positions(placed: PlacedLayout, dimension: str) -> Iterator[list[int]]:
    """Where the numbers of registers, lanes or warps lead, from number 0 on."""
    bases = placed.bases[dimension]
    for number in range(1 << len(bases)):
        position = [0] * len(placed.shape)
        for bit, basis in enumerate(bases):
            if number >> bit & 1:
                position = [a ^ b for a, b in zip(position, basis, strict=True)]
        yield position


def _colour(holder: Holder, warps: int, lanes: int) -> tuple[float, float, float]:
    """A hue for each warp, paler for later lanes."""
    return colorsys.hls_to_rgb(holder.warp / warps, 0.6 + 0.3 * holder.lane / lanes, 0.7)
