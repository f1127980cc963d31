"""What was planned for a compiled kernel, as text and picture."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from .pipeline import REPORT_ATTRIBUTE

_ATTRIBUTE = re.compile(re.escape(REPORT_ATTRIBUTE) + r' = "((?:[^"\\]|\\.)*)"')
_ESCAPE = re.compile(r"\\([0-9A-Fa-f]{2})")


@dataclass(frozen=True)
class Report:
    """The plans of a kernel's loops.

    Attributes:
        loops: For each loop a dict: `loop` (file:line), `specialized`, and either `reason` or
            `root`, `channels` (`loads`, `bytes` of a stage, `copy`), `depth`, `barriers`,
            `shared_bytes`, `producer` and `consumers` (`warps`, `registers` of a thread).
    """

    loops: tuple[dict[str, Any], ...]

    def __str__(self) -> str:
        console = Console(width=100, record=True, file=None)
        with console.capture() as captured:
            for loop in self.loops:
                console.print(_table(loop))
        return captured.get() or "no loop with a matrix product\n"

    def draw(self, path: str | Path) -> None:
        """Draws producers, channels and consumers.

        Args:
            path: The picture's file; its suffix says the format: .svg, .png, ...

        Raises:
            ImportError: matplotlib is not installed.
        """
        from .picture import draw

        draw(self.loops, Path(path))


def report(compiled: Any) -> Report:
    """Returns what was planned for a kernel.

    Args:
        compiled: A compiled kernel: what `triton_plugins.compile` or a launch returns.

    Raises:
        ValueError: It was not compiled with warp_spec, or not for sm_90a.
    """
    found = _ATTRIBUTE.search(compiled.asm.get("ttgir", ""))
    if found is None:
        raise ValueError(
            "The kernel has no report of warp_spec: it was compiled without its passes, or for an "
            "architecture that they leave alone. Decorate it with @warp_spec.specialize and "
            "compile it for cuda:90"
        )
    text = _ESCAPE.sub(lambda match: chr(int(match.group(1), 16)), found.group(1))
    return Report(tuple(json.loads(text)))


def _table(loop: dict[str, Any]) -> Table:
    table = Table(title=loop["loop"], show_header=False, title_justify="left")
    if not loop["specialized"]:
        table.add_row("not specialized", loop["reason"])
        return table
    for role in ("producer", "consumers"):
        part = loop[role]
        table.add_row(role, f"{part['warps']} warps, {part['registers']} registers a thread")
    for index, channel in enumerate(loop["channels"]):
        table.add_row(
            f"channel {index}",
            f"{loop['depth']} stages of {channel['bytes']} bytes by {channel['copy']}, "
            f"loads at {', '.join(channel['loads'])}",
        )
    table.add_row("barriers", f"{loop['barriers']} mbarriers")
    table.add_row("shared memory", f"{loop['shared_bytes']} bytes in channels")
    table.add_row("root", loop["root"])
    return table
