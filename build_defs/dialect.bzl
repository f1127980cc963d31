"""Macros for dialects and passes that are described in TableGen."""

load("@rules_cc//cc:defs.bzl", "cc_library")
load(":tblgen.bzl", "mlir_tblgen", "td_library")

# What to generate from the file of a kind: suffix of the output to options of mlir-tblgen. {dialect} is the dialect's name.
_KINDS = {
    "attrs": {
        ".cpp.inc": ["-gen-attrdef-defs", "-attrdefs-dialect={dialect}"],
        ".h.inc": ["-gen-attrdef-decls", "-attrdefs-dialect={dialect}"],
    },
    "dialect": {
        ".cpp.inc": ["-gen-dialect-defs", "-dialect={dialect}"],
        ".h.inc": ["-gen-dialect-decls", "-dialect={dialect}"],
    },
    "enums": {
        ".cpp.inc": ["-gen-enum-defs"],
        ".h.inc": ["-gen-enum-decls"],
    },
    "ops": {
        ".cpp.inc": ["-gen-op-defs"],
        ".h.inc": ["-gen-op-decls"],
    },
    "types": {
        ".cpp.inc": ["-gen-typedef-defs", "-typedefs-dialect={dialect}"],
        ".h.inc": ["-gen-typedef-decls", "-typedefs-dialect={dialect}"],
    },
}

def _generate(td, suffix, opts, deps):
    out = td.removesuffix(".td") + suffix
    mlir_tblgen(
        name = out + "_gen",
        out = out,
        opts = opts,
        td = td,
        deps = deps,
    )
    return out

def triton_dialect(name, dialect, ops, types = None, attrs = None, enums = None, dialect_td = None, included = [], deps = [], visibility = None):
    """Generates C++ and documentation of a dialect, one .td file for each kind of thing.

    IR/TLXOps.td gives IR/TLXOps.h.inc and IR/TLXOps.cpp.inc, which sources include by their path from the root of the repository
    ("plugins/tlx/IR/TLXOps.h.inc"), as .td files include each other ("plugins/tlx/IR/TLXTypes.td").

    Targets:
        <name>: library of the generated files, a dep of whatever includes them.
        <name>_td: the .td files, a dep of triton_passes and other dialects.
        <name>_docs: the dialect's page, <folder>/<dialect>.md.

    Args:
        name: the library.
        dialect: the dialect's name in MLIR.
        ops: the .td file with the ops; it includes the others, so that the page has everything.
        types: the .td file with the types.
        attrs: the .td file with the attributes.
        enums: the .td file with the enums.
        dialect_td: the .td file with the dialect itself.
        included: further .td files that these include; nothing is generated from them on their own.
        deps: td_library targets beyond those of MLIR and Triton.
        visibility: as usual.
    """
    kinds = {"attrs": attrs, "dialect": dialect_td, "enums": enums, "ops": ops, "types": types}
    files = {kind: td for kind, td in kinds.items() if td}
    if len(depset(files.values()).to_list()) != len(files):
        fail("triton_dialect {}: each kind needs a .td file of its own, since the file names the output: {}".format(name, files))
    td_library(
        name = name + "_td",
        srcs = files.values() + included,
        visibility = visibility,
        deps = ["@triton//:td_files"] + deps,
    )
    generated = [
        _generate(td, suffix, [opt.format(dialect = dialect) for opt in opts], [name + "_td"])
        for kind, td in files.items()
        for suffix, opts in _KINDS[kind].items()
    ]
    cc_library(
        name = name,
        textual_hdrs = generated,
        visibility = visibility,
    )
    page = "{}/{}.md".format(ops.rpartition("/")[0], dialect).removeprefix("/")
    mlir_tblgen(
        name = name + "_docs",
        out = page,
        opts = ["-gen-dialect-doc", "-dialect=" + dialect],
        td = ops,
        visibility = visibility,
        deps = [name + "_td"],
    )

def triton_passes(name, td, group, deps = [], visibility = None):
    """Generates C++ and documentation of passes.

    Transforms/Passes.td gives Transforms/Passes.h.inc.

    Targets:
        <name>: library of the generated file, a dep of whatever includes it.
        <name>_docs: the passes' page, Transforms/Passes.md.

    Args:
        name: the library.
        td: the .td file.
        group: prefix of the generated registration functions, in CamelCase.
        deps: td_library targets that the file includes, beyond those of MLIR and Triton.
        visibility: as usual.
    """
    td_library(
        name = name + "_td",
        srcs = [td],
        visibility = visibility,
        deps = ["@triton//:td_files"] + deps,
    )
    header = _generate(td, ".h.inc", ["-gen-pass-decls", "-name=" + group], [name + "_td"])
    cc_library(
        name = name,
        textual_hdrs = [header],
        visibility = visibility,
    )
    mlir_tblgen(
        name = name + "_docs",
        out = td.removesuffix(".td") + ".md",
        opts = ["-gen-pass-doc"],
        td = td,
        visibility = visibility,
        deps = [name + "_td"],
    )
