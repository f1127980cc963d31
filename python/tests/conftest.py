"""Fixtures: small plugin libraries made on the spot, a GPU driver without a GPU, and a cache folder
for each test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import triton
from library_maker import LibraryMaker
from stand_ins import Driver, Pointer
from triton import knobs

import triton_plugins


@pytest.fixture(scope="session")
def make_library(tmp_path_factory: pytest.TempPathFactory) -> LibraryMaker:
    """Compiles plugin libraries; see `LibraryMaker`."""
    return LibraryMaker(tmp_path_factory.mktemp("libraries"))


@pytest.fixture(scope="session")
def wheel_plugins() -> Path:
    """Folder of the test plugins that Triton's wheel carries. They are built without the kit."""
    return Path(triton.__file__).parent / "plugins"


@pytest.fixture(scope="session")
def test_pass(wheel_plugins: Path) -> str:
    """Name of a plugin pass that renames a kernel to `foo`."""
    return triton_plugins.load_path(wheel_plugins / "libTritonPluginsTestLib.so").note.passes[0]


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A Triton cache folder of the test's own; and the hook slot is empty before and after a
    test."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("TRITON_CACHE_DIR", str(folder))
    monkeypatch.setenv("TRITON_DEFAULT_FP_FUSION", "1")
    assert knobs.runtime.add_stages_inspection_hook is None
    yield folder
    assert knobs.runtime.add_stages_inspection_hook is None


@pytest.fixture
def driver() -> Driver:
    """A driver without a GPU. It stays active after the test: kernels ask it when they are
    freed."""
    made = Driver()
    triton.runtime.driver.set_active(made)
    return made


@pytest.fixture
def pointer() -> Pointer:
    """An argument for a pointer parameter."""
    return Pointer()
