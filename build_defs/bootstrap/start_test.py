"""Tests of bazelw and start.py, with stand-ins for Bazel and no network."""

from __future__ import annotations

import errno
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

import cache
import pytest
import start

SOURCES = pathlib.Path(start.__file__).parent

# What bazelw and start.py use of the system; apt is left out.
TOOLS = ("cat", "dirname", "env", "g++", "gcc", "mkdir", "python3", "rm", "sh", "stat", "touch")


class Checkout:
    """A checkout with the real launcher, a PATH of its own and an empty cache."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.folder = folder / "checkout"
        self.cache = folder / "cache"
        self.tools = folder / "tools"
        (self.folder / "build_defs").mkdir(parents=True)
        shutil.copytree(SOURCES, self.folder / "build_defs/bootstrap")
        shutil.copy(SOURCES.parents[1] / "bazelw", self.folder)
        (self.folder / ".bazelversion").write_text("7.7.1\n")
        self.tools.mkdir()
        for tool in TOOLS:
            (self.tools / tool).symlink_to(
                shutil.which(tool, path="/usr/bin:/bin") or shutil.which(tool)
            )

    def put_bazel(self, version: str, graph: str) -> pathlib.Path:
        """Puts a Bazel on the PATH that says its version and answers `mod graph` as given."""
        program = self.tools / "bazel"
        program.write_text(
            "#!/bin/sh\n"
            f'[ "$1" != --version ] || {{ echo "bazel {version}"; exit; }}\n'
            f'case "$*" in *"mod graph") {graph} ;; esac\n'
            'echo "ran $*"\n'
        )
        program.chmod(0o755)
        return program

    def run(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """Runs bazelw."""
        return subprocess.run(
            [self.folder / "bazelw", *arguments],
            env={"PATH": str(self.tools), "TRITON_PLUGINS_CACHE": str(self.cache)} | environment,
            capture_output=True,
            text=True,
            timeout=60,
        )


@pytest.fixture
def checkout(tmp_path: pathlib.Path) -> Checkout:
    return Checkout(tmp_path)


def test_bazel_of_the_path_is_tried_once(checkout: Checkout) -> None:
    tried = checkout.folder / "tried"
    checkout.put_bazel("8.4.2", f"touch {tried}; exit 0")
    first = checkout.run("build", "//a b")
    expected = f"ran --output_user_root={checkout.cache}/output build //a b\n"
    assert (first.returncode, first.stdout) == (0, expected)
    assert tried.exists()
    tried.unlink()
    begin = time.monotonic()
    second = checkout.run("build", "//a b")
    assert (second.stdout, second.stderr) == (expected, "")
    assert time.monotonic() - begin < 1
    assert not tried.exists()


@pytest.mark.parametrize(
    ("version", "graph", "reason"),
    [
        ("6.5.0", "exit 0", "it is Bazel 6.5.0, and 7 or newer is needed"),
        ("7.7.1", "echo no such host >&2; exit 1", "registry does not answer (no such host)"),
        ("", "exit 0", "it does not say its version (bazel)"),
    ],
)
def test_unusable_bazel(checkout: Checkout, version: str, graph: str, reason: str) -> None:
    checkout.put_bazel(version, graph)
    for _ in range(2):
        result = checkout.run("build")
        assert result.returncode == 1
        assert f"{checkout.tools}/bazel cannot be used: " in result.stderr
        assert reason in result.stderr
        # The next way is Debian's packages, which this PATH does not offer.
        assert "apt-get, dpkg" in result.stderr.splitlines()[-1]
    assert not list(checkout.cache.glob("bazel-*"))


def test_changed_bazel_is_tried_again(checkout: Checkout) -> None:
    program = checkout.put_bazel("7.7.1", "exit 0")
    assert checkout.run("version").returncode == 0
    checkout.put_bazel("5.0.0", "exit 0")
    os.utime(program, (1, 1))
    assert "it is Bazel 5.0.0" in checkout.run("version").stderr


def test_installed_tree_is_started(checkout: Checkout) -> None:
    tree = checkout.cache / "bazel-1"
    tree.mkdir(parents=True)
    (tree / "home").write_text(f"{tree}\n")
    (tree / "bazelw-launch").write_text('#!/bin/sh\necho "tree $*"\n')
    (tree / "bazelw-launch").chmod(0o755)
    result = checkout.run("info")
    assert result.stdout == f"tree --output_user_root={checkout.cache}/output info\n"
    (checkout.folder.parent / "link").symlink_to(checkout.cache)
    spelled = f"{checkout.folder.parent}/./link//"
    assert checkout.run("info", TRITON_PLUGINS_CACHE=spelled).stdout == result.stdout
    # A tree that was moved here has absolute paths that lead elsewhere.
    (tree / "home").write_text("/elsewhere\n")
    assert checkout.run("info").returncode == 1


def test_no_compiler(checkout: Checkout) -> None:
    (checkout.tools / "g++").unlink()
    result = checkout.run("build")
    assert result.returncode == 1
    assert "no C++ compiler: g++ not found" in result.stderr


def test_no_python(checkout: Checkout) -> None:
    (checkout.tools / "python3").unlink()
    assert "install CPython 3.11 or newer" in checkout.run("build").stderr


def test_no_home(checkout: Checkout) -> None:
    result = checkout.run("build", TRITON_PLUGINS_CACHE="")
    assert result.returncode == 1
    assert "HOME is not set" in result.stderr
    assert "set TRITON_PLUGINS_CACHE" in result.stderr


def test_cache_cannot_be_made(checkout: Checkout) -> None:
    result = checkout.run("build", TRITON_PLUGINS_CACHE=f"{checkout.tools}/sh/cache")
    assert result.returncode == 1
    assert "cannot be made: set TRITON_PLUGINS_CACHE" in result.stderr


def test_cache_inside_the_checkout(checkout: Checkout) -> None:
    result = checkout.run("build", TRITON_PLUGINS_CACHE=f"{checkout.folder}/cache")
    assert result.returncode == 1
    assert "lies in the checkout" in result.stderr


def test_clean_cache(checkout: Checkout) -> None:
    assert "there is no cache" in checkout.run("clean-cache").stderr
    with cache.lock(checkout.cache, "bazel"):
        (checkout.cache / "output").mkdir()
    (checkout.folder / "bazel-bin").symlink_to(checkout.cache / "output")
    (checkout.folder / "bazel-notes").symlink_to("elsewhere")
    (checkout.cache / "output").chmod(0o500)
    result = checkout.run("clean-cache")
    assert result.returncode == 0, result.stderr
    assert not checkout.cache.exists()
    assert not (checkout.folder / "bazel-bin").is_symlink()
    assert (checkout.folder / "bazel-notes").is_symlink()


def test_clean_cache_leaves_other_folders_alone(checkout: Checkout) -> None:
    checkout.cache.mkdir()
    (checkout.cache / "thesis.tex").touch()
    result = checkout.run("clean-cache")
    assert result.returncode == 1
    assert "left alone" in result.stderr
    assert (checkout.cache / "thesis.tex").exists()


def test_unreadable_cache(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture) -> None:
    def denied(*_: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", "a/folder")

    monkeypatch.setattr(start, "clean", denied)
    assert start.main(["clean-cache", "--cache=a", "--checkout=b"]) == 1
    assert capsys.readouterr().err == "bazelw: error: a/folder: Permission denied\n"


def test_only_servers_of_the_cache_are_stopped(tmp_path: pathlib.Path) -> None:
    base = tmp_path / "a1"
    (base / "server").mkdir(parents=True)
    foreign = subprocess.Popen(["sleep", "60"])
    (base / "server/server.pid.txt").write_text(str(foreign.pid))
    start._stop_servers(tmp_path)
    assert foreign.poll() is None
    foreign.kill()
    foreign.wait()
    # The server's command line names its output base.
    program = "import time; time.sleep(60)"
    server = subprocess.Popen([sys.executable, "-c", program, f"--output_base={base}"])
    (base / "server/server.pid.txt").write_text(str(server.pid))
    begin = time.monotonic()
    while not start._serves(server.pid, base) and time.monotonic() - begin < 10:
        time.sleep(0.01)
    start._stop_servers(tmp_path)
    assert server.wait(timeout=10) == -signal.SIGTERM
