"""The presubmit's own checks; what ruff and clang-format find is theirs."""

import subprocess

import presubmit
import pytest


@pytest.fixture
def root(tmp_path):
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    return tmp_path


def write(root, name, text):
    (root / name).write_text(text)
    return presubmit.files(root)


def test_only_files_that_git_would_take_are_looked_at(root):
    write(root, ".gitignore", "made/\n")
    (root / "made").mkdir()
    assert write(root, "made/x", "x") == [".gitignore"]


@pytest.mark.parametrize("text", ["a \nb\n", "a\nb", "a\nb\n\n", "a\t\nb\n", "a\r\nb\n"])
def test_whitespace_is_found_and_fixed(root, text):
    names = write(root, "x.txt", text)
    assert len(presubmit.check_whitespace(root, names, False).lines) == 1
    assert presubmit.check_whitespace(root, names, True).lines == []
    assert (root / "x.txt").read_bytes() == b"a\nb\n"


def test_binary_and_empty_files_are_left_alone(root):
    write(root, "empty", "")
    (root / "binary").write_bytes(b"\0 \n")
    assert presubmit.check_whitespace(root, presubmit.files(root), False).lines == []


@pytest.mark.parametrize(
    "text", ["# TO" + "DO later", "see /ho" + "me/me/x", "<<<" + "<<<< HEAD", "from py" + "pi.org"]
)
def test_words_that_do_not_belong_are_found(root, text):
    names = write(root, "x.py", "first = 1\n" + text + "\n")
    (line,) = presubmit.check_words(root, names, False).lines
    assert line.startswith("x.py:2: ")


def test_the_run_fails_until_it_is_fixed(root, monkeypatch, capsys):
    monkeypatch.setenv("BUILD_WORKSPACE_DIRECTORY", str(root))
    write(root, "x.py", "import os\n")
    assert presubmit.main([]) == 1
    out = capsys.readouterr().out
    assert "x.py:1:8: F401" in out
    assert presubmit.FIX_COMMAND in out
    assert presubmit.main(["-f"]) == 0
    assert presubmit.main([]) == 0
    assert "files are in order" in capsys.readouterr().out
