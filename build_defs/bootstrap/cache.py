"""The one folder outside the checkout that the bootstrap scripts write to."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

from console import BootstrapError, say

TAG = "CACHEDIR.TAG"

# The first line is what backup programs look for, to leave such a folder out.
_TAG_TEXT = """\
Signature: 8a477f597d28d172789f06886806bc55
# Made by bazelw; ./bazelw clean-cache removes this folder.
"""


def folder(environment: Mapping[str, str]) -> Path:
    """Says where the cache folder is.

    Args:
        environment: The environment variables to ask.

    Returns:
        Its absolute path; it may not exist yet.

    Raises:
        BootstrapError: No variable says where it could be.
    """
    if environment.get("TRITON_PLUGINS_CACHE"):
        return Path(environment["TRITON_PLUGINS_CACHE"]).absolute()
    if environment.get("XDG_CACHE_HOME"):
        return Path(environment["XDG_CACHE_HOME"]).absolute() / "triton-plugins"
    if environment.get("HOME"):
        return Path(environment["HOME"]).absolute() / ".cache" / "triton-plugins"
    raise BootstrapError(
        "HOME is not set, so there is no place for the cache: "
        "set TRITON_PLUGINS_CACHE to a folder that may be written"
    )


def _mark(cache_folder: Path) -> None:
    """Marks a new folder as one that clean-cache may remove."""
    if is_marked(cache_folder):
        return
    others = [path.name for path in cache_folder.iterdir() if path.suffix != ".lock"]
    if others:
        raise BootstrapError(
            f"{cache_folder} holds files that bazelw did not make ({others[0]}): "
            "set TRITON_PLUGINS_CACHE to an empty folder"
        )
    (cache_folder / TAG).write_text(_TAG_TEXT, encoding="utf-8")


def is_marked(cache_folder: Path) -> bool:
    """Says whether a folder is a cache that bazelw made.

    Args:
        cache_folder: The folder.

    Returns:
        True if it carries the mark.
    """
    tag = cache_folder / TAG
    return tag.is_file() and tag.read_text(encoding="utf-8", errors="replace") == _TAG_TEXT


@contextlib.contextmanager
def lock(cache_folder: Path, name: str) -> Iterator[int]:
    """Holds a lock of the cache folder; waits, and says so, while another process holds it.

    A process that inherits the descriptor keeps the lock: what an interrupted run left behind has
    ended when the next run gets it.

    Args:
        cache_folder: The cache folder; made if it is absent.
        name: What is locked.

    Yields:
        The descriptor of the lock.

    Raises:
        BootstrapError: The folder may not be written, or holds something else.
    """
    try:
        cache_folder.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(cache_folder / f"{name}.lock", os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise BootstrapError(
            f"{error.filename} cannot be written ({error.strerror}): "
            "set TRITON_PLUGINS_CACHE to a folder that may be written"
        ) from error
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say(f"another process works in {cache_folder}; waiting until it is done")
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        _mark(cache_folder)
        yield descriptor
    finally:
        os.close(descriptor)


def remove(folder: Path) -> None:
    """Removes a folder, also one that holds folders without write permission, as Bazel makes them.

    Args:
        folder: The folder; it may be absent.
    """
    if not folder.is_dir():
        return
    for parent, _, _ in os.walk(folder):
        os.chmod(parent, 0o700)
    shutil.rmtree(folder)
