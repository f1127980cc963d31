"""What the bootstrap scripts tell the user: messages, progress and errors."""

from __future__ import annotations

import sys
import time

_REPORT_EVERY_S = 5.0


class BootstrapError(Exception):
    """A failure the user can act on; the message says what was found and what to do."""


def say(message: str) -> None:
    """Prints one line to standard error, so that the output of Bazel stays clean."""
    print(f"bazelw: {message}", file=sys.stderr, flush=True)


class Progress:
    """A percentage that is redrawn on a terminal and printed now and then elsewhere."""

    def __init__(self, what: str) -> None:
        """Starts at nothing done.

        Args:
            what: Says what is being done, such as "downloading 130 packages".
        """
        self._what = what
        self._terminal = sys.stderr.isatty()
        self._last_percent = -1
        self._last_time = time.monotonic()
        if not self._terminal:
            say(f"{what} ...")

    def update(self, fraction: float) -> None:
        """Shows how far the work is.

        Args:
            fraction: The part that is done, from 0 to 1.
        """
        percent = int(100 * fraction)
        if percent <= self._last_percent:
            return
        if self._terminal:
            print(f"\rbazelw: {self._what}: {percent:3d} %", end="", file=sys.stderr, flush=True)
        elif time.monotonic() - self._last_time < _REPORT_EVERY_S:
            return
        else:
            say(f"{self._what}: {percent} %")
        self._last_percent = percent
        self._last_time = time.monotonic()

    def close(self) -> None:
        """Ends the line that a terminal shows."""
        if self._terminal:
            print(file=sys.stderr, flush=True)
