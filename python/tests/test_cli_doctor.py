"""doctor: each check, with what it looks at made good or bad."""

import json

import pytest
from triton import knobs

from triton_plugins import Pipeline
from triton_plugins.cli import checkup, gpus
from triton_plugins.cli.main import main


def verdicts(check):
    return [(finding.check, finding.verdict) for finding in check()]


def test_doctor(capsys, monkeypatch, make_library):
    monkeypatch.setenv("TRITON_PLUGIN_PATHS", str(make_library("healthy")))
    assert main(["doctor"]) == 0
    lines = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    assert all(len(line) == 4 and line[1] in ("ok", "warning") for line in lines)
    assert all(line[1] == "ok" or line[3] != "-" for line in lines)
    assert {"wheel", "python", "headers", "plugin healthy", "gpu", "torch", "cache", "hook"} <= {
        line[0] for line in lines
    }


def test_a_problem_is_the_exit_status(capsys, monkeypatch, make_library):
    monkeypatch.setenv("TRITON_PLUGIN_PATHS", str(make_library("sick", llvm_commit="0" * 40)))
    assert main(["doctor", "--json"]) == 1
    findings = json.loads(capsys.readouterr().out)["findings"]
    (sick,) = (finding for finding in findings if finding["check"] == "plugin sick")
    assert sick["verdict"] == "problem" and "0" * 40 in sick["found"] and sick["remedy"]


def test_a_bad_variable_is_a_problem(monkeypatch):
    monkeypatch.setenv("TRITON_PLUGIN_PATHS", ":")
    assert verdicts(checkup.plugins) == [("plugins", "problem")]


def test_the_cache_folder(monkeypatch, tmp_path):
    assert verdicts(checkup.cache) == [("cache", "ok")]
    file = tmp_path / "file"
    file.touch()
    monkeypatch.setenv("TRITON_CACHE_DIR", str(file / "cache"))
    assert verdicts(checkup.cache) == [("cache", "problem")]
    # Nobody can write there, root included.
    monkeypatch.setenv("TRITON_CACHE_DIR", "/proc/self/cache")
    assert verdicts(checkup.cache) == [("cache", "problem")]
    assert not (tmp_path / "cache").exists()


def test_the_hook_slot(monkeypatch):
    assert verdicts(checkup.hook) == [("hook", "ok")]
    with Pipeline("mine").append("ttir", "common.cse"):
        assert verdicts(checkup.hook) == [("hook", "ok")]
    with monkeypatch.context() as patch:
        patch.setattr(knobs.runtime, "add_stages_inspection_hook", lambda *_: ("", ""))
        (finding,) = checkup.hook()
    assert finding.verdict == "warning" and __name__ in finding.found


def test_variables(monkeypatch):
    monkeypatch.setenv("TRITON_PLUGINS_UNSAFE", "1")
    monkeypatch.setenv("TRITON_HOME", "/somewhere")
    found = {finding.found.partition("=")[0]: finding for finding in checkup.environment()}
    assert found["TRITON_PLUGINS_UNSAFE"].verdict == "warning"
    assert found["TRITON_HOME"].verdict == "ok"


@pytest.mark.parametrize(
    ("version", "name"),
    [(90402, "gfx942"), (90500, "gfx950"), (90010, "gfx90a"), (110001, "gfx1101")],
)
def test_gfx_names(version, name):
    assert gpus.gfx_name(version) == name


def test_nvidia_gpus(monkeypatch, tmp_path):
    program = tmp_path / "nvidia-smi"
    program.write_text("#!/bin/sh\necho 'NVIDIA H200, 9.0, 570.86.15'\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    assert gpus.gpus()[0] == gpus.Gpu("NVIDIA H200", "sm_90", "570.86.15")
    program.write_text("#!/bin/sh\nexit 9\n")
    assert gpus.Gpu("NVIDIA H200", "sm_90", "570.86.15") not in gpus.gpus()
