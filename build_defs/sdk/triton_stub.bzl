"""A stand-in for libtriton.so at link time."""

load("@bazel_tools//tools/cpp:toolchain_utils.bzl", "find_cpp_toolchain", "use_cpp_toolchain")
load("@rules_cc//cc:defs.bzl", "CcInfo", "cc_common")

def _triton_stub_impl(ctx):
    toolchain = find_cpp_toolchain(ctx)
    assembly = ctx.actions.declare_file(ctx.label.name + "/libtriton.s")
    library = ctx.actions.declare_file(ctx.label.name + "/libtriton.so")
    ctx.actions.run(
        executable = ctx.executable._generator,
        arguments = [ctx.file.libtriton.path, assembly.path, ctx.outputs.header.path],
        inputs = [ctx.file.libtriton],
        outputs = [assembly, ctx.outputs.header],
        mnemonic = "TritonSymbols",
        progress_message = "Reading the symbols of %{input}",
    )
    ctx.actions.run(
        executable = toolchain.compiler_executable,
        arguments = ["-shared", "-nostdlib", "-s", "-Wl,-soname,libtriton.so", "-o", library.path, assembly.path],
        inputs = depset([assembly], transitive = [toolchain.all_files]),
        outputs = [library],
        # The compiler finds its linker on the PATH.
        use_default_shell_env = True,
        mnemonic = "TritonStub",
        progress_message = "Assembling %{output}",
    )

    # A plain linker input: as a library it would get an rpath, and Python might load the stand-in instead of the real one.
    linker_input = cc_common.create_linker_input(
        owner = ctx.label,
        user_link_flags = depset([library.path]),
        additional_inputs = depset([library]),
    )
    return [
        DefaultInfo(files = depset([library])),
        CcInfo(linking_context = cc_common.create_linking_context(linker_inputs = depset([linker_input]))),
    ]

triton_stub = rule(
    implementation = _triton_stub_impl,
    doc = "A small shared library with the name and the dynamic symbols of libtriton.so, and a header that says what it was built from.",
    attrs = {
        "header": attr.output(mandatory = True, doc = "The header to write, with TRITON_SDK_LLVM_COMMIT."),
        "libtriton": attr.label(mandatory = True, allow_single_file = [".so"], doc = "The real library."),
        "_generator": attr.label(default = ":triton_stub", executable = True, cfg = "exec"),
    },
    toolchains = use_cpp_toolchain(),
    provides = [CcInfo],
)
