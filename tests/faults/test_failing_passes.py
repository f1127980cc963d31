"""A pass that fails: the error says which, where and why, and nothing else suffers."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import work
from library_maker import built

import triton_plugins
from triton_plugins import PassError, Pipeline, opt

REFUSING = Pipeline("refusing").insert_after("ttgir", "coalesce", "kit_refuse")


@pytest.fixture(autouse=True)
def _load() -> None:
    triton_plugins.load_path(built("core/test/libkit.so"))
    work.load()


def test_the_error_names_everything() -> None:
    with pytest.raises(PassError) as caught:
        work.code(REFUSING)
    for named in (
        "Kernel 'add'",
        "stage 'ttgir'",
        "'kit_refuse'",
        "plugin kit 1.2.3",
        "pipeline 'refusing'",
        "this function was refused",
    ):
        assert named in str(caught.value)


def test_the_error_keeps_the_ir() -> None:
    """The module as it was before the pass, on which the pass fails again."""
    with pytest.raises(PassError) as caught:
        work.code(REFUSING)
    text = caught.value.ir
    assert "tt.func public @add" in text
    assert "#ttg.blocked" in text, "the passes before it have run"
    opt.run_passes(text, [])
    with pytest.raises(PassError, match="this function was refused"):
        opt.run_passes(text, [("kit_refuse", ())])


def test_nothing_of_it_stays(cache: Path) -> None:
    """Neither in the process nor in the cache."""
    expected = work.code(None), work.code(work.TIMES3)
    binaries = sorted(cache.rglob("*.hsaco"))
    for _ in range(2):
        with pytest.raises(PassError):
            work.code(REFUSING)
        with pytest.raises(PassError), REFUSING:
            work.code(None)
    assert sorted(cache.rglob("*.hsaco")) == binaries
    assert (work.code(None), work.code(work.TIMES3)) == expected


def test_other_threads_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRITON_ALWAYS_COMPILE", "1")
    expected = work.code(work.TIMES3)

    def compile_one(number: int) -> str:
        if number % 2:
            with pytest.raises(PassError, match="kit_refuse"):
                work.code(REFUSING)
            return expected
        return work.code(work.TIMES3)

    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(compile_one, range(16))) == {expected}


def test_a_python_step_that_raises() -> None:
    class MineError(Exception):
        pass

    def fail(module: Any) -> None:
        raise MineError

    with pytest.raises(MineError) as caught:
        work.code(Pipeline("mine").append("ttir", triton_plugins.Step(fail, key="fail")))
    (note,) = caught.value.__notes__
    for named in ("'add'", "'ttir'", "'fail'", "'mine'"):
        assert named in note
