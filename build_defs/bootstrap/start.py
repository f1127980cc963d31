"""What `bazelw` runs when it does not know yet which Bazel to start, and to remove its cache."""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import bazel_tree
import cache
import debian
from console import BootstrapError, say

_PROBE_TIMEOUT_S = 60
_SERVER_STOP_S = 15


def prepare(cache_folder: Path, tree: Path, candidate: str, stamp: str, version: str) -> None:
    """Decides which Bazel to use and installs Debian's if need be.

    Args:
        cache_folder: The cache folder.
        tree: Where Debian's Bazel belongs, below the cache folder.
        candidate: Bazelisk or Bazel from the PATH; empty if there is none.
        stamp: What `bazelw` compares to learn that the candidate is the one that was tried.
        version: The content of .bazelversion.

    Raises:
        BootstrapError: There is no Bazel to be had.
    """
    _check_compiler()
    with cache.lock(cache_folder, "bazel"):
        reason = ""
        if candidate and _verdict(cache_folder) not in (f"yes {stamp}", f"no {stamp}"):
            say(f"trying {candidate}")
            reason = _unusable(cache_folder, candidate, version)
            if not reason:
                say(f"using {candidate}")
                _write_verdict(cache_folder, f"yes {stamp}")
                return
            say(f"{candidate} cannot be used: {reason}")
        if _verdict(cache_folder) == f"yes {stamp}":
            return
        if not (tree / "bazelw-launch").exists() or _home_of(tree) != str(tree):
            _install(cache_folder, tree)
        # Kept only now: without a network the registry may answer another time.
        if reason:
            _write_verdict(cache_folder, f"no {stamp}")


def _install(cache_folder: Path, tree: Path) -> None:
    say(f"fetching Debian's Bazel into {cache_folder} (once)")
    begin = time.monotonic()

    def finish(root: Path, final_root: Path) -> None:
        bazel_tree.assemble(root, final_root)
        (root / "home").write_text(f"{final_root}\n", encoding="utf-8")

    debian.unpack(bazel_tree.TREE, tree, cache_folder, finish=finish)
    found = subprocess.run(
        [tree / "bazelw-launch", "--version"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if found.returncode:
        cache.remove(tree)
        raise BootstrapError(f"Debian's Bazel does not start here: {found.stdout.strip()}")
    say(f"Debian's Bazel is ready after {time.monotonic() - begin:.0f} s")


def _home_of(tree: Path) -> str:
    home = tree / "home"
    return home.read_text(encoding="utf-8").strip() if home.exists() else ""


def _check_compiler() -> None:
    missing = [tool for tool in ("gcc", "g++") if not shutil.which(tool)]
    if missing and not os.environ.get("CC"):
        raise BootstrapError(
            f"no C++ compiler: {' and '.join(missing)} not found. "
            "Install it (apt-get install g++), or name another one in the variable CC."
        )


def _unusable(cache_folder: Path, candidate: str, version: str) -> str:
    """Asks a Bazel for a module that only a registry has; gives the reason if that fails."""
    probe = cache_folder / "probe"
    cache.remove(probe)
    workspace = probe / "workspace"
    workspace.mkdir(parents=True)
    # Bazelisk, and the wrapper of some packages, look here for the version to start.
    (workspace / ".bazelversion").write_text(f"{version}\n", encoding="utf-8")
    (workspace / "MODULE.bazel").write_text(
        'bazel_dep(name = "platforms", version = "0.0.10")\n', encoding="utf-8"
    )
    bazel = [candidate, f"--output_user_root={probe}/output"]
    try:
        shown = _ask(workspace, [candidate, "--version"])
        words = shown.stdout.split()
        if shown.returncode or len(words) < 2 or words[0] != "bazel":
            return f"it does not say its version ({_last_line(shown.stdout + shown.stderr)})"
        if not words[1].split(".")[0].isdigit() or int(words[1].split(".")[0]) < 7:
            return f"it is Bazel {words[1]}, and 7 or newer is needed"
        graph = _ask(workspace, [*bazel, "mod", "graph"])
        if graph.returncode:
            return f"its module registry does not answer ({_last_line(graph.stderr)})"
    except subprocess.TimeoutExpired:
        return f"it gave no answer within {_PROBE_TIMEOUT_S} s"
    except OSError as error:
        return f"it does not start ({error.strerror})"
    finally:
        _stop_servers(probe / "output")
        cache.remove(probe)
    return ""


def _ask(workspace: Path, command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        cwd=workspace,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=_PROBE_TIMEOUT_S,
        check=False,
    )


def _last_line(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[-1].strip() if lines else "it says nothing"


def _verdict(cache_folder: Path) -> str:
    file = cache_folder / "path-bazel"
    return file.read_text(encoding="utf-8").strip() if file.exists() else ""


def _write_verdict(cache_folder: Path, verdict: str) -> None:
    partial = cache_folder / "path-bazel.partial"
    partial.write_text(f"{verdict}\n", encoding="utf-8")
    partial.rename(cache_folder / "path-bazel")


def clean(cache_folder: Path, checkout: Path) -> None:
    """Stops the Bazel servers and removes the cache folder.

    Args:
        cache_folder: The cache folder.
        checkout: The checkout, whose links into the cache are removed too.

    Raises:
        BootstrapError: The folder is not a cache of ours.
    """
    if not cache_folder.exists():
        say(f"there is no cache: {cache_folder} does not exist")
        return
    if not cache.is_marked(cache_folder):
        raise BootstrapError(
            f"{cache_folder} was not made by bazelw (it holds no {cache.TAG}), so it is left alone"
        )
    with cache.lock(cache_folder, "bazel"), cache.lock(cache_folder, "apt"):
        _stop_servers(cache_folder / "output")
        say(f"removing {cache_folder}")
        cache.remove(cache_folder)
    for link in checkout.glob("bazel-*"):
        if link.is_symlink() and Path(os.readlink(link)).is_relative_to(cache_folder):
            link.unlink()


def _stop_servers(output_user_root: Path) -> None:
    pids = []
    for file in output_user_root.glob("*/server/server.pid.txt"):
        text = file.read_text(encoding="utf-8").strip()
        if text.isdigit() and _serves(int(text), file.parents[1]):
            os.kill(int(text), signal.SIGTERM)
            pids.append((int(text), file.parents[1]))
    deadline = time.monotonic() + _SERVER_STOP_S
    while any(_serves(*pid) for pid in pids):
        if time.monotonic() > deadline:
            for pid, output_base in pids:
                if _serves(pid, output_base):
                    os.kill(pid, signal.SIGKILL)
            deadline += _SERVER_STOP_S
        time.sleep(0.05)


def _serves(pid: int, output_base: Path) -> bool:
    """Says whether a process is the server of an output base, and not one that got its number."""
    try:
        return str(output_base).encode() in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line.

    Args:
        arguments: The arguments; those of the process if absent.

    Returns:
        The exit status.
    """
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    preparing = commands.add_parser("prepare", help="find or install a Bazel")
    preparing.add_argument("--cache", required=True, type=Path)
    preparing.add_argument("--tree", required=True, type=Path)
    preparing.add_argument("--candidate", required=True)
    preparing.add_argument("--stamp", required=True)
    preparing.add_argument("--bazel-version", required=True)
    cleaning = commands.add_parser("clean-cache", help="remove the cache folder")
    cleaning.add_argument("--cache", required=True, type=Path)
    cleaning.add_argument("--checkout", required=True, type=Path)
    options = parser.parse_args(arguments)
    try:
        if options.command == "prepare":
            prepare(
                options.cache, options.tree, options.candidate, options.stamp,
                options.bazel_version,
            )  # fmt: skip
        else:
            clean(options.cache, options.checkout)
    except BootstrapError as error:
        say(f"error: {error}")
        return 1
    except OSError as error:
        # A full disk, or a folder of someone else.
        say(f"error: {error.filename or 'the cache folder'}: {error.strerror}")
        return 1
    except KeyboardInterrupt:
        say("interrupted; run the same command again to go on")
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
