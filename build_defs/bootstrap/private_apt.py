"""apt with a root of its own: resolves, verifies and downloads packages without privileges."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import apt_sources
from console import BootstrapError, Progress

# Commands that the host runs around apt would touch the host; its pins are for its own suite.
_CONFIG = """\
#clear APT::Update;
#clear APT::Default-Release;
#clear APT::NeverAutoRemove;
#clear DPkg::Pre-Invoke;
#clear DPkg::Post-Invoke;
#clear DPkg::Pre-Install-Pkgs;
#clear Dir::Etc::preferences;
#clear Dir::Etc::preferencesparts;
#clear AptCli::Hooks;
APT::Update::Error-Mode "any";
APT::Architecture "{architecture}";
APT::Architectures {{ "{architecture}"; }};
APT::Install-Recommends "false";
APT::Install-Suggests "false";
APT::Sandbox::User "root";
APT::Get::AllowUnauthenticated "false";
Acquire::AllowInsecureRepositories "false";
Acquire::AllowWeakRepositories "false";
Acquire::PDiffs "false";
Acquire::Retries "2";
Acquire::http::Timeout "30";
Acquire::https::Timeout "30";
Dir::State "{root}/state";
Dir::State::status "{root}/status";
Dir::State::lists "{root}/lists";
Dir::Cache "{root}/cache";
Dir::Cache::archives "{root}/archives";
Dir::Cache::pkgcache "pkgcache.bin";
Dir::Cache::srcpkgcache "srcpkgcache.bin";
Dir::Etc::sourcelist "/dev/null";
Dir::Etc::sourceparts "{root}/sources";
Dir::Log "{root}/log";
"""


@dataclass(frozen=True)
class Package:
    """A package of the suite, as its signed index describes it."""

    name: str
    version: str
    architecture: str
    size: int
    sha256: str
    provides: str = ""
    multi_arch: str = ""

    @property
    def file_name(self) -> str:
        """The name under which apt keeps the download."""
        return f"{self.name}_{self.version.replace(':', '%3a')}_{self.architecture}.deb"


class PrivateApt:
    """apt-get and apt-cache that read and write below one folder only."""

    def __init__(self, root: Path, lock_fd: int | None = None) -> None:
        """Prepares the folder.

        Args:
            root: The folder; made if it is absent.
            lock_fd: A lock that apt holds too, so that it is kept while an orphaned apt runs.
        """
        self._root = root
        self._pass_fds = (lock_fd,) if lock_fd is not None else ()
        for name in ("state", "lists/partial", "cache", "archives/partial", "sources", "log"):
            (root / name).mkdir(parents=True, exist_ok=True)
        source = apt_sources.sid_source()
        architecture = re.search(r"^Architectures: (\S+)", source, re.MULTILINE)[1]
        (root / "sources" / "sid.sources").write_text(source, encoding="utf-8")
        self._config = root / "apt.conf"
        self._config.write_text(
            _CONFIG.format(root=root, architecture=architecture), encoding="utf-8"
        )
        self.archives = root / "archives"

    def update(self) -> None:
        """Fetches the suite's index and checks its signature.

        Raises:
            BootstrapError: The mirror cannot be reached or the signature does not hold.
        """
        result = self._run("apt-get", "-qq", "update")
        if result.returncode:
            raise BootstrapError(
                "the package index of Debian sid could not be fetched or verified "
                "through the mirror that this machine's apt sources name:\n"
                f"{_errors(result.stdout)}\n"
                "Check the network and the proxy settings of apt, then run the same command again; "
                "nothing was installed."
            )

    def resolve(self, names: Sequence[str], excludes: Sequence[str] = ()) -> list[Package]:
        """Finds the packages that an installation on an empty system would need.

        An excluded package counts as installed, so that what only it needs is left out too.

        Args:
            names: The packages that are wanted.
            excludes: Regular expressions that match whole package names; what is wanted stays.

        Returns:
            The packages to download, by name.

        Raises:
            BootstrapError: A package does not exist or cannot be installed.
        """
        self._write_status([])
        closure = self._simulate(names)
        if excludes:
            pattern = re.compile("|".join(f"(?:{exclude})" for exclude in excludes))
            excluded = [p for p in closure if pattern.fullmatch(p.name) and p.name not in names]
            self._write_status(excluded)
            closure = self._simulate(names)
        return sorted(closure, key=lambda package: package.name)

    def download(self, packages: Sequence[Package]) -> list[Path]:
        """Downloads what is not there yet and verifies everything against the signed index.

        Args:
            packages: What to download.

        Returns:
            The package files.

        Raises:
            BootstrapError: A download failed or a file is not what the index says.
        """
        files = [self.archives / package.file_name for package in packages]
        wanted = dict(zip(files, packages, strict=True))
        for file in files:
            # An interrupted write may have left a file of the right name and the wrong content.
            if file.exists() and not _verified(file, wanted[file]):
                file.unlink()
        missing = [package for file, package in wanted.items() if not file.exists()]
        if missing:
            self._fetch(missing, sum(file.stat().st_size for file in files if file.exists()))
        for file, package in wanted.items():
            if not file.exists() or not _verified(file, package):
                file.unlink(missing_ok=True)
                raise BootstrapError(
                    f"the download of {package.name} {package.version} does not match the signed "
                    "index of Debian sid; it was removed. Run the same command again."
                )
        return files

    def _fetch(self, missing: Sequence[Package], bytes_kept: int) -> None:
        size = sum(package.size for package in missing)
        kept = f", {bytes_kept / 1e6:.0f} MB kept from before" if bytes_kept else ""
        progress = Progress(f"downloading {len(missing)} packages, {size / 1e6:.0f} MB{kept}")
        command = self._command("apt-get", "-q", "-y", "--download-only", "-oAPT::Status-Fd=1")
        command += ["install", *(f"{package.name}={package.version}" for package in missing)]
        log = []
        with subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=_environment(),
            pass_fds=self._pass_fds,
        ) as process:
            for line in process.stdout:
                status = re.match(r"dlstatus:\d+:([\d.]+):", line)
                if status:
                    progress.update(float(status[1]) / 100)
                else:
                    log.append(line)
        progress.close()
        if process.returncode:
            raise BootstrapError(
                "packages of Debian sid could not be downloaded:\n"
                f"{_errors(''.join(log))}\n"
                "What was downloaded is kept: run the same command again to go on."
            )

    def _simulate(self, names: Sequence[str]) -> list[Package]:
        result = self._run("apt-get", "-q", "-s", "install", *names)
        if result.returncode:
            raise BootstrapError(
                f"Debian sid cannot provide {', '.join(names)} now:\n{_errors(result.stdout)}\n"
                "The suite may be in transition: try again later, or give your own tools instead."
            )
        chosen = re.findall(r"^Inst (\S+) \((\S+) ", result.stdout, re.MULTILINE)
        shown = self._run("apt-cache", "show", *(f"{name}={version}" for name, version in chosen))
        return [_package(stanza) for stanza in shown.stdout.split("\n\n") if "Package: " in stanza]

    def _write_status(self, installed: Sequence[Package]) -> None:
        stanzas = []
        for package in installed:
            lines = [
                f"Package: {package.name}",
                # Held: apt would rather have the suite's own copy of the same version.
                "Status: hold ok installed",
                f"Version: {package.version}",
                f"Architecture: {package.architecture}",
                "Maintainer: none",
                "Description: excluded",
            ]
            if package.provides:
                lines.append(f"Provides: {package.provides}")
            if package.multi_arch:
                lines.append(f"Multi-Arch: {package.multi_arch}")
            stanzas.append("\n".join(lines) + "\n")
        (self._root / "status").write_text("\n".join(stanzas), encoding="utf-8")

    def _command(self, program: str, *arguments: str) -> list[str]:
        return [program, f"--config-file={self._config}", *arguments]

    def _run(self, program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self._command(program, *arguments),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=_environment(),
            pass_fds=self._pass_fds,
            check=False,
        )


def _package(stanza: str) -> Package:
    fields = dict(re.findall(r"^([\w-]+): (.*)$", stanza, re.MULTILINE))
    return Package(
        name=fields["Package"],
        version=fields["Version"],
        architecture=fields["Architecture"],
        size=int(fields["Size"]),
        sha256=fields["SHA256"],
        provides=fields.get("Provides", ""),
        multi_arch=fields.get("Multi-Arch", ""),
    )


def _verified(file: Path, package: Package) -> bool:
    if file.stat().st_size != package.size:
        return False
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest() == package.sha256


def _environment() -> dict[str, str]:
    # The output is parsed, so it must be in English.
    return {**os.environ, "LC_ALL": "C", "DEBIAN_FRONTEND": "noninteractive"}


def _errors(log: str) -> str:
    lines = [line for line in log.splitlines() if re.match(r"(E|W|Err):", line)]
    if not lines:
        lines = log.splitlines()
    shown = [f"    {line.strip()}" for line in lines[:8]]
    if len(lines) > len(shown):
        shown.append(f"    ... and {len(lines) - len(shown)} more lines")
    return "\n".join(shown) or "    apt gave no reason"
