"""The commands that look at plugins, and what all commands have in common."""

import json
import os
import pty
import subprocess
import sys

import pytest

from triton_plugins.cli.main import main


def fields(text):
    """The lines of plain output, split."""
    return [line.split("\t") for line in text.splitlines()]


def command(*arguments, **variables):
    """The command line in a process of its own."""
    path = os.pathsep.join(sys.path)
    environment = {**os.environ, "PYTHONPATH": path, **variables}
    return [sys.executable, "-m", "triton_plugins", *arguments], environment


@pytest.fixture
def libraries(make_library, monkeypatch):
    """One library that fits and one that does not, in the variable."""
    good = make_library("listed")
    bad = make_library("misfit", triton_version="3.8.0")
    monkeypatch.setenv("TRITON_PLUGIN_PATHS", f"{good}:{bad}")
    return good, bad


def test_list(libraries, capsys):
    assert main(["list"]) == 1
    good, bad = (
        line for line in fields(capsys.readouterr().out) if line[0] in ("listed", "misfit")
    )
    assert good[:6] == [
        "listed",
        "0.1.0",
        "3.9.0",
        "fits",
        "TRITON_PLUGIN_PATHS",
        str(libraries[0]),
    ]
    assert good[6] == "-"
    assert bad[3] == "refused" and "Install triton==3.8.0" in bad[6]


def test_list_names_what_is_loaded(make_library, capsys):
    from triton_plugins import load_path

    path = load_path(make_library("elsewhere")).path
    assert main(["list", "--json"]) == 0
    plugins = json.loads(capsys.readouterr().out)["plugins"]
    (plugin,) = (plugin for plugin in plugins if plugin["name"] == "elsewhere")
    assert (plugin["state"], plugin["library"]) == ("loaded", str(path))


def package(folder, name, value):
    """Installs a package with an entry point."""
    metadata = folder / f"{name}-0.1.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 0.1\n")
    (metadata / "entry_points.txt").write_text(f"[triton.plugins]\n{name} = {value}\n")


def test_list_of_entry_points(make_library, monkeypatch, tmp_path, capsys):
    path = make_library("packaged")
    (tmp_path / "package_of_cli_test.py").write_text(f"LIBRARY = {str(path)!r}")
    package(tmp_path, "packaged", "package_of_cli_test:LIBRARY")
    monkeypatch.syspath_prepend(str(tmp_path))
    main(["list"])
    (line,) = (line for line in fields(capsys.readouterr().out) if line[0] == "packaged")
    assert line[3:6] == ["fits", "entry point triton.plugins", str(path)]
    package(tmp_path, "ruined", "nosuchmodule:LIBRARY")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert main(["list"]) == 1
    err = capsys.readouterr().err
    assert "nosuchmodule" in err and "ruined" in err and "Traceback" not in err


def test_list_with_a_bad_variable(monkeypatch, capsys):
    monkeypatch.setenv("TRITON_PLUGIN_PATHS", "a.so:")
    assert main(["list", "--json"]) == 1
    captured = capsys.readouterr()
    assert json.loads(captured.out)["error"]["kind"] == "PluginFileError"
    assert captured.err.startswith("error: TRITON_PLUGIN_PATHS has an empty entry")


def test_info(make_library, capsys):
    path = make_library("told")
    assert main(["info", str(path)]) == 0
    lines = fields(capsys.readouterr().out)
    assert ["passes", "told_pass"] in lines and ["ops", "told_op"] in lines
    assert ["state", "fits"] in lines and ["triton_version", "3.9.0"] in lines


def test_info_by_name_and_as_json(libraries, capsys):
    assert main(["info", "listed", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["library"] == str(libraries[0])
    assert told["passes"] == ["listed_pass"]
    assert len(told["sha256"]) == 64


def test_info_of_a_misfit(libraries, capsys):
    assert main(["info", str(libraries[1])]) == 1
    lines = dict(fields(capsys.readouterr().out))
    assert lines["state"] == "refused" and "Install triton==3.8.0" in lines["reason"]
    assert lines["triton_version"] == "3.8.0"


def test_info_of_no_library(tmp_path, capsys):
    text = tmp_path / "libtext.so"
    text.write_text("text")
    assert main(["info", str(text)]) == 1
    assert "is not an ELF file" in capsys.readouterr().out
    assert main(["info", "nosuchplugin"]) == 1
    assert "No plugin named 'nosuchplugin'" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments", [[], ["nosuch"], ["info"], ["passes"], ["passes", "--target", "h100"]]
)
def test_usage(arguments, capsys):
    with pytest.raises(SystemExit) as exit:
        main(arguments)
    assert exit.value.code == 2
    assert "usage: python -m triton_plugins" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["list", "info", "doctor", "passes", "opt", "diff"])
def test_help(name, capsys):
    with pytest.raises(SystemExit) as exit:
        main([name, "--help"])
    assert exit.value.code == 0
    assert "--json" in capsys.readouterr().out


def test_a_pipe_gets_plain_lines_whatever_is_set(make_library):
    line, environment = command(
        "list", TRITON_PLUGIN_PATHS=str(make_library("piped")), FORCE_COLOR="1", COLUMNS="20"
    )
    ran = subprocess.run(line, env=environment, capture_output=True, text=True)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.isascii() and "\x1b" not in ran.stdout
    assert "piped" in {line[0] for line in fields(ran.stdout)}


def test_a_terminal_gets_a_table():
    line, environment = command("passes", "--target", "sm_90", TERM="xterm", COLUMNS="120")
    mine, theirs = pty.openpty()
    with subprocess.Popen(line, env=environment, stdout=theirs, stderr=theirs) as process:
        os.close(theirs)
        text = b""
        try:
            while part := os.read(mine, 65536):
                text += part
        except OSError:
            # Linux ends the other side of a terminal so.
            pass
    os.close(mine)
    assert process.returncode == 0
    assert "\x1b[1mttgir" in text.decode() and "ttgpuir.coalesce" in text.decode()


def test_a_reader_that_leaves_is_no_error():
    line, environment = command("passes", "--target", "sm_90")
    process = subprocess.Popen(
        line, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    process.stdout.close()
    assert process.stderr.read() == b""
    assert process.wait() == 1


def test_a_triton_that_lacks_what_a_command_needs(monkeypatch, capsys):
    def fail(*_):
        raise ImportError("cannot import name 'x'", name="triton.x")

    monkeypatch.setattr("importlib.import_module", fail)
    assert main(["passes", "--target", "sm_90", "--json"]) == 1
    message = json.loads(capsys.readouterr().out)["error"]["message"]
    assert "need Triton 3.9.0" in message and "cannot import name 'x'" in message
