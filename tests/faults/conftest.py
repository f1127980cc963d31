"""A cache folder for each test, and no hook left behind."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from triton import knobs


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A cache folder of the test's own; and the hook slot is empty after a test."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("TRITON_CACHE_DIR", str(folder))
    monkeypatch.setenv("TRITON_DEFAULT_FP_FUSION", "1")
    yield folder
    assert knobs.runtime.add_stages_inspection_hook is None
