"""Tests of bazel_tree: the parts that do not need Debian's packages."""

from __future__ import annotations

import base64
import pathlib
import struct
import zipfile

import bazel_tree
import pytest
from console import BootstrapError


def _jar(path: pathlib.Path, class_path: str = "") -> pathlib.Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        if class_path:
            line = f"Class-Path: {class_path}"
            folded = "\r\n ".join(line[at : at + 70] for at in range(0, len(line), 70))
            archive.writestr("META-INF/MANIFEST.MF", f"Manifest-Version: 1.0\r\n{folded}\r\n")
    return path


def test_jar_closure_follows_manifests(tmp_path: pathlib.Path) -> None:
    java = tmp_path / "usr/share/java"
    real = _jar(
        java / "a-1.0.jar", "b.jar file:///usr/share/java/c.jar absent.jar " + "d.jar " * 20
    )
    (java / "a.jar").symlink_to("a-1.0.jar")
    others = [_jar(java / f"{name}.jar", "a.jar") for name in "bcd"]
    names = ["/usr/share/java/a.jar", "/usr/share/java/also-absent.jar"]
    assert bazel_tree.jar_closure(tmp_path, names) == [real, *others]


def test_key_store_holds_every_certificate() -> None:
    certificates = [b"first certificate", b"second"]
    pem = "".join(
        "# a name\n-----BEGIN CERTIFICATE-----\n"
        f"{base64.encodebytes(der).decode()}-----END CERTIFICATE-----\n"
        for der in certificates
    )
    store = bazel_tree.java_key_store(pem)
    assert struct.unpack(">III", store[:12]) == (0xFEEDFEED, 2, 2)
    for der in certificates:
        assert struct.pack(">I", len(der)) + der in store
    # Tag, alias, date, type, length and body of each; a SHA-1 in the end.
    assert len(store) == 12 + sum(4 + 2 + 6 + 8 + 2 + 5 + 4 + len(der) for der in certificates) + 20


def test_links_into_etc_are_turned_inside(tmp_path: pathlib.Path) -> None:
    (tmp_path / "etc/java").mkdir(parents=True)
    (tmp_path / "etc/java/a.cfg").write_text("private")
    lib = tmp_path / "usr/lib/java/lib"
    lib.mkdir(parents=True)
    (lib / "a.cfg").symlink_to("/etc/java/a.cfg")
    (lib / "host.cfg").symlink_to("/etc/absent/in/tree")
    bazel_tree._point_links_inside(tmp_path, lib.parent)
    assert (lib / "a.cfg").read_text() == "private"
    assert (lib / "host.cfg").readlink() == pathlib.Path("/etc/absent/in/tree")


def test_another_layout_is_an_error(tmp_path: pathlib.Path) -> None:
    with pytest.raises(BootstrapError, match="A-server.jar is missing.*Bazelisk"):
        bazel_tree.assemble(tmp_path, tmp_path)


def test_stand_ins_are_modules(tmp_path: pathlib.Path) -> None:
    bazel_tree._write_modules(tmp_path)
    for name in bazel_tree._STAND_INS:
        text = (tmp_path / "modules" / name / "MODULE.bazel").read_text()
        assert text == f'module(name = "{name}")\n'
