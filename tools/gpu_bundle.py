"""Packs what a GPU machine without a network needs to run the GPU tests and benchmarks.

That machine has Linux x86-64, CPython and PyTorch. The bundle brings the stock Triton wheel for its
Python, the hook core, the plugins as built, the examples, benchmarks and GPU tests, and the few
Python packages they import. The wheel is most of it; it is stripped of debug info and of what no
kernel for that GPU needs, and kept in a cache for the next time.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator, Sequence

ROOT = pathlib.Path(__file__).absolute().parents[1]
FOLDER = "triton-plugins-gpu"

# What travels beside the wheel, relative to the repository.
CODE = (
    "python/triton_plugins/**/*.py",
    "plugins/*/python/**/*.py",
    "plugins/*/lib*.so",
    "plugins/*/gpu_test/*.py",
    "plugins/*/test/*kernels.py",
    "plugins/*/test/model_page.py",
    "docs/tlx_model.md",
    "tests/coexist/combined.py",
    "tests/coexist/test_on_gpu.py",
    "tools/testing/hopper.py",
    "examples/*.py",
    "bench/*.py",
    "pyproject.toml",
)

# Pure Python packages that the code above imports, with what they require.
PACKAGES = (
    "rich", "markdown-it-py", "mdurl", "pygments",
    "pyelftools",
    "pytest", "iniconfig", "packaging", "pluggy",
)  # fmt: skip

# Parts of the wheel without which a vendor's kernels still compile and launch. For sm_90 and up
# Triton 3.9 calls ptxas-blackwell, so the older ptxas stays behind.
_DROPPED = ("FileCheck", "_C/libproton.so", "include", "instrumentation", "plugins", "profiler")
DROPPED = {
    "nvidia": (
        *_DROPPED,
        "backends/amd/include",
        "backends/amd/lib",
        "backends/nvidia/bin/ptxas",
        "backends/nvidia/lib/cupti",
        "backends/nvidia/lib/cupti-blackwell",
    ),
    "amd": (*_DROPPED, "backends/nvidia/bin", "backends/nvidia/include", "backends/nvidia/lib"),
}

# What the example compiles for there.
TARGETS = {"nvidia": "sm_90a", "amd": "gfx942"}

RUN = """\
#!/bin/sh
# Runs Python with the stock Triton wheel and the plugins of this bundle:
#   run.sh                  the GPU tests
#   run.sh ARGS...          python3 ARGS..., for example -m bench.gemm --out gemm.json
set -eu
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
if [ ! -d "$here/site" ]; then
    if [ ! -f "$here/wheel.tar.xz" ]; then
        echo "run.sh: unpack a bundle with the wheel here first" >&2
        exit 1
    fi
    # Renamed only when complete, so an interrupted start is repeated.
    rm -rf "$here/unpacking"
    mkdir "$here/unpacking"
    tar -C "$here/unpacking" -xJf "$here/wheel.tar.xz"
    mv "$here/unpacking/packages" "$here/packages"
    mv "$here/unpacking/site" "$here/site"
fi
PYTHONPATH=$here/site:$here/code:$here/code/python${PYTHONPATH:+:$PYTHONPATH}
for plugin in "$here"/code/plugins/*/python; do
    PYTHONPATH=$PYTHONPATH:$plugin
done
export PYTHONPATH
# The machine's own packages are preferred: its pytest may have plugins that fit no other version.
for package in elftools pytest rich; do
    if ! python3 -c "import $package" 2>/dev/null; then
        PYTHONPATH=$PYTHONPATH:$here/packages
        break
    fi
done
if [ $# -eq 0 ]; then
    set -- "$here"/code/plugins/*/gpu_test "$here/code/tests/coexist"
    set -- -m pytest -c "$here/code/pyproject.toml" -rs "$@"
fi
exec python3 "$@"
"""


def locked(names: Sequence[str]) -> str:
    """The entries of requirements.lock for some packages, hashes included."""
    entries = re.split(
        r"^(?=[a-z0-9])", (ROOT / "requirements.lock").read_text(), flags=re.MULTILINE
    )
    by_name = {entry.split("==")[0]: entry for entry in entries}
    return "".join(by_name[name] for name in names)


def pip(*arguments: str) -> None:
    """Runs the host's pip with its own configuration."""
    # A virtual environment may lack pip where the interpreter behind it has one.
    python = getattr(sys, "_base_executable", sys.executable)
    done = subprocess.run(
        [python, "-m", "pip", *arguments, "--disable-pip-version-check", "--quiet"],
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise RuntimeError(
            f"{shlex.join([python, '-m', 'pip', arguments[0]])} failed:\n{done.stderr.strip()}\n"
            "The bundle needs a pip that reaches a package index (Debian: apt install python3-pip) "
            "or a folder of wheels named in PIP_FIND_LINKS"
        )


def fetch(requirements: str, python_version: str, folder: pathlib.Path) -> None:
    """Downloads pinned packages for another Python and unpacks them into a folder."""
    with tempfile.TemporaryDirectory() as scratch:
        file = pathlib.Path(scratch, "requirements.txt")
        file.write_text(requirements)
        pip(
            "download", "--no-deps", "--require-hashes", "--only-binary=:all:",
            f"--python-version={python_version}", f"--dest={scratch}", f"--requirement={file}",
        )  # fmt: skip
        for wheel in pathlib.Path(scratch).glob("*.whl"):
            with zipfile.ZipFile(wheel) as archive:
                for info in archive.infolist():
                    path = pathlib.Path(archive.extract(info, folder))
                    # zipfile leaves the permission bits behind, and the wheel holds programs.
                    if mode := info.external_attr >> 16 & 0o777:
                        path.chmod(mode)


def wheel_part(vendor: str, python_version: str, cache: pathlib.Path) -> pathlib.Path:
    """The stripped wheel and the pure Python packages: a .tar.xz, made once and kept."""
    triton, packages = locked(["triton"]), locked(PACKAGES)
    recipe = "\0".join([triton, packages, python_version, *DROPPED[vendor]])
    digest = hashlib.sha256(recipe.encode()).hexdigest()[:16]
    archive = cache / f"wheel-{vendor}-{python_version}-{digest}.tar.xz"
    if archive.exists():
        return archive
    print(
        "Fetching and packing the stock wheel; this takes about 4 minutes and is done once.",
        flush=True,
    )
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache) as scratch:
        site = pathlib.Path(scratch, "site")
        fetch(triton, python_version, site)
        fetch(packages, python_version, pathlib.Path(scratch, "packages"))
        for name in DROPPED[vendor]:
            path = site / "triton" / name
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
        # The dynamic symbols, which plugins link against, survive this.
        libraries = sorted((site / "triton").rglob("*.so"))
        subprocess.run(["strip", "--strip-all", *libraries], check=True)
        packed = pathlib.Path(scratch, "wheel.tar.xz")
        subprocess.run(
            ["tar", "-C", scratch, "-I", "xz -T0", "-cf", packed, "packages", "site"], check=True
        )
        packed.rename(archive)
    return archive


def code_files() -> Iterator[tuple[str, pathlib.Path]]:
    """What travels beside the wheel: names in the bundle and files."""
    # Under bazel run this is the runfiles tree; in a checkout the libraries are where Bazel builds
    # them.
    for root in (ROOT, ROOT / "bazel-bin"):
        for pattern in CODE:
            if root == ROOT or pattern.endswith(".so"):
                for path in sorted(root.glob(pattern)):
                    yield str(path.relative_to(root)), path


def write_bundle(out: pathlib.Path, wheel: pathlib.Path | None) -> None:
    """Writes the archive; an existing one is replaced only by a complete one."""
    files = dict(code_files())
    if not any(name.endswith(".so") for name in files):
        raise RuntimeError(
            f"no plugin library under {ROOT}; build one first (bazelw build //plugins/...)"
        )
    partial = out.with_name(out.name + ".partial")
    with tarfile.open(partial, "w", dereference=True) as archive:
        script = tarfile.TarInfo(f"{FOLDER}/run.sh")
        script.size, script.mode = len(RUN), 0o755
        archive.addfile(script, io.BytesIO(RUN.encode()))
        for name, path in files.items():
            archive.add(path, f"{FOLDER}/code/{name}")
        if wheel:
            archive.add(wheel, f"{FOLDER}/wheel.tar.xz")
    partial.replace(out)


def main(argv: Sequence[str] | None = None) -> int:
    """Makes the bundle and says how to use it; returns the exit code."""
    parser = argparse.ArgumentParser(prog="gpu_bundle", description=__doc__)
    parser.add_argument(
        "--out",
        required=True,
        type=pathlib.Path,
        metavar="FILE",
        help="the archive to write (.tar)",
    )
    parser.add_argument(
        "--vendor", choices=DROPPED, default="nvidia", help="of the GPU there (%(default)s)"
    )
    parser.add_argument(
        "--python-version", default="3.12", metavar="X.Y", help="Python there (%(default)s)"
    )
    parser.add_argument(
        "--without-wheel",
        action="store_true",
        help="only the code, for a machine that has unpacked a full bundle",
    )
    # bazelw says which folder it keeps, and clears it on clean-cache.
    caches = os.environ.get("TRITON_PLUGINS_CACHE") or "~/.cache/triton-plugins"
    default_cache = pathlib.Path(caches, "gpu-bundle").expanduser()
    parser.add_argument(
        "--cache",
        type=pathlib.Path,
        default=default_cache,
        metavar="DIR",
        help="for the packed wheel (%(default)s)",
    )
    args = parser.parse_args(argv)
    if not re.fullmatch(r"3\.\d+", args.python_version):
        parser.error(
            f"argument --python-version: {args.python_version!r} is not a version such as 3.12"
        )
    # `bazel run` starts programs elsewhere and leaves the user's folder in this variable.
    here = pathlib.Path(os.environ.get("BUILD_WORKING_DIRECTORY", "."))
    out, cache = (here / args.out).resolve(), (here / args.cache).resolve()
    try:
        write_bundle(
            out, None if args.without_wheel else wheel_part(args.vendor, args.python_version, cache)
        )
    except (OSError, RuntimeError, subprocess.CalledProcessError) as problem:
        print(f"gpu_bundle: {problem}", file=sys.stderr)
        return 1
    print(f"{out}: {out.stat().st_size / 2**20:.1f} MiB. On the GPU machine:")
    for arguments in (
        "",
        " -m bench.gemm --out gemm.json",
        f" -m examples.gemm --target {TARGETS[args.vendor]}",
    ):
        print(f"    tar -xf {shlex.quote(out.name)} && sh {FOLDER}/run.sh{arguments}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
