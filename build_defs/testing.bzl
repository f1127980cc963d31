"""Macros for tests: lit files, pytest, and pytest on a GPU."""

load("@rules_python//python:defs.bzl", "py_test")

def _pytest(name, srcs, args, deps, data, tags, **kwargs):
    py_test(
        name = name,
        srcs = srcs + ["//tools/testing:pytest_main.py"],
        args = args + [
            "$(rootpath {})".format(src)
            for src in srcs
            if src.rpartition("/")[2].rpartition(":")[2] != "conftest.py"
        ],
        data = data + ["//:pyproject.toml"],
        main = "//tools/testing:pytest_main.py",
        tags = tags,
        deps = deps + ["@python_env//:pytest"],
        **kwargs
    )

def pytest_test(name, srcs, args = [], deps = [], data = [], tags = [], **kwargs):
    """Tests that pytest runs.

    `--test_filter=EXPRESSION` is pytest's -k, and `shard_count` spreads the tests.

    Args:
        name: the test.
        srcs: test files, and conftest.py if there is one.
        args: more arguments for pytest.
        deps: py_library targets.
        data: files the tests read.
        tags: as usual.
        **kwargs: whatever else py_test takes.
    """
    _pytest(name, srcs, args, deps, data, tags, **kwargs)

def gpu_test(name, srcs, vendor, args = [], deps = [], data = [], tags = [], **kwargs):
    """Tests that pytest runs on a GPU. Where there is none they are skipped, and the log says so.

    Args:
        name: the test.
        srcs: test files, and conftest.py if there is one.
        vendor: "nvidia" or "amd"; becomes a tag (`bazel test --test_tag_filters=nvidia //...`).
        args: more arguments for pytest.
        deps: py_library targets; PyTorch is one already.
        data: files the tests read.
        tags: more tags.
        **kwargs: whatever else py_test takes.
    """
    if vendor not in ("amd", "nvidia"):
        fail("gpu_test {}: vendor is {}, \"amd\" or \"nvidia\" is needed".format(name, repr(vendor)))
    _pytest(
        name,
        srcs,
        ["--gpu=" + vendor] + args,
        deps + ["@torch//:torch"],
        # So that a result has a key of its own where there is a GPU.
        data + ["@host_gpu//:vendors.txt"],
        tags + [
            "exclusive-if-local",
            "no-sandbox",
            "requires-gpu",
            vendor,
        ],
        **kwargs
    )

def lit_test(name, srcs, plugins = [], data = [], size = "small", tags = [], visibility = None, **kwargs):
    """Runs lit over MLIR files whose RUN lines use %plugin_opt and %FileCheck, one test each.

    `// RUN: %plugin_opt %s --pass tlx_lower | %FileCheck %s`

    Targets:
        <file>.test: the test of one file.
        <name>: all of them.

    Args:
        name: the test suite.
        srcs: the files.
        plugins: plugins that %plugin_opt loads, in this order.
        data: more files that RUN lines read.
        size: as usual.
        tags: as usual.
        visibility: as usual.
        **kwargs: whatever else py_test takes.
    """
    for src in srcs:
        py_test(
            name = src + ".test",
            size = size,
            srcs = ["//tools/testing:lit_main.py"],
            args = ["--plugin=$(rlocationpath {})".format(plugin) for plugin in plugins] + [
                "--filecheck=$(rlocationpath @triton//:FileCheck)",
                "--plugin_opt=$(rlocationpath //tools:plugin-opt)",
                "$(rootpath {})".format(src),
            ],
            data = data + plugins + [src, "//tools:plugin-opt", "@triton//:FileCheck"],
            main = "//tools/testing:lit_main.py",
            tags = tags,
            visibility = visibility,
            deps = ["@python_env//:lit"],
            **kwargs
        )
    native.test_suite(
        name = name,
        tags = tags,
        tests = [src + ".test" for src in srcs],
        visibility = visibility,
    )
