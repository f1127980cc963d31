"""Tests of what list_packages.py finds in a folder of packages."""

from __future__ import annotations

import pathlib
from importlib import metadata

import list_packages


def install(site: pathlib.Path, name: str, requires: list[str], files: list[str]) -> None:
    """Lays out a package as pip does."""
    info = site / f"{name}-1.0.dist-info"
    info.mkdir(parents=True)
    lines = ["Metadata-Version: 2.1", f"Name: {name}", "Version: 1.0"]
    lines += [f"Requires-Dist: {requirement}" for requirement in requires]
    (info / "METADATA").write_text("\n".join(lines) + "\n")
    for file in files:
        path = site / file.replace("../../", "")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    record = [*files, f"{info.name}/METADATA"]
    (info / "RECORD").write_text("".join(f"{file},,\n" for file in record))


def test_entries_and_requirements(tmp_path: pathlib.Path) -> None:
    install(
        tmp_path,
        "Some_Thing",
        ["other>=1; python_version >= '3'", "absent", 'extra-only; extra == "test"'],
        ["thing/__init__.py", "thing/deep/x.py", "single.py", "../../bin/thing"],
    )
    install(tmp_path, "other", [], ["other.py"])
    install(tmp_path, "extra-only", [], ["extra_only.py"])
    packages = {
        package.metadata["Name"]: package
        for package in metadata.distributions(path=[str(tmp_path)])
    }
    thing = packages["Some_Thing"]
    assert list_packages.entries(tmp_path, thing) == [
        "Some_Thing-1.0.dist-info",
        "bin/thing",
        "single.py",
        "thing",
    ]
    assert list_packages.required(thing, {"other", "extra-only"}) == ["other"]


def test_canonical_name() -> None:
    assert list_packages.canonical("Some_Thing.Else") == "some-thing-else"
