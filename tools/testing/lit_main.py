"""Runs lit over one MLIR file under Bazel: the main program of lit_test.

lit_main.py [--plugin=LIB.so]... --filecheck=PROGRAM --plugin_opt=PROGRAM FILE
"""

from __future__ import annotations

import argparse
import os
import pathlib
import sys
import tempfile

import lit.main

_CONFIG = """\
import lit.formats

config.name = "lit"
config.suffixes = [{suffix!r}]
config.test_format = lit.formats.ShTest(execute_external=False)
config.environment.update({environment!r})
config.substitutions += {substitutions!r}
"""


def main() -> None:
    """Makes a test suite of the file and runs it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--plugin", action="append", default=[], help="a library that %%plugin_opt loads"
    )
    parser.add_argument("--filecheck", required=True)
    parser.add_argument("--plugin_opt", required=True)
    parser.add_argument("file", type=pathlib.Path)
    args = parser.parse_args()

    runfiles = pathlib.Path(os.environ["RUNFILES_DIR"]).absolute()

    with tempfile.TemporaryDirectory(dir=os.environ.get("TEST_TMPDIR")) as folder:
        suite = pathlib.Path(folder)
        # lit looks for its configuration beside the test, where nothing may be written.
        test = suite / args.file
        test.parent.mkdir(parents=True, exist_ok=True)
        test.symlink_to(args.file.absolute())
        environment = {**os.environ, "TRITON_CACHE_DIR": str(suite / "triton")}
        plugins = [f"--plugin={runfiles / plugin}" for plugin in args.plugin]
        substitutions = [
            ("%plugin_opt", " ".join([str(runfiles / args.plugin_opt), *plugins])),
            ("%FileCheck", f"{runfiles / args.filecheck} --enable-var-scope"),
        ]
        (suite / "lit.cfg.py").write_text(
            _CONFIG.format(
                suffix=args.file.suffix, environment=environment, substitutions=substitutions
            )
        )
        sys.argv[1:] = ["-vv", str(test)]
        lit.main.main()


if __name__ == "__main__":
    main()
