"""mlir-tblgen: what triton_dialect and triton_passes are made of."""

TdInfo = provider(
    doc = "TableGen files and where mlir-tblgen looks for them.",
    fields = {
        "files": "depset of the files.",
        "includes": "depset of include folders, relative to the execution root.",
    },
)

def _td_library_impl(ctx):
    root = ctx.label.workspace_root
    folders = [(root + "/" + folder if root else folder) for folder in ctx.attr.includes]
    files = depset(ctx.files.srcs, transitive = [dep[TdInfo].files for dep in ctx.attr.deps])
    return [
        DefaultInfo(files = files),
        TdInfo(
            files = files,
            includes = depset(folders, transitive = [dep[TdInfo].includes for dep in ctx.attr.deps], order = "preorder"),
        ),
    ]

td_library = rule(
    implementation = _td_library_impl,
    doc = "TableGen files that others include.",
    attrs = {
        "deps": attr.label_list(providers = [TdInfo], doc = "td_library targets that the files include."),
        "includes": attr.string_list(doc = "Include folders, relative to the repository. Its root is one for every td_library of ours."),
        "srcs": attr.label_list(allow_files = [".td"], mandatory = True),
    },
    provides = [TdInfo],
)

def _mlir_tblgen_impl(ctx):
    includes = depset(["."], transitive = [dep[TdInfo].includes for dep in ctx.attr.deps], order = "preorder")
    args = ctx.actions.args()
    args.add_all(ctx.attr.opts)
    args.add_all(includes, before_each = "-I")
    args.add(ctx.file.td)
    args.add("-o", ctx.outputs.out)
    ctx.actions.run(
        executable = ctx.executable._tblgen,
        arguments = [args],
        inputs = depset([ctx.file.td], transitive = [dep[TdInfo].files for dep in ctx.attr.deps]),
        outputs = [ctx.outputs.out],
        mnemonic = "MlirTblgen",
        progress_message = "Generating %{output}",
    )
    return [DefaultInfo(files = depset([ctx.outputs.out]))]

mlir_tblgen = rule(
    implementation = _mlir_tblgen_impl,
    doc = "One run of mlir-tblgen.",
    attrs = {
        "deps": attr.label_list(providers = [TdInfo], doc = "td_library targets that the file includes."),
        "opts": attr.string_list(mandatory = True, doc = "Says which generator to run."),
        "out": attr.output(mandatory = True),
        "td": attr.label(allow_single_file = [".td"], mandatory = True),
        "_tblgen": attr.label(
            default = "@mlir_sdk//:mlir-tblgen",
            allow_single_file = True,
            cfg = "exec",
            executable = True,
        ),
    },
)
