"""What proves the layout of classes that the wheel's debug information does not tell."""

from __future__ import annotations

import collections
import re
from collections.abc import Collection, Mapping

import names
from layouts import Layout

VTABLE_AND_CANARY = "virtual table, and known-answer run of the canary"
VTABLE = "virtual table only"
TEMPLATE = "other instances of the template are equal"
BASES = "no fields but those of its bases, which are proven"
CANARY = "known-answer run of the canary"
NONE = "nothing"
ALL = (VTABLE_AND_CANARY, VTABLE, TEMPLATE, BASES, CANARY, NONE)

# Headers of the SDK and of the wheel, in Debian's layout, a prefix's or Bazel's.
_SDK_HEADER = re.compile(r"/(?:include|llvm-\d+)/(?:mlir|llvm|triton|python/src)/")


def from_sdk(layout: Layout) -> bool:
    """Whether the class is MLIR's, LLVM's or Triton's: no plugin's, nor the standard library's."""
    return bool(_SDK_HEADER.search(layout.file))


def prove(
    unknown: Mapping[str, Layout],
    equal: Collection[str],
    vtables: Collection[str],
    exercised: Collection[str],
) -> dict[str, list[str]]:
    """Sorts classes by what proves them.

    Args:
        unknown: classes that plugins use and the wheel's debug information lacks.
        equal: classes whose layouts were compared and are equal.
        vtables: classes whose virtual tables were compared and are equal.
        exercised: classes that the canary uses; none if its run failed.
    """
    tables = {names.canonical(name) for name in vtables}
    templates = collections.Counter(names.template_of(name) for name in equal if "<" in name)
    proven = {names.canonical(name) for name in equal}
    result: dict[str, list[str]] = {}
    pending = dict(unknown)
    while pending:
        round_ = {}
        for name, layout in pending.items():
            proof = _proof(name, layout, tables, templates, proven)
            if proof == VTABLE and name in exercised:
                proof = VTABLE_AND_CANARY
            if proof:
                round_[name] = proof
        if not round_:
            break
        for name, proof in round_.items():
            result.setdefault(proof, []).append(name)
            proven.add(names.canonical(name))
            del pending[name]
    for name in pending:
        result.setdefault(CANARY if name in exercised else NONE, []).append(name)
    return {proof: sorted(classes) for proof, classes in result.items()}


def _proof(
    name: str,
    layout: Layout,
    tables: Collection[str],
    templates: Mapping[str, int],
    proven: Collection[str],
) -> str | None:
    if names.canonical(name) in tables:
        return VTABLE
    if "<" in name and templates[names.template_of(name)]:
        return TEMPLATE
    bases = [member for member in layout.members if member.kind == "base" and member.size > 8]
    own = [member for member in layout.members if member.kind != "base"]
    if not own and bases and all(names.canonical(base.name) in proven for base in bases):
        return BASES
    return None
