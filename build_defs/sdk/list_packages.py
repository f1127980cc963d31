"""Lists the packages in a folder that `pip install --target` filled, as JSON.

    list_packages.py SITE

Runs in the host's Python, with nothing but the standard library.
"""

from __future__ import annotations

import csv
import json
import pathlib
import re
import sys
from importlib import metadata


def canonical(name: str) -> str:
    """Spells a package's name as PyPI does."""
    return re.sub(r"[-_.]+", "-", name).lower()


def required(package: metadata.Distribution, present: set[str]) -> list[str]:
    """Names what the package requires of those present, without what only extras require."""
    names = set()
    for text in package.requires or ():
        match = re.match(r"[A-Za-z0-9._-]+", text)
        if match and not re.search(r"\bextra\s*==", text):
            names.add(canonical(match.group()))
    return sorted(names & present)


def entries(site: pathlib.Path, package: metadata.Distribution) -> list[str]:
    """Names the package's files and folders directly in `site`, and its programs in bin."""
    tops = set()
    # RECORD names scripts as in a normal installation, outside; --target puts them in bin. From
    # Python 3.12 on package.files leaves out what is not where RECORD says.
    for row in csv.reader((package.read_text("RECORD") or "").splitlines()):
        parts = [part for part in row[0].split("/") if part != ".."]
        tops.add("/".join(parts[:2] if parts[0] == "bin" else parts[:1]))
    return sorted(top for top in tops if (site / top).exists() and top != "__pycache__")


def main() -> None:
    """Prints the list."""
    site = pathlib.Path(sys.argv[1])
    packages = {
        canonical(package.metadata["Name"]): package
        for package in metadata.distributions(path=[str(site)])
    }
    listed = [
        {
            "name": name,
            "entries": entries(site, package),
            "requires": required(package, set(packages)),
        }
        for name, package in sorted(packages.items())
    ]
    print(json.dumps(listed))


if __name__ == "__main__":
    main()
