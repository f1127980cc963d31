"""Draws a report."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, Rectangle

_BOX = {"facecolor": "#e8eef7", "edgecolor": "#30507a"}
_STAGE = {"facecolor": "#fdf3dc", "edgecolor": "#8a6d1f"}


def draw(loops: Sequence[dict[str, Any]], path: Path) -> None:
    """Draws one row for each specialized loop: the producer, its channels with their stages, and
    the consumers."""
    shown = [loop for loop in loops if loop["specialized"]]
    figure = Figure(figsize=(9, 1 + 2.4 * max(len(shown), 1)))
    for index, loop in enumerate(shown):
        axes = figure.add_subplot(len(shown), 1, index + 1)
        _draw_loop(axes, loop)
    figure.tight_layout()
    figure.savefig(path)


def _draw_loop(axes: Any, loop: dict[str, Any]) -> None:
    count = len(loop["channels"])
    axes.set_xlim(0, 12)
    axes.set_ylim(0, count)
    axes.set_axis_off()
    axes.set_title(loop["loop"], loc="left", fontsize=9)
    for x, role in ((0, "producer"), (9, "consumers")):
        part = loop[role]
        axes.add_patch(Rectangle((x, 0.1), 3, count - 0.2, **_BOX))
        text = f"{role}\n{part['warps']} warps\n{part['registers']} registers"
        axes.text(x + 1.5, count / 2, text, ha="center", va="center", fontsize=8)
    for index, channel in enumerate(loop["channels"]):
        middle = count - index - 0.5
        width = 4 / loop["depth"]
        for stage in range(loop["depth"]):
            left = 4 + stage * width
            axes.add_patch(Rectangle((left, middle - 0.2), width * 0.9, 0.4, **_STAGE))
        label = f"{channel['bytes']} bytes a stage, {channel['copy']}"
        axes.text(6, middle + 0.24, label, ha="center", fontsize=7)
        for start, end in ((3, 4), (8, 9)):
            axes.add_patch(
                FancyArrowPatch((start, middle), (end, middle), arrowstyle="->", mutation_scale=10)
            )
