"""@mlir_sdk and @gdb: what comes from Debian, through build_defs/bootstrap."""

load(":host_python.bzl", "host_python")

_TIMEOUT_S = 3600

# The packages that the programs here need to run through a loader of their own.
_RUNTIME = ["gcc-[0-9]+-base", "libc6", "libgcc-s1", "libstdc\\+\\+6", "libz3-4", "libzstd1", "patchelf", "zlib1g"]

_MLIR_PACKAGES = ["libmlir-23-dev", "llvm-23-dev", "mlir-23-tools"]

# Of those packages only headers, .td files and mlir-tblgen are wanted, not the libraries: plugins must link none of them.
_MLIR_EXCLUDE_PATHS = [
    "./usr/bin/[!p]*",
    "./usr/lib/llvm-23/bin/mlir-[!t]*",
    "./usr/lib/llvm-23/bin/mlir-tr*",
    "./usr/lib/llvm-23/bin/tblgen*",
    "./usr/lib/llvm-23/build",
    "./usr/lib/llvm-23/include/llvm*",
    "./usr/lib/llvm-23/lib",
    "./usr/lib/x86_64-linux-gnu/libLLVM*",
    "./usr/lib/x86_64-linux-gnu/libMLIR*",
]

_MLIR_DEBIAN = struct(
    includes = ["usr/lib/llvm-23/include", "usr/include/llvm-23", "usr/include/llvm-c-23"],
    tblgen = "usr/lib/llvm-23/bin/mlir-tblgen",
)
_MLIR_PREFIX = struct(
    includes = ["include"],
    tblgen = "bin/mlir-tblgen",
)

_MLIR_BUILD = """\
# Headers, .td files and mlir-tblgen of {origin}.

load("@rules_cc//cc:defs.bzl", "cc_library")
load("{tblgen_bzl}", "td_library")

package(default_visibility = ["//visibility:public"])

# What plugins compile against. The overlays must be found first.
cc_library(
    name = "headers",
    hdrs = ["overlay/llvm/Config/abi-breaking.h"],
    includes = ["overlay"],
    deps = [
        "{overlay}",
        ":headers_no_overlay",
    ],
)

# For tests that show what happens without the overlay.
cc_library(
    name = "headers_no_overlay",
    hdrs = glob(
        ["root/" + folder + "/**/*." + suffix for folder in {includes} for suffix in ["def", "h", "inc"]],
    ),
    includes = ["root/" + folder for folder in {includes}],
)

td_library(
    name = "td_files",
    srcs = glob(["root/{td_root}/**/*.td"]),
    includes = ["root/{td_root}"],
)

filegroup(
    name = "mlir-tblgen",
    srcs = ["root/{tblgen}"],
)
"""

_ABI_CHECKS = "#define LLVM_ENABLE_ABI_BREAKING_CHECKS {}\n"

def debian_unpack(rctx, dest, packages, only = None, exclude_paths = [], runnable = []):
    """Unpacks packages of Debian sid into a folder of the repository.

    Args:
        rctx: the repository context.
        dest: the folder, relative to the repository.
        packages: the packages wanted.
        only: regular expressions of packages; of what the wanted ones depend on, just those come along. None: everything.
        exclude_paths: patterns of paths to leave out.
        runnable: globs of programs that must run on this machine, whatever its C library is.
    """
    arguments = ["--dest={}".format(rctx.path(dest))]
    if only != None:
        arguments.append("--exclude=(?!({})$).*".format("|".join(packages + only)))
    arguments += ["--exclude-path={}".format(pattern) for pattern in exclude_paths]
    arguments += ["--runnable={}".format(pattern) for pattern in runnable]
    rctx.report_progress("Fetching {} from Debian".format(", ".join(packages)))
    result = rctx.execute(
        [host_python(rctx).path, "-B", rctx.path(Label("//build_defs/bootstrap:debian.py"))] + arguments + packages,
        environment = {"PYTHONPATH": ""},
        timeout = _TIMEOUT_S,
    )
    if result.return_code:
        fail("Fetching {} from Debian failed:\n{}".format(", ".join(packages), result.stderr.strip()))

def _mlir_sdk_impl(rctx):
    own = rctx.getenv("MLIR_SDK_DIR")
    if own:
        rctx.symlink(own, "root")
        layout = _MLIR_PREFIX
    else:
        layout = _MLIR_DEBIAN
        debian_unpack(
            rctx,
            "root",
            _MLIR_PACKAGES,
            only = _RUNTIME,
            exclude_paths = _MLIR_EXCLUDE_PATHS,
            runnable = [layout.tblgen],
        )

    config = [
        rctx.path("root/{}/llvm/Config/abi-breaking.h".format(folder))
        for folder in layout.includes
        if rctx.path("root/{}/llvm/Config/abi-breaking.h".format(folder)).exists
    ]
    needed = ["root/" + layout.includes[0] + "/mlir/IR/OpBase.td", "root/" + layout.tblgen]
    missing = [path.removeprefix("root/") for path in needed if not rctx.path(path).exists]
    if missing or not config:
        fail("{} has no {}. An installation prefix of LLVM and MLIR 23, with headers and mlir-tblgen, is needed.".format(
            own or "What Debian gave",
            ", ".join(missing) or "llvm/Config/abi-breaking.h",
        ))

    # The LLVM inside the Triton wheel was built with these checks, which add members to DenseMap, ilist and others.
    off, on = _ABI_CHECKS.format(0), _ABI_CHECKS.format(1)
    text = rctx.read(config[0])
    if off not in text and on not in text:
        fail("{} does not define LLVM_ENABLE_ABI_BREAKING_CHECKS as 0 or 1".format(config[0]))
    rctx.file("overlay/llvm/Config/abi-breaking.h", text.replace(off, on), executable = False)
    rctx.file("BUILD.bazel", _MLIR_BUILD.format(
        includes = repr(layout.includes),
        overlay = str(Label(":overlay")),
        origin = "MLIR_SDK_DIR" if own else "Debian's packages " + ", ".join(_MLIR_PACKAGES),
        tblgen = layout.tblgen,
        tblgen_bzl = str(Label("//build_defs:tblgen.bzl")),
        td_root = layout.includes[0],
    ), executable = False)

mlir_sdk_repository = repository_rule(
    implementation = _mlir_sdk_impl,
    doc = "Headers and mlir-tblgen from Debian, or from the prefix MLIR_SDK_DIR.",
)

_GDB_BUILD = """\
# A gdb with Python scripting.

filegroup(
    name = "gdb",
    srcs = ["gdb.sh"],
    visibility = ["//visibility:public"],
)
"""

# Found by its real path: gdb and the Python inside look for their files from there, whatever the caller's Python is.
_GDB = """\
#!/bin/sh
root=$(dirname "$(readlink -f "$0")")/root
unset PYTHONPATH
PYTHONHOME=$root/usr exec "$root/usr/bin/gdb" --data-directory="$root/usr/share/gdb" "$@"
"""

def _gdb_impl(rctx):
    debian_unpack(rctx, "root", ["gdb"], runnable = ["usr/bin/gdb"])
    rctx.file("gdb.sh", _GDB)
    rctx.file("BUILD.bazel", _GDB_BUILD, executable = False)

gdb_repository = repository_rule(
    implementation = _gdb_impl,
    doc = "gdb from Debian. Apart from @mlir_sdk, so that only who runs the ABI audit fetches it.",
)
