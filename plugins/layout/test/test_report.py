"""The report, its pictures and its command line."""

import json
import re
import sys

import pytest
import triton

import triton_plugins
import triton_plugins.layout as layout
from plugins.layout.test import kernels
from triton_plugins.layout.__main__ import main
from triton_plugins.opt import run_passes

COLUMN = layout.blocked([4, 1], [8, 4], [1, 4], [0, 1])
WIDE = layout.blocked([4, 1], [16, 4], [1, 4], [0, 1])
TARGETS = [("cuda:90", COLUMN, 32), ("hip:gfx942", WIDE, 64), ("hip:gfx950", WIDE, 64)]


@pytest.fixture(autouse=True)
def _cache(tmp_path):
    with triton.knobs.cache.scope():
        triton.knobs.cache.dir = str(tmp_path)
        yield


def compile(target, chosen):
    return triton_plugins.compile(
        kernels.copy_2d,
        signature={"x": "*fp32:16", "y": "*fp32:16"},
        constexprs={"M": 64, "N": 64, "L": chosen},
        target=target,
    )


@pytest.mark.parametrize(("target", "chosen", "lanes"), TARGETS)
def test_every_conversion_with_its_line(target, chosen, lanes):
    report = layout.report(compile(target, chosen))
    assert report.target == target
    assert report.count("shared") == len(report.conversions) == 2
    first = report.conversions[0]
    assert re.search(r"kernels\.py:\d+$", first.line)
    assert first.target == str(chosen) == report.conversions[1].source
    assert (first.shape, first.element, first.bytes) == ((64, 64), "f32", 64 * 64 * 4)
    assert first.scratch_bytes > 0 and first.loop_depth == 0
    # 4096 elements of 4 bytes, by 4 warps.
    moved = first.store.vector_bits * first.store.instructions
    assert moved * lanes * 4 == first.bytes * 8
    assert json.loads(report.json())["conversions"][0]["target"] == str(chosen)


def test_the_table_names_layouts_once():
    report = layout.report(compile("cuda:90", COLUMN))
    assert list(report.legend()) == ["#0", "#1"]
    assert [record["to"] for record in report.records()] == ["#1", "#0"]
    assert report.table().row_count == 2


def test_a_file_that_cannot_be_written(tmp_path):
    text = compile("cuda:90", COLUMN).asm["ttgir"]
    file = tmp_path / "nowhere" / "report.json"
    with pytest.raises(triton_plugins.PassError, match=f"cannot write the report to {file}"):
        run_passes(text, [("layout_report", [f"file={file}"])])


def test_holders_of_a_blocked_layout():
    found = layout.holders(layout.place(COLUMN, (64, 16), "cuda:90"))
    assert len(found) == 64 * 16
    assert found[0, 0][0] == layout.Holder(0, 0, 0)
    # Four rows of a thread, then the next thread; then the next warp after four columns.
    assert found[3, 0][0] == layout.Holder(0, 0, 3)
    assert found[4, 0][0] == layout.Holder(0, 1, 0)
    assert found[0, 4][0] == layout.Holder(1, 0, 0)


def test_copies_of_an_element():
    found = layout.holders(layout.place(layout.slice(1, COLUMN), (32,), "cuda:90"))
    # Four threads of a warp and four warps have each row.
    assert {len(each) for each in found.values()} == {16}


@pytest.mark.parametrize(
    ("chosen", "target"),
    [
        (layout.mma(3, [4, 1], [16, 16, 16]), "cuda:90"),
        (layout.mfma(3, [4, 1], [32, 32, 8]), "hip:gfx942"),
        (COLUMN, "cuda:90"),
    ],
)
@pytest.mark.parametrize("ending", ["svg", "png"])
def test_pictures(chosen, target, ending, tmp_path):
    pytest.importorskip("matplotlib", reason="pictures need matplotlib")
    file = tmp_path / f"layout.{ending}"
    layout.draw(chosen, (64, 32), target=target, file=file)
    start = file.read_bytes()[:400]
    assert (
        start.startswith(b"\x89PNG") if ending == "png" else b"<svg" in start or b"<?xml" in start
    )


def test_pictures_that_cannot_be():
    with pytest.raises(triton_plugins.PipelineError, match="needs the shape"):
        layout.draw(COLUMN)
    with pytest.raises(triton_plugins.PipelineError, match="too many for a picture"):
        layout.draw(COLUMN, (256, 256))
    with pytest.raises(triton_plugins.PipelineError, match="not valid MLIR"):
        layout.draw(COLUMN, (16, 16), target="hip:gfx942")


def test_a_picture_without_matplotlib(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.delitem(sys.modules, "matplotlib.figure", raising=False)
    layout = (
        "#ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [2, 2], "
        "order = [1, 0]}>"
    )
    assert main(["draw", layout, "--shape", "16x8", "--out", str(tmp_path / "x.svg")]) == 1
    assert "pip install matplotlib" in capsys.readouterr().err


def test_the_command_line(tmp_path, capsys):
    file = tmp_path / "kernel.ttgir"
    file.write_text(compile("cuda:90", COLUMN).asm["ttgir"])
    assert main(["report", str(file)]) == 0
    lines = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    assert [line[4] for line in lines[:2]] == ["shared", "shared"]
    assert lines[2][0] == "#0"
    assert main(["report", str(file), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["target"] == "cuda:90"
    arguments = ["--target", "sm_90", "--signature", "x=*fp32:16,y=*fp32:16"]
    kernel = f"{kernels.__file__}:built_in_kernel"
    assert main(["report", kernel, *arguments, "--constexpr", "M=64,N=64", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert all("kernels.py" in row["line"] for row in document["conversions"])
    assert main(["report", kernel]) == 2
    assert main(["draw", "#ttg.nothing", "--shape", "4x4", "--out", str(tmp_path / "x.svg")]) == 1
