"""Becomes a Python that can import the stock wheel, triton_plugins and every plugin.

`./bazelw run //tools:python -- ARGS`
"""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Replaces this process by the interpreter, with the same arguments, in the user's folder."""
    here = os.path.dirname(os.path.abspath(__file__))
    libraries = [sys.prefix, sys.base_prefix, sys.exec_prefix]
    paths = [
        path
        for path in sys.path
        if path
        and path != here
        and not any(path.startswith(f"{prefix}{os.sep}lib") for prefix in libraries)
    ]
    # Bazel sets it for its own programs; here the script's own folder belongs on the path.
    os.environ.pop("PYTHONSAFEPATH", None)
    os.environ["PYTHONPATH"] = os.pathsep.join(paths)
    os.chdir(os.environ.get("BUILD_WORKING_DIRECTORY", "."))
    os.execv(sys.executable, [sys.executable, *sys.argv[1:]])


if __name__ == "__main__":
    main()
