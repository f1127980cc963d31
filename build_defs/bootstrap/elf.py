"""Makes programs of a newer Debian run on an older one: through their own loader and libraries."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path

from console import BootstrapError

_MAGIC = b"\x7fELF"


def library_folders(root: Path) -> list[Path]:
    """Finds the folders of a tree in which its loader looks for libraries.

    Args:
        root: The tree, as packages were unpacked into it.

    Returns:
        The multiarch library folder.

    Raises:
        BootstrapError: The tree holds no C library.
    """
    folders = [libc.parent for libc in root.glob("usr/lib/*-linux-gnu*/libc.so.6")]
    if not folders:
        raise BootstrapError(f"{root} holds no C library: libc6 was not unpacked into it")
    return folders[:1]


def loader(root: Path) -> Path:
    """Finds the dynamic loader of a tree.

    Args:
        root: The tree, as packages were unpacked into it.

    Returns:
        The loader's path.

    Raises:
        BootstrapError: The tree holds no loader.
    """
    for folder in library_folders(root):
        for candidate in sorted(folder.glob("ld-linux*.so.*")):
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


def make_runnable(
    root: Path, programs: Iterable[Path], final_root: Path, extra_folders: Sequence[str] = ()
) -> None:
    """Gives programs the tree's own loader and a forced path to its own libraries.

    The path is a DT_RPATH: unlike DT_RUNPATH it holds for what the libraries themselves need, and for
    libraries opened at run time. patchelf must be among the unpacked packages.

    Args:
        root: The tree in which the programs lie now.
        programs: The programs, below root.
        final_root: Where the tree will be when they run.
        extra_folders: More library folders, relative to the tree.

    Raises:
        BootstrapError: A program cannot be patched or lacks a library.
    """
    folders = [folder.relative_to(root) for folder in library_folders(root)]
    folders += [Path(folder) for folder in extra_folders]
    interpreter = final_root / loader(root).relative_to(root)
    rpath = ":".join(str(final_root / folder) for folder in folders)
    patchelf = root / "usr/bin/patchelf"
    for program in programs:
        _through_loader(
            root, patchelf, "--set-interpreter", interpreter, "--force-rpath", "--set-rpath", rpath,
            program,
        )  # fmt: skip
        _check_libraries(root, program, [root / folder for folder in folders])


def _through_loader(root: Path, program: Path, *arguments: str | Path) -> None:
    command = [loader(root), "--library-path", *library_folders(root), program, *arguments]
    result = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    if result.returncode:
        raise BootstrapError(
            f"{program.name} failed on {arguments[-1]}: {result.stdout.strip() or 'no output'}"
        )


def _check_libraries(root: Path, program: Path, folders: Sequence[Path]) -> None:
    search = ":".join(str(folder) for folder in folders)
    command = [loader(root), "--library-path", search, "--list", program]
    result = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
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
