"""Installs Python packages with the host's pip, or with one from Debian."""

load(":debian.bzl", "debian_unpack")

# pip downloads up to some gigabytes (PyTorch).
_TIMEOUT_S = 7200

def _pip_command(rctx, python):
    """The command that starts pip: the host's, or else Debian's, which needs no installation."""
    command = [python.path, "-I", "-m", "pip"]
    if rctx.execute(command + ["--version"]).return_code == 0:
        return command
    debian_unpack(rctx, "pip", ["python3-pip-whl"])
    wheels = [
        path
        for path in rctx.path("pip/usr/share/python-wheels").readdir()
        if path.basename.startswith("pip-")
    ]
    return [python.path, "-I", "{}/pip".format(wheels[0])]

def _pip(rctx, python, arguments, what):
    """Runs `pip install` with pip's own configuration, changing nothing outside the repository."""
    # Packages fit one minor version of Python: when the host's changes, they are installed anew.
    rctx.watch(python.path)
    rctx.file("tmp/.keep", executable = False)
    result = rctx.execute(
        _pip_command(rctx, python) + [
            "install",
            "--disable-pip-version-check",
            "--no-cache-dir",
            "--no-input",
            "--no-warn-script-location",
            "--only-binary=:all:",
            "--progress-bar=off",
            "--quiet",
        ] + arguments,
        # On the same file system as the target, so that what was unpacked moves there instead of being copied.
        environment = {"TMPDIR": str(rctx.path("tmp"))},
        timeout = _TIMEOUT_S,
    )
    rctx.delete("tmp")
    rctx.delete("pip")
    if result.return_code:
        # Of pip's warnings only the last attempt's tells why.
        lines = [
            line
            for line in result.stderr.splitlines()
            if not line.startswith("WARNING") or "Retry(total=0" in line
        ]
        fail("""\
pip could not install {} for {} (CPython {}):

{}
It used the machine's own pip configuration (pip config list). Without a network, give it one that names a folder of wheels
(PIP_FIND_LINKS, PIP_NO_INDEX). If pip reports a hash that does not match, the file it was offered is not the one that
requirements.lock pins.""".format(what, python.path, python.version, "\n".join(lines)))

def pip_install(rctx, python, target, arguments, what):
    """Installs exactly the packages named, without what they require.

    Args:
        rctx: the repository context.
        python: what host_python() returned.
        target: folder to install into, relative to the repository.
        arguments: what to install, as arguments of pip.
        what: the same in words, for progress and errors.
    """
    rctx.report_progress("Installing {} (pip)".format(what))
    _pip(rctx, python, ["--no-deps", "--target={}".format(rctx.path(target))] + arguments, what)

def pip_resolve(rctx, python, requirement, what):
    """Asks pip what a package comes to with all that it requires.

    Args:
        rctx: the repository context.
        python: what host_python() returned.
        requirement: the package, as pip reads it.
        what: the same in words, for progress and errors.

    Returns:
        A dict of package names to versions.
    """
    rctx.report_progress("Resolving {} (pip)".format(what))
    _pip(rctx, python, ["--dry-run", "--ignore-installed", "--report=report.json", requirement], what)
    report = json.decode(rctx.read("report.json"))
    rctx.delete("report.json")
    return {package["metadata"]["name"]: package["metadata"]["version"] for package in report["install"]}
