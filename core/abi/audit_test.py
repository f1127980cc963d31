"""The audit on the real SDK, and on one that it must refuse."""

import json
import os
import pathlib

import audit
import layouts
import pytest

HERE = pathlib.Path(__file__).parent
PLUGINS = [f"--plugin={path}" for path in os.environ.get("ABI_AUDIT_PLUGINS", "").split()]


def run(tmp_path, *arguments):
    output = tmp_path / "audit.json"
    status = audit.main([f"--json={output}", *arguments])
    return status, json.loads(output.read_text())


def test_all_is_equal(tmp_path):
    status, found = run(tmp_path, *PLUGINS)
    assert found["differences"] == []
    assert status == 0
    assert found["compared"] > 2000
    assert "mlir::Pass" in found["vtables"]
    assert "mlir::Dialect" in found["vtables"]
    assert "mlir::ConversionPattern" in found["vtables"]
    assert "nothing" not in found["proofs"]


def test_headers_without_the_checks_are_refused(tmp_path):
    status, found = run(tmp_path, f"--probe={HERE / 'libprobe_no_overlay_debug.so'}")
    assert status == 1
    assert "mlir::IRMapping" in found["differing"]
    assert any(name.startswith("llvm::DenseMap<mlir::Value, ") for name in found["differing"])
    by_field = {(d["type"], d["what"]): (d["here"], d["wheel"]) for d in found["differences"]}
    assert by_field["mlir::IRMapping", "size"] == ("72 bytes", "96 bytes")
    assert by_field["mlir::IRMapping", "field blockMap"] == ("at 24, 24 bytes", "at 32, 32 bytes")


@pytest.mark.parametrize("option", ["--triton", "--probe", "--canary"])
def test_missing_file(option, capsys):
    assert audit.main([f"{option}=/nowhere/lib.so"]) == 2
    assert "/nowhere/lib.so is not a file" in capsys.readouterr().out


def test_missing_gdb(capsys):
    assert audit.main(["--gdb=/nowhere/gdb"]) == 2
    assert "--gdb names a gdb with Python scripting" in capsys.readouterr().out


def test_structures_of_the_c_library_are_left_out():
    def of_c(name, file):
        return audit._is_of_c(name, layouts.Layout(8, file=file))

    assert of_c("_IO_FILE", "/usr/include/bits/types/struct_FILE.h")
    assert not of_c("std::vector<_IO_FILE *>", "/usr/include/c++/12/bits/stl_vector.h")
    assert not of_c("TritonOpBuilder", "/wheel/triton/include/python/src/ir.h")
