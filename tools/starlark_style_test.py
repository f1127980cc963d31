"""What the Starlark checks find, and what they leave alone."""

import pytest
import starlark_style

GOOD = """\
# Kernels to start from.

load("@rules_python//python:defs.bzl", "py_library")
load("//build_defs:defs.bzl", "lit_test", zeta = "triton_plugin")

py_library(
    name = "kernels",
    srcs = glob(["*.py"]),
    tags = ["a"] + [
        "b",
    ],
    deps = [
        ":local",
        "//python:triton_plugins",
        "@python_env//:rich",
    ],
)

[lit_test(
    name = name,
    **kwargs
) for name in ["a"]]

fail(("aligned with " +
      "the bracket"))
"""


def messages(text, *, is_build_file=True):
    return [message for _, message in starlark_style.check(text, is_build_file=is_build_file)]


def test_a_file_in_order_has_no_findings():
    assert messages(GOOD) == []


@pytest.mark.parametrize(
    ("good", "bad", "message"),
    [
        ("# Kernels", "#Kernels", "open with a comment or docstring"),
        (
            '"lit_test", zeta',
            '"triton_test", "lit_test", zeta',
            "sort the names that this load takes",
        ),
        ("@rules_python//", ":rules", "sort the loads"),
        ('":local"', '"@z//:local"', "sort deps"),
        ('        "@python_env//:rich",\n', '        "@python_env//:rich"\n', "with a comma"),
        ('name = "kernels"', 'name="kernels"', "put spaces around ="),
        ('"kernels"', "'kernels'", "use double quotes"),
        ("    srcs", "  srcs", "indent by multiples of 4"),
        (
            '    name = "kernels",\n    srcs = glob(["*.py"]),\n',
            '    srcs = [],\n    name = "k",\n',
            "name first",
        ),
        ("py_library(\n", "py_library(,\n", "cannot be read"),
    ],
)
def test_a_slip_is_found(good, bad, message):
    assert good in GOOD
    (found,) = messages(GOOD.replace(good, bad, 1))
    assert message in found


def test_a_bzl_file_opens_with_a_docstring():
    assert messages('"""Macros."""\n', is_build_file=False) == []
    (found,) = messages("# Macros.\n", is_build_file=False)
    assert found == "open with a docstring"


def test_strings_sort_as_buildifier_sorts_them():
    labels = ["@x//:y", "//a/b:c", "//a:b", ":b", "plain"]
    labels.sort(key=starlark_style.sort_key)
    assert labels == ["plain", ":b", "//a:b", "//a/b:c", "@x//:y"]
