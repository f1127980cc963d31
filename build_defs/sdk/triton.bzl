"""@triton: the stock wheel, as a Python package and as an SDK."""

load(":host_python.bzl", "host_python")
load(":pip.bzl", "pip_install")
load(":requirements.bzl", "TRITON", "read_lock")

_BUILD = """\
# Stock Triton: {origin}.

load("@rules_cc//cc:defs.bzl", "cc_library")
load("@rules_python//python:defs.bzl", "py_library")
load("{stub_bzl}", "triton_stub")
load("{tblgen_bzl}", "td_library")

package(default_visibility = ["//visibility:public"])

py_library(
    name = "triton",
    # Whole folders as inputs: one link each in a sandbox or runfiles tree, instead of hundreds. Triton finds its backends
    # through the entry points that the second folder holds.
    data = ["site/triton"] + glob(
        ["site/triton-*.dist-info"],
        exclude_directories = 0,
    ),
    imports = ["site"],
)

# The library itself is 500 MB and takes long to link against, so plugins link against its symbols.
triton_stub(
    name = "libtriton_stub",
    header = "generated/triton_sdk.h",
    libtriton = ":libtriton",
)

cc_library(
    name = "headers",
    hdrs = glob([
        "site/triton/include/**/*.h",
        "site/triton/include/**/*.inc",
    ]) + ["generated/triton_sdk.h"],
    includes = [
        "generated",
        "site/triton/include",
    ],
    deps = ["@mlir_sdk//:headers"],
)

td_library(
    name = "td_files",
    srcs = glob(["site/triton/include/**/*.td"]),
    includes = ["site/triton/include"],
    deps = ["@mlir_sdk//:td_files"],
)

filegroup(
    name = "FileCheck",
    srcs = ["links/FileCheck"],
)

filegroup(
    name = "libtriton",
    srcs = ["links/libtriton.so"],
)
"""

def _triton_impl(rctx):
    own = rctx.getenv("TRITON_SDK_DIR")
    if own:
        rctx.symlink(own + "/triton", "site/triton")
        for entry in rctx.path(own).readdir():
            if entry.basename.startswith("triton-") and entry.basename.endswith(".dist-info"):
                rctx.symlink(entry, "site/" + entry.basename)
        origin = "TRITON_SDK_DIR"
    else:
        pin = [text for name, text in read_lock(rctx) if name == TRITON][0]
        rctx.file("requirements.txt", pin, executable = False)
        origin = pin.split(" ")[0]
        pip_install(
            rctx,
            host_python(rctx),
            "site",
            ["--require-hashes", "--requirement=requirements.txt"],
            "the stock wheel {}, 270 MB".format(origin),
        )
    for needed in ["_C/libtriton.so", "include/triton/Version.h", "FileCheck"]:
        if not rctx.path("site/triton/" + needed).exists:
            fail(("{} has no triton/{}. A folder that holds the package `triton` of an installed wheel, 3.9.0 or newer (older " +
                  "ones carry no headers), is needed; usually that is a site-packages folder.").format(own or origin, needed))

    # Files of the folder that is an input as a whole must not be inputs by the same path: one would hide the other in runfiles.
    rctx.symlink("site/triton/FileCheck", "links/FileCheck")
    rctx.symlink("site/triton/_C/libtriton.so", "links/libtriton.so")
    rctx.file("BUILD.bazel", _BUILD.format(
        origin = origin,
        stub_bzl = str(Label(":triton_stub.bzl")),
        tblgen_bzl = str(Label("//build_defs:tblgen.bzl")),
    ), executable = False)

triton_repository = repository_rule(
    implementation = _triton_impl,
    doc = "Unpacks the Triton wheel that requirements.lock pins.",
)
