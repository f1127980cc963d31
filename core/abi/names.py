"""Two compilers, one class, two spellings.

gcc writes `SmallVector<mlir::Value, 6>` where clang writes `SmallVector<mlir::Value, 6U>`, and so
on. A canonical form of both finds the wheel's spelling among all names in its debug information.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable

_INTEGERS = {
    "long long unsigned int": "unsigned long long",
    "long unsigned int": "unsigned long",
    "short unsigned int": "unsigned short",
    "unsigned int": "unsigned",
    "long long int": "long long",
    "long int": "long",
    "short int": "short",
}
_INTEGER = re.compile("|".join(rf"\b{name}\b" for name in _INTEGERS))
# Where const stands in an argument differs too, and no template of ours is laid out by it.
_QUALIFIER = re.compile(r"\b(?:const|volatile)\b")
_SUFFIX = re.compile(r"\b(\d+)[uUlL]+\b")
_NEEDLESS_SPACE = re.compile(r"(?<!\w)\s+|\s+(?!\w)")


def canonical(name: str) -> str:
    """The form that both compilers' spellings of one class share."""
    name = _INTEGER.sub(lambda match: _INTEGERS[match[0]], name)
    name = _SUFFIX.sub(r"\1", _QUALIFIER.sub("", name))
    return _NEEDLESS_SPACE.sub("", name)


def components(name: str) -> list[str]:
    """Splits a qualified name at the `::` outside of template arguments and parameter lists."""
    parts, depth, start = [], 0, 0
    for index, char in enumerate(name):
        if char in "<(":
            depth += 1
        elif char in ">)":
            depth -= 1
        elif depth == 0 and name.startswith("::", index):
            parts.append(name[start:index])
            start = index + 2
    parts.append(name[start:])
    return parts


def template_of(name: str) -> str:
    """The name without template arguments: a::B<c>::D<e> is a::B::D."""
    return "::".join(part.split("<", 1)[0] for part in components(name))


class Spellings:
    """The spellings of classes in an ELF file, from the strings of its debug information."""

    def __init__(self, strings: Iterable[str], wanted: Iterable[str]) -> None:
        """Indexes what may be of use.

        Args:
            strings: all the strings.
            wanted: the names that will be asked for.
        """
        parts = {part for name in wanted for part in components(name)}
        templates = {part.split("<", 1)[0] for part in parts if "<" in part}
        self._plain: set[str] = set()
        self._templates: dict[str, list[str]] = {}
        for string in strings:
            head, bracket, _ = string.partition("<")
            if not bracket:
                self._plain.add(string)
            elif head in templates:
                self._templates.setdefault(canonical(string), []).append(string)

    def of(self, name: str) -> list[str]:
        """The names that a class may have there; none if the file never mentions it."""
        choices = [self._of_component(part) for part in components(name)]
        return ["::".join(choice) for choice in itertools.product(*choices)]

    def _of_component(self, part: str) -> list[str]:
        if "<" in part:
            return self._templates.get(canonical(part), [])
        return [part] if part in self._plain else []
