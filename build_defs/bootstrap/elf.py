"""Makes programs of a newer Debian run on an older one: through their own loader and libraries."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable
from pathlib import Path

from console import BootstrapError

_MAGIC = b"\x7fELF"


def library_folder(root: Path) -> Path:
    """Finds the folder of a tree that holds its C library and, in Debian, most others.

    Args:
        root: The tree, as packages were unpacked into it.

    Returns:
        The folder.

    Raises:
        BootstrapError: The tree holds no C library.
    """
    for libc in root.glob("usr/lib/*-linux-gnu*/libc.so.6"):
        return libc.parent
    raise BootstrapError(f"{root} holds no C library: libc6 was not unpacked into it")


def loader(root: Path) -> Path:
    """Finds the dynamic loader of a tree.

    Args:
        root: The tree, as packages were unpacked into it.

    Returns:
        The loader's path.

    Raises:
        BootstrapError: The tree holds no loader.
    """
    for candidate in sorted(library_folder(root).glob("ld-linux*.so.*")):
        return candidate
    raise BootstrapError(f"{root} holds no dynamic loader: libc6 was not unpacked into it")


def is_elf(file: Path) -> bool:
    """Says whether a file is an ELF file.

    Args:
        file: The file; links are followed.

    Returns:
        True for a regular ELF file.
    """
    if not file.is_file():
        return False
    with file.open("rb") as stream:
        return stream.read(4) == _MAGIC


def make_runnable(root: Path, programs: Iterable[Path], final_root: Path) -> None:
    """Gives programs the tree's own loader and a forced path to its own libraries.

    The path is a DT_RPATH: unlike DT_RUNPATH it holds for what the libraries themselves need, and
    for libraries opened at run time. patchelf must be among the unpacked packages.

    Args:
        root: The tree in which the programs lie now.
        programs: The programs, below root.
        final_root: Where the tree will be when they run.

    Raises:
        BootstrapError: A program cannot be patched or lacks a library.
    """
    interpreter = final_root / loader(root).relative_to(root)
    libraries = final_root / library_folder(root).relative_to(root)
    for program in programs:
        # A program beside its own libraries (the JDK, LLVM) finds them relative to itself.
        own = _patchelf(root, "--print-rpath", program).strip()
        rpath = f"{libraries}:{own}" if own else str(libraries)
        _patchelf(root, "--set-interpreter", interpreter, program)
        _patchelf(root, "--force-rpath", "--set-rpath", rpath, program)
        _check_libraries(root, program)


def _patchelf(root: Path, *arguments: str | Path) -> str:
    result = _through_loader(root, root / "usr/bin/patchelf", *arguments)
    if result.returncode:
        reason = result.stdout.strip() or f"exit status {result.returncode}"
        raise BootstrapError(f"patchelf failed on {arguments[-1]}: {reason}")
    return result.stdout


def _through_loader(root: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [loader(root), "--library-path", library_folder(root), *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )


def _check_libraries(root: Path, program: Path) -> None:
    result = _through_loader(root, "--list", program)
    foreign = [
        line.strip()
        for line in result.stdout.splitlines()
        if "not found" in line or ("=> /" in line and f"=> {root}/" not in line)
    ]
    if result.returncode or foreign:
        found = "; ".join(foreign) or result.stdout.strip()
        raise BootstrapError(
            f"{program.relative_to(root)} needs libraries that were not unpacked with it: {found}"
        )
