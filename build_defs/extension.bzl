"""A macro for C++ that Python imports."""

load("@python_env//:headers.bzl", "HAS_PYTHON_HEADERS")
load("@rules_cc//cc:defs.bzl", "cc_binary")

def python_extension(name, srcs, copts = [], linkopts = [], visibility = None):
    """A Python module in C++, with pybind11, for the Python that runs everything.

    Where that Python has no headers there is no module, and importing it fails.

    Targets:
        <name>: <name>.so, or nothing.

    Args:
        name: the module's path without .so, from the package on.
        srcs: sources and headers.
        copts: more compiler options.
        linkopts: more linker options.
        visibility: as usual.
    """
    library = name + ".so"
    if HAS_PYTHON_HEADERS:
        cc_binary(
            name = library,
            srcs = srcs,
            copts = [
                "-std=c++20",
                "-fvisibility=hidden",
                "-Wall",
                "-Wextra",
            ] + copts,
            linkopts = linkopts,
            linkshared = True,
            deps = ["@python_env//:pybind11_headers"],
        )
    native.filegroup(
        name = name,
        srcs = [library] if HAS_PYTHON_HEADERS else [],
        visibility = visibility,
    )
