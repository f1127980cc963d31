"""@python_env and @torch: the Python packages, apart from Triton."""

load(":host_python.bzl", "host_python")
load(":pip.bzl", "pip_install", "pip_resolve")
load(":requirements.bzl", "TRITON", "read_lock")

_SITE = "site"

_ENV_BUILD = """\
# The packages that requirements.lock pins, one py_library each, the interpreter that runs them, and its headers.

load("@rules_cc//cc:defs.bzl", "cc_library")
load("@rules_python//python:defs.bzl", "py_library", "py_runtime", "py_runtime_pair")

package(default_visibility = ["//visibility:public"])

# A virtual environment without packages: what the host has installed is out of sight, what a target depends on is not.
py_runtime(
    name = "runtime",
    files = ["venv/pyvenv.cfg"],
    interpreter = "venv/bin/python3",
    python_version = "PY3",
)

py_runtime_pair(
    name = "runtime_pair",
    py3_runtime = ":runtime",
)

toolchain(
    name = "toolchain",
    toolchain = ":runtime_pair",
    toolchain_type = "@rules_python//python:toolchain_type",
)

exports_files(glob(["site/bin/*"]))

cc_library(
    name = "pybind11_headers",
    hdrs = glob(["headers/**/*.h"]),
    includes = [
        "headers/pybind11",
        "headers/python",
    ],
)
"""

# Debian keeps pyconfig.h in a folder of its own, which Python.h's folder points to.
_HEADERS = """
import pathlib, sysconfig
folder = pathlib.Path(sysconfig.get_path("include"))
print(folder if (folder / "Python.h").exists() else "")
"""

_LIBRARY = """
py_library(
    name = {name},
    data = {data},
    imports = ["site"],
    deps = {deps},
)
"""

def _python_env_impl(rctx):
    python = host_python(rctx)
    lock = [text for name, text in read_lock(rctx) if name != TRITON]
    rctx.file("requirements.txt", "".join(lock), executable = False)

    # --without-pip, since Debian's python3 has no ensurepip unless python3-venv is installed.
    result = rctx.execute([python.path, "-I", "-m", "venv", "--without-pip", "venv"])
    if result.return_code:
        fail("{} -m venv failed:\n{}".format(python.path, result.stderr))
    pip_install(
        rctx,
        python,
        _SITE,
        ["--require-hashes", "--requirement=requirements.txt"],
        "the Python packages of requirements.lock",
    )

    result = rctx.execute([python.path, "-I", rctx.path(Label(":list_packages.py")), _SITE])
    if result.return_code:
        fail("list_packages.py failed:\n" + result.stderr)

    # Only modules in C++ need Python's headers, so who has none can do without those.
    headers = rctx.execute([python.path, "-I", "-c", _HEADERS]).stdout.strip()
    if headers:
        rctx.symlink(headers, "headers/python")
    rctx.symlink(_SITE + "/pybind11/include", "headers/pybind11")
    rctx.file("headers.bzl", "HAS_PYTHON_HEADERS = {}\n".format(bool(headers)), executable = False)

    # Whole folders as inputs: a package is one link in a sandbox or runfiles tree, instead of thousands.
    rctx.file("BUILD.bazel", _ENV_BUILD + "".join([
        _LIBRARY.format(
            name = repr(package["name"]),
            data = repr([_SITE + "/" + entry for entry in package["entries"]]),
            deps = repr([":" + dependency for dependency in package["requires"]]),
        )
        for package in json.decode(result.stdout)
    ]), executable = False)

python_env_repository = repository_rule(
    implementation = _python_env_impl,
    doc = "Installs requirements.lock, without Triton, for the host's Python.",
)

_TORCH_VERSION = "2.13.0"

_TORCH_BUILD = """\
# PyTorch, or nothing where it is not wanted: {reason}.

load("@rules_python//python:defs.bzl", "py_library")

py_library(
    name = "torch",
    data = {data},
    imports = ["site"],
    visibility = ["//visibility:public"],
)
"""

def _torch_impl(rctx):
    # It is some gigabytes and only code that runs on a GPU needs it. Not in the lock: the CPU and the CUDA build share a version,
    # and the machine's own pip configuration says which one it gets.
    vendors = rctx.read(Label("@host_gpu//:vendors.txt")).splitlines()
    wanted = rctx.getenv("TORCH") or ("1" if vendors else "0")
    if wanted not in ("0", "1"):
        fail("--repo_env=TORCH={}: 1 (always), 0 (never) or nothing (where there is a GPU) is needed".format(wanted))
    data = []
    if wanted == "1":
        python = host_python(rctx)
        what = "PyTorch " + _TORCH_VERSION

        # PyTorch asks for another release of Triton; ours comes with @triton.
        packages = pip_resolve(rctx, python, "torch==" + _TORCH_VERSION, what)
        pip_install(rctx, python, _SITE, [
            "{}=={}".format(name, version)
            for name, version in packages.items()
            if name != TRITON
        ], what)
        data = [_SITE]
    rctx.file("BUILD.bazel", _TORCH_BUILD.format(
        data = repr(data),
        reason = "TORCH={}, GPUs found: {}".format(wanted, ", ".join(vendors) or "none"),
    ), executable = False)

torch_repository = repository_rule(
    implementation = _torch_impl,
    doc = "Installs PyTorch where there is a GPU.",
)
