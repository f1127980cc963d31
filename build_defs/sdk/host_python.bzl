"""The Python of the host, which runs everything."""

_MINIMUM = (3, 11)

_PROBE = """
import json, platform, sys
print(json.dumps({
    "executable": getattr(sys, "_base_executable", sys.executable),
    "version": sys.version_info[:3],
    "machine": platform.machine(),
    "system": platform.system(),
    "implementation": platform.python_implementation(),
}))
"""

def host_python(rctx):
    """Finds the Python that everything runs with.

    Args:
        rctx: the repository context.

    Returns:
        A struct of `path` and `version` ("3.11"), or fails.
    """
    wanted = rctx.getenv("PYTHON") or "python3"
    found = rctx.path(wanted) if "/" in wanted else rctx.which(wanted)
    need = "This project needs CPython {}.{} or newer on Linux, x86-64".format(*_MINIMUM)
    todo = "Install one (Debian 12 or newer: apt install python3), or name one with --repo_env=PYTHON=/path/to/python3"
    if not found or not found.exists:
        fail("No {} on the PATH. {}. {}.".format(wanted, need, todo))
    result = rctx.execute([found, "-I", "-c", _PROBE])
    if result.return_code or not result.stdout.startswith("{"):
        fail("{} is no Python: {}\n{}. {}.".format(found, (result.stderr or result.stdout).strip(), need, todo))
    info = json.decode(result.stdout)
    version = ".".join([str(part) for part in info["version"]])
    if (tuple(info["version"]) < _MINIMUM or
        (info["system"], info["machine"], info["implementation"]) != ("Linux", "x86_64", "CPython")):
        fail("{} is {} {} on {} {}. {}. {}.".format(
            found,
            info["implementation"],
            version,
            info["system"],
            info["machine"],
            need,
            todo,
        ))
    return struct(path = info["executable"], version = "{}.{}".format(*info["version"]))
