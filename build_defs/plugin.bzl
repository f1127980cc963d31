"""Macros for the C++ and Python of a plugin."""

load("@rules_cc//cc:defs.bzl", "cc_binary", "cc_library")
load("@rules_python//python:defs.bzl", "py_library")

# libtriton.so was built without RTTI and with assertions, which add members to some of LLVM's and MLIR's classes.
_ABI_COPTS = [
    "-std=c++20",
    "-fno-rtti",
    "-UNDEBUG",
]
_COPTS = _ABI_COPTS + [
    "-fvisibility=hidden",
    "-fvisibility-inlines-hidden",
    "-ffunction-sections",
    "-fdata-sections",
    "-Wall",
    "-Wextra",
    # Callbacks of MLIR rarely use all that they are given.
    "-Wno-unused-parameter",
    # GCC 12 suspects the empty arrays that LLVM's hashing of attributes makes.
    "-Wno-maybe-uninitialized",
] + select({
    "//build_defs:dbg": ["-O0"],
    "//conditions:default": ["-O2"],
})

def triton_plugin_library(name, srcs = [], hdrs = [], deps = [], copts = [], **kwargs):
    """C++ that goes into plugins, compiled as libtriton.so was.

    Args:
        name: the library.
        srcs: sources and private headers.
        hdrs: public headers.
        deps: libraries beyond the headers of MLIR and Triton.
        copts: more compiler options.
        **kwargs: whatever else cc_library takes.
    """
    cc_library(
        name = name,
        srcs = srcs,
        hdrs = hdrs,
        copts = _COPTS + copts,
        linkstatic = True,
        deps = deps + ["@triton//:headers"],
        **kwargs
    )

def triton_plugin(name, srcs, deps = [], copts = [], python_deps = [], python_data = [], visibility = ["//visibility:public"]):
    """A plugin: lib<name>.so, which the stock Triton wheel can load.

    The library exports nothing but tritonGetPluginInfo, names libtriton.so as needed and links no part of MLIR or LLVM.

    Targets:
        <name>: lib<name>.so, in the folder of the package.
        lib<name>.so: the same.
        python: Python package triton_plugins.<name> from python/, with the library and the hook core. In a package of another name:
            <name>_python.

    Args:
        name: the plugin's name.
        srcs: sources and headers.
        deps: libraries beyond //core: what triton_dialect and triton_passes made.
        copts: more compiler options.
        python_deps: what the Python package needs beyond the hook core.
        python_data: what it has beyond its sources and the library, such as a python_extension.
        visibility: as usual.
    """
    library = "lib{}.so".format(name)
    version_script = "//build_defs:plugin.lds"
    cc_binary(
        name = library,
        srcs = srcs,
        additional_linker_inputs = [version_script],
        copts = _COPTS + copts,
        linkopts = [
            "-Wl,--gc-sections",
            "-Wl,--version-script=$(location {})".format(version_script),
            "-Wl,-z,defs",
        ],
        linkshared = True,
        visibility = visibility,
        deps = deps + [
            "//core",
            "@triton//:headers",
            "@triton//:libtriton_stub",
        ],
    )
    native.alias(
        name = name,
        actual = library,
        visibility = visibility,
    )
    py_library(
        name = "python" if native.package_name().endswith("/" + name) else name + "_python",
        srcs = native.glob(["python/**/*.py"], allow_empty = True),
        data = [library] + python_data,
        imports = ["python"],
        visibility = visibility,
        deps = ["//python:triton_plugins"] + python_deps,
    )
