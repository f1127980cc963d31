"""Checks what plugins need: the Triton wheel and its interface for plugins, Python, headers, the
plugins that can be found, GPUs and PyTorch, the cache folder, Triton's hook slot, and variables.

Each check has a verdict (ok, warning, problem) and, unless all is well, a remedy. The exit status
is 1 if there is a problem.
"""

from __future__ import annotations

import argparse
from dataclasses import asdict

from . import checkup
from .output import Output, Section


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """It takes none."""


def run(args: argparse.Namespace, out: Output) -> int:
    """Prints the findings; 1 if one is a problem."""
    findings = [finding for check in checkup.CHECKS for finding in check()]
    columns = ("check", "verdict", "found", "remedy")
    out.show([Section("findings", columns, [asdict(finding) for finding in findings])])
    return int(any(finding.verdict == checkup.PROBLEM for finding in findings))
