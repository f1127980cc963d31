"""The driver of the lit tests: `python -m triton_plugins opt` as a program of its own."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from triton_plugins.cli.main import main as command_line


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the driver; returns 0, 1 (a module did not do what was asked) or 2 (usage)."""
    return command_line(["opt", *(sys.argv[1:] if argv is None else argv)])


if __name__ == "__main__":
    sys.exit(main())
