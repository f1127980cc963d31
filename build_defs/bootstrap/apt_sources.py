"""Learns from the host's apt sources which Debian mirror to use and whose signature to trust."""

from __future__ import annotations

import re
import shlex
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from console import BootstrapError

SUITE = "sid"

# Suites by the names that Debian gives them in general; the host's own codename is asked first.
_GENERAL_SUITES = ("sid", "unstable", "stable", "testing", "oldstable")


@dataclass(frozen=True)
class Source:
    """One binary package source as apt knows it.

    Attributes:
        uri: Where the archive is.
        suites: The distributions that the host takes from it.
        components: The archive areas, such as main.
        signed_by: The value of Signed-By: key files, fingerprints, or a key block; empty if absent.
    """

    uri: str
    suites: tuple[str, ...]
    components: tuple[str, ...]
    signed_by: str = ""


def parse_one_line(text: str) -> list[Source]:
    """Parses the one-line format of sources.list.

    Args:
        text: The content of a .list file.

    Returns:
        Its binary sources, in order.
    """
    sources = []
    for line in text.splitlines():
        match = re.match(r"\s*deb\s+(?:\[([^\]]*)\]\s*)?([^#]*)", line)
        words = match[2].split() if match else []
        if len(words) < 2:
            continue
        options = dict(word.split("=", 1) for word in (match[1] or "").split() if "=" in word)
        key = options.get("signed-by", "").replace(",", " ")
        sources.append(Source(words[0], (words[1],), tuple(words[2:]), key))
    return sources


def parse_deb822(text: str) -> list[Source]:
    """Parses the deb822 format of .sources files.

    Args:
        text: The content of a .sources file.

    Returns:
        Its enabled binary sources, one for each URI, in order.
    """
    sources = []
    text = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
    for stanza in re.split(r"\n\s*\n", text):
        fields: dict[str, str] = {}
        for match in re.finditer(r"^([^\s:]+):(.*(?:\n[ \t].*)*)", stanza, re.MULTILINE):
            fields[match[1].lower()] = match[2].strip()
        if "deb" not in fields.get("types", "").split() or fields.get("enabled") == "no":
            continue
        suites = tuple(fields.get("suites", "").split())
        components = tuple(fields.get("components", "").split())
        for uri in fields.get("uris", "").split():
            sources.append(Source(uri, suites, components, fields.get("signed-by", "")))
    return sources


def host_sources(main_list: Path, parts: Path) -> list[Source]:
    """Reads every source that the host's apt reads.

    Args:
        main_list: The file sources.list; it may be absent.
        parts: The folder sources.list.d; it may be absent.

    Returns:
        The binary sources of all files.
    """
    files = [main_list, *sorted(parts.glob("*.list")), *sorted(parts.glob("*.sources"))]
    sources = []
    for file in files:
        if file.is_file():
            parse = parse_deb822 if file.suffix == ".sources" else parse_one_line
            sources += parse(file.read_text(encoding="utf-8", errors="replace"))
    return sources


def choose_archive(sources: Iterable[Source], codename: str) -> Source:
    """Finds the source that is the Debian archive itself, which holds every suite.

    Security and backports archives, and those of other vendors, carry other suites or no main area.

    Args:
        sources: What the host has.
        codename: The host's release, such as bookworm.

    Returns:
        The source whose mirror and key serve the suite sid as well.

    Raises:
        BootstrapError: No source is the Debian archive.
    """
    usable = [source for source in sources if "main" in source.components]
    for suite in ("sid", "unstable", codename, *_GENERAL_SUITES):
        for source in usable:
            if suite in source.suites and not source.uri.startswith("cdrom:"):
                return source
    found = ", ".join(f"{'/'.join(source.suites)}" for source in usable) or "none"
    raise BootstrapError(
        "no Debian archive among this machine's apt sources "
        f"(suites with a main area: {found}; looked for {codename or 'a Debian release'}). "
        "Add the Debian mirror of this release to /etc/apt/sources.list.d, "
        "or put Bazel 7 or newer or Bazelisk on the PATH."
    )


def sid_stanza(archive: Source, architecture: str) -> str:
    """Writes the source of suite sid in deb822 format.

    Args:
        archive: The Debian archive as the host knows it.
        architecture: The Debian name of the architecture, such as amd64.

    Returns:
        The content of a .sources file.
    """
    lines = [
        "Types: deb",
        f"URIs: {archive.uri}",
        f"Suites: {SUITE}",
        "Components: main",
        f"Architectures: {architecture}",
        # Only the package index is read: no descriptions in other languages, no file lists.
        "Languages: none",
        "Targets: Packages",
    ]
    if archive.signed_by:
        lines.append(f"Signed-By: {archive.signed_by}")
    return "\n".join(lines) + "\n"


def sid_source() -> str:
    """Derives the source of suite sid from the host's apt configuration.

    Returns:
        The content of a .sources file.

    Raises:
        BootstrapError: The host has no Debian archive among its sources.
    """
    shell = _output(
        "apt-config", "shell", "LIST", "Dir::Etc::sourcelist/f", "PARTS", "Dir::Etc::sourceparts/d"
    )
    paths = dict(word.split("=", 1) for word in shlex.split(shell))
    release = Path("/etc/os-release").read_text(encoding="utf-8", errors="replace")
    match = re.search(r'^VERSION_CODENAME="?([\w-]+)', release, re.MULTILINE)
    sources = host_sources(Path(paths["LIST"]), Path(paths["PARTS"]))
    archive = choose_archive(sources, match[1] if match else "")
    return sid_stanza(archive, _output("dpkg", "--print-architecture").strip())


def _output(*command: str) -> str:
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
