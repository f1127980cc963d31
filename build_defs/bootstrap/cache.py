"""The one folder outside the checkout that the bootstrap scripts write to."""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from console import BootstrapError, say


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
        BootstrapError: The folder may not be written.
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
        yield descriptor
    finally:
        os.close(descriptor)
