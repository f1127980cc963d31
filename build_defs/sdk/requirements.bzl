"""Reads requirements.lock and files of its form."""

TRITON = "triton"

def read_lock(rctx):
    """Splits requirements.lock into its packages.

    Args:
        rctx: the repository context.

    Returns:
        A list of (package name, lines that pin it).
    """
    return read_pins(rctx, Label("//:requirements.lock"))

def read_pins(rctx, lock):
    """Splits a lock into its packages.

    Args:
        rctx: the repository context.
        lock: label of the file.

    Returns:
        A list of (package name, lines that pin it).
    """
    packages = []
    for line in rctx.read(lock).split("\n"):
        if not line or line.lstrip().startswith("#"):
            continue
        if line.startswith(" "):
            name, text = packages.pop()
            packages.append((name, text + line + "\n"))
        else:
            packages.append((line.split("==")[0], line + "\n"))
    return packages
