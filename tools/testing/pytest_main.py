"""Runs pytest under Bazel: the main program of pytest_test and gpu_test."""

from __future__ import annotations

import os
import pathlib
import sys

import pytest

# The device node that the vendor's driver makes.
_GPU_DEVICES = {"amd": "/dev/kfd", "nvidia": "/dev/nvidiactl"}


class GpuTests:
    """Skips test modules, before they import anything, where the GPU that they need is missing."""

    def __init__(self, vendor: str) -> None:
        self._device = _GPU_DEVICES[vendor]
        self._reason = f"needs a GPU ({vendor}): this machine has no {self._device}"

    def pytest_pycollect_makemodule(
        self, module_path: pathlib.Path, parent: pytest.Collector
    ) -> pytest.Module | None:
        """Gives pytest a module that skips itself instead of being imported."""
        if os.path.exists(self._device):
            return None
        reason = self._reason

        class SkippedModule(pytest.Module):
            def collect(self) -> list[pytest.Item]:
                pytest.skip(reason, allow_module_level=True)

        return SkippedModule.from_parent(parent, path=module_path)

    @property
    def missing(self) -> bool:
        """Whether there is no such GPU."""
        return not os.path.exists(self._device)


class Shard:
    """Keeps every n-th test, as Bazel's shard_count asks."""

    def __init__(self, index: int, count: int) -> None:
        self._index = index
        self._count = count

    def pytest_collection_modifyitems(
        self, config: pytest.Config, items: list[pytest.Item]
    ) -> None:
        """Drops the tests of the other shards."""
        kept = items[self._index :: self._count]
        config.hook.pytest_deselected(items=[item for item in items if item not in kept])
        items[:] = kept


def main(argv: list[str]) -> int:
    """Runs the tests and returns pytest's exit code."""
    plugins: list[object] = []
    gpu = None
    if argv and argv[0].startswith("--gpu="):
        gpu = GpuTests(argv.pop(0).removeprefix("--gpu="))
        plugins.append(gpu)
    # Named, since outside the sandbox pytest would look for it, and find the checkout's.
    args = ["-p", "no:cacheprovider", "-ra", "-c", "pyproject.toml", f"--rootdir={os.getcwd()}"]
    args += argv
    if xml := os.environ.get("XML_OUTPUT_FILE"):
        args.append(f"--junitxml={xml}")
    if expression := os.environ.get("TESTBRIDGE_TEST_ONLY"):
        args += ["-k", expression]
    sharded = "TEST_TOTAL_SHARDS" in os.environ
    if sharded:
        pathlib.Path(os.environ["TEST_SHARD_STATUS_FILE"]).touch()
        plugins.append(
            Shard(int(os.environ["TEST_SHARD_INDEX"]), int(os.environ["TEST_TOTAL_SHARDS"]))
        )
    if temporary := os.environ.get("TEST_TMPDIR"):
        # What one test compiled is no excuse for another not to.
        os.environ.setdefault("TRITON_CACHE_DIR", f"{temporary}/triton")
        args.append(f"--basetemp={temporary}/pytest")
    code = pytest.main(args, plugins=plugins)
    # No test at all is a mistake, unless there is a reason for it.
    if code == pytest.ExitCode.NO_TESTS_COLLECTED and (sharded or (gpu and gpu.missing)):
        return 0
    return int(code)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
