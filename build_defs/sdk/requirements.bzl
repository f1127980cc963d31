"""Reads requirements.lock."""

TRITON = "triton"

def read_lock(rctx):
    """Splits the lock into its packages.

    Args:
        rctx: the repository context.

    Returns:
        A list of (package name, lines that pin it).
    """
    packages = []
    for line in rctx.read(Label("//:requirements.lock")).split("\n"):
        if not line or line.lstrip().startswith("#"):
            continue
        if line.startswith(" "):
            name, text = packages.pop()
            packages.append((name, text + line + "\n"))
        else:
            packages.append((line.split("==")[0], line + "\n"))
    return packages
