"""Tests of apt_sources: which of the host's sources is the Debian archive."""

from __future__ import annotations

import pathlib

import apt_sources
import pytest
from apt_sources import Source
from console import BootstrapError


def test_one_line_format() -> None:
    text = """\
# deb http://commented/debian bookworm main
deb [arch=amd64 signed-by=/keys/a.gpg,/keys/b.gpg] http://mirror/debian bookworm main contrib # why
deb-src http://mirror/debian bookworm main
deb http://mirror/flat ./
"""
    assert apt_sources.parse_one_line(text) == [
        Source(
            "http://mirror/debian", ("bookworm",), ("main", "contrib"), "/keys/a.gpg /keys/b.gpg"
        ),
        Source("http://mirror/flat", ("./",), ()),
    ]


def test_deb822_format() -> None:
    text = """\
Types: deb deb-src
# a comment inside
URIs: http://one/debian http://two/debian
Suites: trixie trixie-updates
Components: main
Signed-By:
 -----BEGIN PGP PUBLIC KEY BLOCK-----
 .
 AAAA
 -----END PGP PUBLIC KEY BLOCK-----

Types: deb
Enabled: no
URIs: http://off/debian
Suites: trixie
Components: main

types: deb-src
URIs: http://sources/debian
Suites: trixie
Components: main
"""
    first, second = apt_sources.parse_deb822(text)
    assert (first.uri, second.uri) == ("http://one/debian", "http://two/debian")
    assert first.suites == ("trixie", "trixie-updates")
    assert first.signed_by.splitlines()[1:3] == [" .", " AAAA"]


def test_host_sources_reads_both_formats(tmp_path: pathlib.Path) -> None:
    (tmp_path / "a.list").write_text("deb http://a/debian sid main\n")
    (tmp_path / "b.sources").write_text(
        "Types: deb\nURIs: http://b/debian\nSuites: sid\nComponents: main\n"
    )
    (tmp_path / "c.list.save").write_text("deb http://c/debian sid main\n")
    found = apt_sources.host_sources(tmp_path / "absent", tmp_path)
    assert [source.uri for source in found] == ["http://a/debian", "http://b/debian"]


def test_archive_is_not_the_security_archive_nor_a_vendor() -> None:
    sources = [
        Source("http://vendor", ("vendor-bookworm",), ("main",)),
        Source("http://security", ("bookworm-security",), ("main",)),
        Source("http://contrib", ("bookworm",), ("contrib",)),
        Source("http://archive", ("bookworm", "bookworm-updates"), ("main",)),
    ]
    assert apt_sources.choose_archive(sources, "bookworm").uri == "http://archive"


def test_a_source_of_sid_comes_first() -> None:
    sources = [
        Source("http://stable", ("trixie",), ("main",)),
        Source("http://sid", ("unstable",), ("main",)),
    ]
    assert apt_sources.choose_archive(sources, "trixie").uri == "http://sid"


@pytest.mark.parametrize("sources", [[], [Source("http://x", ("noble",), ("universe",))]])
def test_no_archive_is_an_error_that_says_what_to_do(sources: list[Source]) -> None:
    with pytest.raises(BootstrapError, match="no Debian archive.*bookworm.*sources.list.d"):
        apt_sources.choose_archive(sources, "bookworm")


def test_stanza_keeps_the_key() -> None:
    archive = Source("http://mirror", ("bookworm",), ("main",), "/keys/debian.gpg")
    stanza = apt_sources.sid_stanza(archive, "amd64")
    (again,) = apt_sources.parse_deb822(stanza)
    assert again == Source("http://mirror", ("sid",), ("main",), "/keys/debian.gpg")
    assert "Signed-By" not in apt_sources.sid_stanza(Source("http://m", (), ()), "amd64")
