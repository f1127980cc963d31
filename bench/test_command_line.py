"""What the command lines of the benchmarks have in common, without a GPU."""

import argparse
import os
import pathlib
import sys
import types

import pytest

from bench import command_line


@pytest.fixture
def written(monkeypatch):
    """What was written: path, benchmark, command and rows of each time."""
    calls = []
    harness = types.ModuleType("bench.harness")
    harness.write_json = lambda path, name, command, rows: calls.append(
        (path, name, command, list(rows))
    )
    monkeypatch.setitem(sys.modules, "bench.harness", harness)
    monkeypatch.setattr("bench.harness", harness, raising=False)
    return calls


def test_results_are_written_one_by_one(written, monkeypatch, capsys):
    monkeypatch.setenv("BUILD_WORKING_DIRECTORY", "/somewhere")
    argv = ["--rounds", "3"]
    rows = [{"n": 1}, {"n": 2}]
    code = command_line.run("gemm", argv, pathlib.Path("out.json"), lambda: iter(rows), repr)
    command = ["python", "-m", "bench.gemm", "--rounds", "3"]
    path = pathlib.Path("/somewhere/out.json")
    assert code == 0
    assert written == [(path, "gemm", command, rows[:1]), (path, "gemm", command, rows)]
    assert capsys.readouterr().out == f"{rows!r}\nresults in {path}\n"


@pytest.mark.parametrize("error", [ModuleNotFoundError, RuntimeError, ArithmeticError])
def test_what_goes_wrong_is_a_message(written, capsys, error):
    def measure():
        yield {"n": 1}
        raise error("the second one is wrong")

    code = command_line.run("gemm", [], pathlib.Path("out.json"), measure, repr)
    said = capsys.readouterr()
    assert code == 1
    assert said.err == "bench.gemm: the second one is wrong\n"
    assert said.out == ""
    assert [rows for *_, rows in written] == [[{"n": 1}]]


def test_without_a_file_nothing_is_written(written, monkeypatch, capsys):
    monkeypatch.setenv("TRITON_DEFAULT_FP_FUSION", "")
    monkeypatch.delenv("TRITON_DEFAULT_FP_FUSION")

    def measure():
        assert os.environ["TRITON_DEFAULT_FP_FUSION"] == "1"
        return [{"n": 1}]

    assert command_line.run("gemm", [], None, measure, repr) == 0
    assert written == []
    assert "results in" not in capsys.readouterr().out


def test_arguments():
    parser = command_line.parser("gemm", "What it does.", rounds=7, milliseconds=100)
    command_line.add_shape(parser)
    args = parser.parse_args(["--shape", "1x2x3", "--shape", "4x5x6", "--out", "a.json"])
    assert args == argparse.Namespace(
        rounds=7, milliseconds=100, out=pathlib.Path("a.json"), shape=[(1, 2, 3), (4, 5, 6)]
    )
    assert parser.prog == "bench.gemm"
    assert not hasattr(command_line.parser("x", "", rounds=1).parse_args([]), "milliseconds")


@pytest.mark.parametrize(
    "argv", [["--shape", "0x1x1"], ["--shape", "4096"], ["--rounds", "0"], ["--rounds", "-1"]]
)
def test_wrong_arguments(argv, capsys):
    parser = command_line.parser("gemm", "", rounds=7)
    command_line.add_shape(parser)
    with pytest.raises(SystemExit):
        parser.parse_args(argv)
    assert argv[1] in capsys.readouterr().err
