"""Unpacks packages of Debian sid into a folder, without privileges and without touching the host.

    python3 debian.py --dest DIR [--cache DIR] [--exclude REGEX]... PACKAGE...

The mirror and its keys are those of the host's own apt sources, and apt checks the signatures.
DIR appears only when it is complete. What was downloaded is kept until then.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import cache
import elf
from console import BootstrapError, Progress, say
from private_apt import PrivateApt

# Nothing here is needed to build; together it is a good part of the files.
_NEVER_UNPACKED = (
    "./usr/share/bash-completion",
    "./usr/share/bug",
    "./usr/share/doc",
    "./usr/share/doc-base",
    "./usr/share/info",
    "./usr/share/lintian",
    "./usr/share/locale",
    "./usr/share/man",
)


@dataclass(frozen=True)
class Tree:
    """What is wanted in a folder.

    Attributes:
        packages: The packages; what they depend on comes along.
        excludes: Regular expressions of packages to leave out, with what only they need.
        exclude_paths: Patterns of paths to leave out, as tar reads them, such as ./usr/bin/*.
        programs: Globs of the programs that must run on this host.
    """

    packages: Sequence[str]
    excludes: Sequence[str] = ()
    exclude_paths: Sequence[str] = ()
    programs: Sequence[str] = ()


def unpack(
    tree: Tree,
    dest: Path,
    cache_folder: Path,
    *,
    finish: Callable[[Path, Path], None] | None = None,
    keep_downloads: bool = False,
) -> None:
    """Downloads, verifies and unpacks packages, and makes their programs run on this host.

    Args:
        tree: What is wanted.
        dest: The folder to make; an existing one is replaced.
        cache_folder: Where downloads are kept; several processes may share it.
        finish: Completes the folder before it appears; gets where it is and where it will be.
        keep_downloads: Whether to leave the downloads when the folder is complete.

    Raises:
        BootstrapError: The packages cannot be had; dest is as it was.
    """
    check_tools()
    with cache.lock(cache_folder, "apt") as lock_fd:
        apt = PrivateApt(cache_folder / "apt", lock_fd)
        say("reading the package index of Debian sid")
        apt.update()
        # patchelf of the same suite, so that no other tool must be found.
        wanted = [*tree.packages, *(["patchelf"] if tree.programs else [])]
        files = apt.download(apt.resolve(wanted, tree.excludes))
        partial = dest.with_name(f"{dest.name}.partial")
        cache.remove(partial)
        partial.mkdir(parents=True)
        _extract(files, partial, [*_NEVER_UNPACKED, *tree.exclude_paths])
        if tree.programs:
            elf.make_runnable(partial, _programs(tree, partial), dest)
        if finish:
            finish(partial, dest)
        cache.remove(dest)
        partial.rename(dest)
        if not keep_downloads:
            for file in files:
                file.unlink()


def check_tools() -> None:
    """Checks that the host can resolve and unpack Debian packages.

    Raises:
        BootstrapError: A tool is missing.
    """
    missing = [tool for tool in ("apt-get", "dpkg", "dpkg-deb", "tar") if not shutil.which(tool)]
    if missing:
        raise BootstrapError(
            f"{', '.join(missing)} not found: packages of Debian can be unpacked only on Debian. "
            "Elsewhere, put Bazel 7 or newer or Bazelisk on the PATH, and give your own MLIR with "
            "--repo_env=MLIR_SDK_DIR=DIR."
        )


def _extract(files: Sequence[Path], root: Path, excludes: Sequence[str]) -> None:
    progress = Progress(f"unpacking {len(files)} packages")
    total = sum(file.stat().st_size for file in files)
    done = 0
    # dpkg-deb spends its time on decompression in a process of its own, so threads are enough.
    with ThreadPoolExecutor(max_workers=min(4, os.cpu_count() or 1)) as pool:
        for file in pool.map(lambda file: _extract_one(file, root, excludes), files):
            done += file.stat().st_size
            progress.update(done / total)
    progress.close()


def _extract_one(file: Path, root: Path, excludes: Sequence[str]) -> Path:
    options = [f"--exclude={pattern}" for pattern in excludes]
    with subprocess.Popen(
        ["dpkg-deb", "--fsys-tarfile", file], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as source:
        sink = subprocess.run(
            ["tar", "-x", "-C", root, "--no-same-owner", "--keep-directory-symlink", *options],
            stdin=source.stdout,
            stderr=subprocess.PIPE,
            check=False,
        )
        reason = source.stderr.read() + sink.stderr
    if source.returncode or sink.returncode:
        raise BootstrapError(f"{file.name} could not be unpacked:\n{reason.decode().strip()}")
    return file


def _programs(tree: Tree, root: Path) -> list[Path]:
    programs = set()
    for pattern in tree.programs:
        found = {path.resolve() for path in root.glob(pattern) if elf.is_elf(path)}
        if not found:
            raise BootstrapError(f"no program matches {pattern} among the unpacked packages")
        programs |= found
    return sorted(programs)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line.

    Args:
        arguments: The arguments; those of the process if absent.

    Returns:
        The exit status.
    """
    parser = argparse.ArgumentParser(
        description="Unpack packages of Debian sid, and what they depend on, into a folder."
    )
    parser.add_argument("packages", nargs="+", metavar="PACKAGE", help="a package that is wanted")
    parser.add_argument("--dest", required=True, type=Path, help="the folder to make or replace")
    parser.add_argument("--cache", type=Path, help="where downloads are kept (default: bazelw's)")
    parser.add_argument(
        "--exclude", action="append", default=[], metavar="REGEX",
        help="leave out packages whose whole name matches, and what only they need",
    )  # fmt: skip
    parser.add_argument(
        "--exclude-path", action="append", default=[], metavar="PATTERN",
        help="leave out paths, as tar matches them (./usr/share/gdb)",
    )  # fmt: skip
    parser.add_argument(
        "--runnable", action="append", default=[], metavar="GLOB",
        help="programs, relative to the folder, to start through its own loader and libraries",
    )  # fmt: skip
    parser.add_argument(
        "--keep-downloads", action="store_true", help="do not remove the downloads in the end"
    )
    options = parser.parse_args(arguments)
    tree = Tree(options.packages, options.exclude, options.exclude_path, options.runnable)
    try:
        cache_folder = options.cache.absolute() if options.cache else cache.folder(os.environ)
        unpack(tree, options.dest.absolute(), cache_folder, keep_downloads=options.keep_downloads)
    except BootstrapError as error:
        say(f"error: {error}")
        return 1
    except OSError as error:
        # A full disk, or a folder of someone else.
        say(f"error: {error.filename or 'the cache folder'}: {error.strerror}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
