"""Makes requirements.lock anew from requirements.in: `./bazelw run //tools:lock [-- --upgrade]`.

It is uv that resolves, for every Python the project supports at once; it is found on the PATH, or
installed for this one run.
"""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

_HEADER = """\
# Pins with hashes for CPython 3.11 and newer. Made from requirements.in; to make it anew:
#   ./bazelw run //tools:lock                (-- --upgrade takes newer releases)
"""


def uv(folder: str) -> str:
    """Finds uv, or installs it into the folder."""
    if found := shutil.which("uv"):
        return found
    # The interpreter under Bazel has no pip; the host's has.
    host = getattr(sys, "_base_executable", sys.executable)
    subprocess.run(
        [host, "-m", "pip", "install", "--quiet", f"--target={folder}", "uv"], check=True
    )
    return f"{folder}/bin/uv"


def main() -> None:
    """Writes the lock."""
    root = pathlib.Path(os.environ["BUILD_WORKSPACE_DIRECTORY"])
    lock = root / "requirements.lock"
    with tempfile.TemporaryDirectory() as folder:
        new = pathlib.Path(folder, "requirements.lock")
        # uv keeps the pins that it finds in the output, unless it is told to upgrade.
        shutil.copy(lock, new)
        command = [
            uv(folder),
            "pip",
            "compile",
            "--quiet",
            "--no-header",
            "--universal",
            "--python-version=3.11",
        ]
        command += [
            "--generate-hashes",
            "--fork-strategy=fewest",
            f"--output-file={new}",
            *sys.argv[1:],
            "requirements.in",
        ]
        subprocess.run(command, check=True, cwd=root)
        lock.write_text(_HEADER + new.read_text())


if __name__ == "__main__":
    main()
