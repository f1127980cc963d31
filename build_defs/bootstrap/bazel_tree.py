"""Assembles a Bazel that runs from a private folder out of Debian's packages.

Debian's Bazel expects to lie in /usr, to find its Java libraries in /usr/share/java and its modules
through /etc/bazel. Here every such path is pointed into the folder.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
import shlex
import struct
import time
import zipfile
from collections.abc import Iterable
from pathlib import Path

from console import BootstrapError
from debian import Tree

# libblake3-0 is needed by the server's native library, which the package does not declare.
TREE = Tree(
    packages=("bazel-bootstrap", "default-jre-headless", "libblake3-0"),
    excludes=(
        # The server runs on a JRE, and nothing here is written in Java.
        "(default|openjdk-.*)-jdk-headless",
        "java-common|ca-certificates.*",
        # The host's own tools build and test.
        "build-essential|perl.*|unzip|util-linux|media-types",
        "python3.*|libpython3.*",
        # Headers, and the web pages of the documentation.
        "lib.*-dev|zlib1g-dev|libc-dev-bin|linux-libc-dev|libjs-.*|node-.*",
        # Dependencies of Java libraries for uses that Bazel has not.
        "lib(maven|jetty|jgit|bcprov|eclipse-jdt|plexus|sisu|wagon|guice|javaparser).*",
    ),
    programs=(
        "usr/bin/bazel",
        "usr/libexec/*/bazel/*",
        "usr/lib/jvm/*/bin/java",
        "usr/lib/jvm/*/lib/jspawnhelper",
    ),
)

# Modules of the suite, by their folder below usr/share/bazel.
_PACKAGED_MODULES = {
    "bazel_features": "tools/features",
    "bazel_skylib": "tools/skylib",
    "platforms": "tools/platforms",
    "rules_cc": "rules/cc",
    "rules_java": "rules/java",
    "rules_license": "rules/license",
    "rules_proto": "rules/proto",
    "rules_python": "rules/python",
}

# Modules that bazel_tools names but that nothing here uses, and the files it loads all the same.
_STAND_INS: dict[str, dict[str, str]] = {
    "apple_support": {},
    "buildozer": {
        "buildozer_binary.bzl": '''\
"""Stands in for the extension that fetches buildozer, which only `bazel mod tidy` uses."""

def _repository_impl(repository_ctx):
    repository_ctx.file("BUILD.bazel", "")

_repository = repository_rule(implementation = _repository_impl)

def _extension_impl(_module_ctx):
    _repository(name = "buildozer_binary")

buildozer_binary = module_extension(implementation = _extension_impl)
''',
    },
    "protobuf": {},
    "zlib": {},
}

_HOST_CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")


def assemble(root: Path, final_root: Path) -> None:
    """Turns the unpacked packages into a Bazel that `final_root/bazelw-launch` starts.

    Args:
        root: Where the packages are now.
        final_root: Where they will be.

    Raises:
        BootstrapError: The packages are not as expected.
    """
    share = root / "usr/share/bazel"
    java = root / "usr/lib/jvm/default-java"
    for needed in (share / "A-server.jar", java / "bin/java", root / "usr/bin/bazel"):
        if not needed.exists():
            raise BootstrapError(
                f"Debian's Bazel has another layout than expected: {needed.relative_to(root)} is "
                "missing. Put Bazel 7 or newer or Bazelisk on the PATH instead."
            )
    _point_links_inside(root, java.resolve())
    _write_trust_store(java.resolve() / "lib/security/cacerts")
    _write_class_path(root, final_root)
    _write_version(share)
    _write_modules(root)
    _write_rc(root, final_root)
    _write_launcher(root, final_root)


def _point_links_inside(root: Path, folder: Path) -> None:
    """Makes links into /etc lead to the same file in the tree."""
    for parent, _, names in os.walk(folder):
        for link in (Path(parent) / name for name in names):
            if not link.is_symlink() or not os.readlink(link).startswith("/"):
                continue
            target = root / os.readlink(link)[1:]
            if target.exists():
                link.unlink()
                link.symlink_to(os.path.relpath(target, link.parent))


def _write_trust_store(file: Path) -> None:
    """Gives Java the host's certificates, as the installation of Debian's package would."""
    if file.exists() or not _HOST_CERTIFICATES.exists():
        return
    file.unlink(missing_ok=True)
    file.write_bytes(
        java_key_store(_HOST_CERTIFICATES.read_text(encoding="ascii", errors="ignore"))
    )


def java_key_store(pem: str) -> bytes:
    """Converts trusted certificates to a Java key store (format JKS, version 2).

    Args:
        pem: Certificates in PEM format.

    Returns:
        The key store, with the password that Java's own trust store has, changeit.
    """
    bodies = re.findall(r"-----BEGIN CERTIFICATE-----([^-]*)-----END CERTIFICATE-----", pem)
    store = struct.pack(">III", 0xFEEDFEED, 2, len(bodies))
    now = int(time.time() * 1000)
    for number, body in enumerate(bodies):
        der = base64.b64decode(body)
        store += struct.pack(">I", 2) + _java_string(f"host-{number}") + struct.pack(">Q", now)
        store += _java_string("X.509") + struct.pack(">I", len(der)) + der
    # The format's checksum: the password in UTF-16, a fixed text and the content.
    salt = "changeit".encode("utf-16-be") + b"Mighty Aphrodite"
    return store + hashlib.sha1(salt + store, usedforsecurity=False).digest()


def _java_string(text: str) -> bytes:
    return struct.pack(">H", len(text)) + text.encode("ascii")


def jar_closure(root: Path, jars: Iterable[str]) -> list[Path]:
    """Finds the jars that are needed: those named, and those that their manifests name in turn.

    Args:
        root: The tree; absolute paths in manifests are meant inside it.
        jars: Absolute paths as Debian installs them.

    Returns:
        The files, in the order of a class path. Jars that are absent are optional, as in Debian.
    """
    found: list[Path] = []
    pending = [root / jar.lstrip("/") for jar in jars]
    while pending:
        # Resolved, since a manifest's relative names are beside the file, not beside a link to it.
        jar = pending.pop(0).resolve()
        if jar in found or not jar.is_file():
            continue
        found.append(jar)
        for name in _manifest_class_path(jar):
            name = name.removeprefix("file://")
            pending.append(root / name[1:] if name.startswith("/") else jar.parent / name)
    return found


def _manifest_class_path(jar: Path) -> list[str]:
    with zipfile.ZipFile(jar) as archive:
        if "META-INF/MANIFEST.MF" not in archive.namelist():
            return []
        manifest = archive.read("META-INF/MANIFEST.MF").decode("utf-8", errors="replace")
    # A long line goes on in the next one after a space.
    manifest = manifest.replace("\r\n", "\n").replace("\n ", "")
    match = re.search(r"^Class-Path: (.*)$", manifest, re.MULTILINE)
    return match[1].split() if match else []


def _write_class_path(root: Path, final_root: Path) -> None:
    file = root / "usr/share/bazel/bazel_classpath_debian_depends.txt"
    jars = jar_closure(root.resolve(), file.read_text(encoding="utf-8").split())
    paths = [final_root / jar.relative_to(root.resolve()) for jar in jars]
    file.write_text("".join(f"{path}\n" for path in paths), encoding="utf-8")


def _write_version(share: Path) -> None:
    """Tells the server its version: Debian's build calls itself a development version."""
    version = (share / "build-label.txt").read_text(encoding="utf-8").strip()
    with zipfile.ZipFile(share / "A-server.jar", "a") as archive:
        archive.writestr("build-data.properties", f"build.label={version}\n")


def _write_modules(root: Path) -> None:
    for name, files in _STAND_INS.items():
        folder = root / "modules" / name
        folder.mkdir(parents=True)
        (folder / "MODULE.bazel").write_text(f'module(name = "{name}")\n', encoding="utf-8")
        (folder / "BUILD.bazel").write_text("", encoding="utf-8")
        for file, content in files.items():
            (folder / file).write_text(content, encoding="utf-8")


def _write_rc(root: Path, final_root: Path) -> None:
    share = Path("usr/share/bazel")
    folders = {name: share / folder for name, folder in _PACKAGED_MODULES.items()}
    for name, folder in folders.items():
        if not (root / folder / "MODULE.bazel").exists():
            raise BootstrapError(f"Debian's package of the Bazel module {name} has no MODULE.bazel")
    folders |= {name: Path("modules") / name for name in _STAND_INS}
    lines = ["# Modules come from Debian's packages: no registry is asked."]
    lines += [
        f'common "--override_module={name}={final_root / folder}"'
        for name, folder in sorted(folders.items())
    ]
    (root / "bazelrc").write_text("\n".join(lines) + "\n", encoding="utf-8")


def _write_launcher(root: Path, final_root: Path) -> None:
    command = [
        f"{final_root}/usr/bin/bazel",
        # A Bazel that Debian installed on the host has its overrides in the system's rc file.
        "--nosystem_rc",
        f"--bazelrc={final_root}/bazelrc",
        f"--install_base={final_root}/usr/share/bazel",
        "--trust_install_base",
        f"--server_javabase={final_root}/usr/lib/jvm/default-java",
        # It would keep counters in /tmp.
        "--host_jvm_args=-XX:-UsePerfData",
    ]
    file = root / "bazelw-launch"
    file.write_text(f'#!/bin/sh\nexec {shlex.join(command)} "$@"\n', encoding="utf-8")
    file.chmod(0o755)
