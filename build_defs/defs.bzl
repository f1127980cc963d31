"""What BUILD files load. docs/ and the macros' own docstrings say how to use them.

    load("//build_defs:defs.bzl", "lit_test", "triton_dialect", "triton_passes", "triton_plugin")
"""

load(":dialect.bzl", _triton_dialect = "triton_dialect", _triton_passes = "triton_passes")
load(":extension.bzl", _python_extension = "python_extension")
load(":plugin.bzl", _triton_plugin = "triton_plugin", _triton_plugin_library = "triton_plugin_library")
load(":testing.bzl", _gpu_test = "gpu_test", _lit_test = "lit_test", _pytest_test = "pytest_test")

gpu_test = _gpu_test
lit_test = _lit_test
pytest_test = _pytest_test
python_extension = _python_extension
triton_dialect = _triton_dialect
triton_passes = _triton_passes
triton_plugin = _triton_plugin
triton_plugin_library = _triton_plugin_library
