"""Tests of private_apt that need no network."""

from __future__ import annotations

import hashlib
import pathlib

import private_apt
import pytest
from console import BootstrapError
from private_apt import Package, PrivateApt

CONTENT = b"a package"
STANZA = f"""\
Package: libexample
Version: 1:2.0+ds-3~
Architecture: amd64
Multi-Arch: same
Provides: libvirtual (= 2.0)
Size: {len(CONTENT)}
SHA256: {hashlib.sha256(CONTENT).hexdigest()}
Description: first line
 Size: 5 of something else
"""


@pytest.fixture
def package() -> Package:
    return private_apt._package(STANZA)


@pytest.fixture
def apt(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> PrivateApt:
    source = "Types: deb\nURIs: http://mirror\nSuites: sid\nArchitectures: amd64\n"
    monkeypatch.setattr(private_apt.apt_sources, "sid_source", lambda: source)
    return PrivateApt(tmp_path)


def test_stanza(package: Package) -> None:
    assert package.size == len(CONTENT)
    assert package.file_name == "libexample_1%3a2.0+ds-3~_amd64.deb"
    assert package.provides == "libvirtual (= 2.0)"


def test_a_good_download_is_kept(apt: PrivateApt, package: Package) -> None:
    file = apt.archives / package.file_name
    file.write_bytes(CONTENT)
    assert apt.download([package]) == [file]


def test_a_damaged_download_is_not_used(
    apt: PrivateApt, package: Package, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = apt.archives / package.file_name
    file.write_bytes(CONTENT[::-1])
    monkeypatch.setattr(apt, "_fetch", lambda missing, kept: file.write_bytes(CONTENT[::-1]))
    with pytest.raises(BootstrapError, match="libexample.*does not match the signed index"):
        apt.download([package])
    assert not file.exists()


def test_hooks_and_sources_of_the_host_are_off(apt: PrivateApt, tmp_path: pathlib.Path) -> None:
    config = (tmp_path / "apt.conf").read_text()
    assert "#clear APT::Update;" in config
    assert f'Dir::Etc::sourceparts "{tmp_path}/sources";' in config


def test_errors_are_picked_from_the_log() -> None:
    log = "Get:1 x\nE: no route\nW: old\n" + "E: more\n" * 10
    assert private_apt._errors(log).splitlines()[:2] == ["    E: no route", "    W: old"]
    assert private_apt._errors(log).endswith("and 4 more lines")
    assert private_apt._errors("plain\n") == "    plain"
    assert private_apt._errors("") == "    apt gave no reason"
