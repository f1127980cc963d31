"""@triton_3_7, @triton_3_8 and @utlx: other releases of Triton, and somebody else's plugin, for tests of the loader."""

load(":host_python.bzl", "host_python")
load(":pip.bzl", "pip_install")
load(":requirements.bzl", "read_pins")

_SITE = "site"

# Python versions that Triton 3.7.1 and 3.8.0 have wheels for.
_PYTHONS = ["3.11", "3.12", "3.13", "3.14"]

# What no test uses, about half of a wheel: profilers, disassemblers, and the compiler for GPUs newer than those compiled for.
_UNUSED = [
    "triton/FileCheck",
    "triton/backends/nvidia/bin/cuobjdump",
    "triton/backends/nvidia/bin/nvdisasm",
    "triton/backends/nvidia/bin/ptxas-blackwell",
    "triton/backends/nvidia/lib/cupti",
    "triton/backends/nvidia/lib/cupti-blackwell",
    "triton/instrumentation",
]

_BUILD = """\
# {origin}: {state}.

package(default_visibility = ["//visibility:public"])

# One folder, not on anybody's path: it must not meet the Triton that everything else runs with.
filegroup(
    name = "package",
    srcs = ["{site}"],
)
"""

def _other_package_impl(rctx):
    python = host_python(rctx)
    pin = [
        text
        for name, text in read_pins(rctx, Label(":other_tritons.lock"))
        if text.startswith(rctx.attr.pin + " ")
    ][0]
    state = "complete"
    if python.version in _PYTHONS:
        rctx.file("requirements.txt", pin, executable = False)
        pip_install(
            rctx,
            python,
            _SITE,
            ["--require-hashes", "--requirement=requirements.txt"],
            rctx.attr.pin,
        )
        _shrink(rctx)
    else:
        # The tests say this and skip.
        state = "Triton 3.7.1 and 3.8.0 have wheels for CPython {}, and this is {}".format(", ".join(_PYTHONS), python.version)
        rctx.file(_SITE + "/MISSING", state, executable = False)
    rctx.file("BUILD.bazel", _BUILD.format(
        origin = rctx.attr.pin,
        site = _SITE,
        state = state,
    ), executable = False)

def _shrink(rctx):
    for path in _UNUSED:
        rctx.delete("{}/{}".format(_SITE, path))
    library = rctx.path(_SITE + "/triton/_C/libtriton.so")
    strip = rctx.which("strip")
    if strip and library.exists:
        result = rctx.execute([strip, "--strip-debug", library])
        if result.return_code:
            fail("strip failed on {}: {}".format(library, result.stderr))

other_package_repository = repository_rule(
    implementation = _other_package_impl,
    doc = "Unpacks one package into a folder of its own, without what it requires.",
    attrs = {
        "pin": attr.string(mandatory = True, doc = "Name and version, as other_tritons.lock pins them."),
    },
)
