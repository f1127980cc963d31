"""Checks the style of every file that git knows or would add; `-f` fixes what can be fixed.

C++ is clang-format's, Python ruff's, BUILD and .bzl files follow buildifier (see
starlark_style.py), and all text files end with a newline, have no trailing blanks and hold nothing
that ties them to one machine. Continuous integration runs the same.
"""

from __future__ import annotations

import argparse
import dataclasses
import os
import pathlib
import re
import subprocess
import sys
from collections.abc import Callable, Sequence

import clang_format
import ruff
import starlark_style

FIX_COMMAND = "./bazelw run //tools:presubmit -- -f"

# What must not be in a file, and why. Letters in brackets, so that this list does not find itself.
FORBIDDEN = (
    (
        r"\bTO[D]O\b|\bFIX[M]E\b|\bXX[X]\b",
        "leave no notes to do something later; do it or file an issue",
    ),
    (r"(?<![\w.}$)/-])/(hom[e]|roo[t]|wor[k]|Use[r]s)/\w", "name no folder of one machine"),
    (r"\b(pypi|pythonhoste[d])\.org\b|\bdebian\.(or[g]|net)\b", "use the host's own configuration"),
    (r"^(<{7}|>{7}) ", "a merge conflict is left"),
    (
        r"SPDX-License-I[d]entifier|^\W*Copyrigh[t]",
        "files carry no license header; LICENSE is enough",
    ),
)
# Pinned or generated text, which is as its maker wrote it.
GENERATED = re.compile(r"\.lock$|^bench/results/.*\.json$")


@dataclasses.dataclass(frozen=True)
class Report:
    """What one check found: lines to print, and whether `-f` can mend them."""

    lines: list[str]
    fixable: bool


def files(root: pathlib.Path) -> list[str]:
    """Every text file that is committed or would be, relative to the root."""
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=root,
        capture_output=True,
        check=True,
    ).stdout
    names = sorted(set(listing.decode().split("\0")) - {""})
    return [name for name in names if (root / name).is_file() and not (root / name).is_symlink()]


def run_tool(root: pathlib.Path, command: Sequence[str]) -> list[str]:
    """Runs a formatter or linter; returns what it printed if it found something."""
    done = subprocess.run(command, cwd=root, capture_output=True, text=True)
    return (done.stdout + done.stderr).strip().splitlines() if done.returncode else []


def check_cpp(root: pathlib.Path, names: Sequence[str], fix: bool) -> Report:
    """clang-format over C++ sources."""
    sources = [name for name in names if name.endswith((".cpp", ".h"))]
    if not sources:
        return Report([], True)
    program = clang_format.get_executable("clang-format")
    lines = run_tool(root, [program, *(["-i"] if fix else ["--dry-run", "--Werror"]), *sources])
    # One line a place is enough; clang-format also quotes the code.
    return Report([line for line in lines if "error:" in line] or lines, True)


def check_python(root: pathlib.Path, names: Sequence[str], fix: bool) -> Report:
    """ruff's linter and formatter over Python sources."""
    sources = [name for name in names if name.endswith(".py")]
    # The ruff beside the package that requirements.lock pins comes before one of the host.
    pinned = pathlib.Path(ruff.__file__).parents[1] / "bin" / "ruff"
    program = str(pinned if pinned.exists() else ruff.find_ruff_bin())
    lint = [program, "check", "--quiet", "--no-cache", "--output-format=concise"]
    layout = [program, "format", "--quiet", "--no-cache"]
    if fix:
        return Report(
            run_tool(root, [*lint, "--fix", *sources]) + run_tool(root, [*layout, *sources]), False
        )
    lines = run_tool(root, [*lint, *sources])
    return Report(
        lines + run_tool(root, [*layout, "--check", "--output-format=concise", *sources]), True
    )


def check_starlark(root: pathlib.Path, names: Sequence[str], fix: bool) -> Report:
    """The layout of BUILD and .bzl files. Fixing them is left to the author."""
    lines = []
    for name in names:
        base = name.rpartition("/")[2]
        if base in ("BUILD.bazel", "MODULE.bazel", "WORKSPACE") or base.endswith(".bzl"):
            text = (root / name).read_text()
            found = starlark_style.check(text, is_build_file=not base.endswith(".bzl"))
            lines += [f"{name}:{line}: {message}" for line, message in found]
    return Report(lines, False)


def check_whitespace(root: pathlib.Path, names: Sequence[str], fix: bool) -> Report:
    """No trailing blanks, no tabs where blanks are meant, one newline at the end."""
    lines = []
    for name in names:
        path = root / name
        data = path.read_bytes()
        if not data or b"\0" in data or GENERATED.search(name):
            continue
        wanted = re.sub(rb"[ \t\r]+$", b"", data, flags=re.MULTILINE).rstrip(b"\n") + b"\n"
        if wanted != data and fix:
            path.write_bytes(wanted)
        elif wanted != data:
            same = len(os.path.commonprefix([data, wanted]))
            line = data.count(b"\n", 0, same) + 1
            lines.append(f"{name}:{line}: trailing blanks, or not one newline at the end")
    return Report(lines, True)


def check_words(root: pathlib.Path, names: Sequence[str], fix: bool) -> Report:
    """Nothing in FORBIDDEN."""
    lines = []
    for name in names:
        data = (root / name).read_bytes()
        if b"\0" in data or GENERATED.search(name):
            continue
        text = data.decode(errors="replace")
        for pattern, why in FORBIDDEN:
            for match in re.finditer(pattern, text, re.MULTILINE):
                line = text.count("\n", 0, match.start()) + 1
                lines.append(f"{name}:{line}: {match[0].strip()}: {why}")
    return Report(lines, False)


CHECKS: dict[str, Callable[[pathlib.Path, Sequence[str], bool], Report]] = {
    "whitespace": check_whitespace,
    "words": check_words,
    "C++ (clang-format)": check_cpp,
    "Python (ruff)": check_python,
    "Starlark": check_starlark,
}


def main(argv: Sequence[str] | None = None) -> int:
    """Runs every check and returns the exit code."""
    parser = argparse.ArgumentParser(prog="presubmit", description=__doc__)
    parser.add_argument(
        "-f", "--fix", action="store_true", help="change files instead of complaining"
    )
    args = parser.parse_args(argv)
    # Under `bazel run` this file lies in the runfiles tree.
    root = pathlib.Path(
        os.environ.get("BUILD_WORKSPACE_DIRECTORY") or pathlib.Path(__file__).absolute().parents[1]
    )
    names = files(root)
    failed = fixable = False
    for title, check in CHECKS.items():
        report = check(root, names, args.fix)
        if report.lines:
            failed = True
            fixable = fixable or (report.fixable and not args.fix)
            print(f"{title}:")
            print("\n".join(f"  {line}" for line in report.lines))
    if fixable:
        print(f"\nTo fix what a program can fix: {FIX_COMMAND}")
    elif not failed:
        print(f"{len(names)} files are in order.")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
