"""Lists the packages in a folder that `pip install --target` filled, as JSON: name, top entries, and what each requires.

    list_packages.py SITE

Runs in the host's Python, with nothing but the standard library.
"""

from __future__ import annotations

import json
import pathlib
import re
import sys
from importlib import metadata


def canonical(name: str) -> str:
    """Spells a package's name as PyPI does."""
    return re.sub(r"[-_.]+", "-", name).lower()


def required(package: metadata.Distribution, present: set[str]) -> list[str]:
    """Names what the package requires of those present. What only an extra of it requires does not count."""
    names = set()
    for text in package.requires or ():
        match = re.match(r"[A-Za-z0-9._-]+", text)
        if match and "extra ==" not in text.replace("extra==", "extra =="):
            names.add(canonical(match.group()))
    return sorted(names & present)


def entries(site: pathlib.Path, package: metadata.Distribution) -> list[str]:
    """Names the files and folders directly in `site`, and the programs in its bin, that belong to the package."""
    tops = set()
    for file in package.files or ():
        # RECORD places scripts relative to the site-packages of a normal installation; --target puts them in bin.
        parts = [part for part in file.parts if part != ".."]
        tops.add("/".join(parts[:2] if parts[0] == "bin" else parts[:1]))
    return sorted(top for top in tops if (site / top).exists() and top != "__pycache__")


def main() -> None:
    """Prints the list."""
    site = pathlib.Path(sys.argv[1])
    packages = {canonical(package.metadata["Name"]): package for package in metadata.distributions(path=[str(site)])}
    listed = [
        {"name": name, "entries": entries(site, package), "requires": required(package, set(packages))}
        for name, package in sorted(packages.items())
    ]
    print(json.dumps(listed))


if __name__ == "__main__":
    main()
