"""How LDS serves the lanes of a wave: which of them at once, from which banks.

Banks and lanes as measured: on gfx942 in https://rocm.blogs.amd.com/software-tools-optimization/
lds-bank-conflict and https://github.com/tingqli/pyhip (tests/bank-conflict), on gfx950 for
HipKittens (https://github.com/HazyResearch/HipKittens, analysis/paper_experiments/phases).
"""

from __future__ import annotations

import collections
from collections.abc import Iterable

from examples.test.amdgcn.registers import Array

BANKS = {"gfx942": 32, "gfx950": 64}
# The lanes of a half wave that read 16 bytes each at once.
READS_OF_16_BYTES = {
    "gfx942": [
        [*range(0, 4), *range(20, 24)],
        [*range(4, 8), *range(16, 20)],
        [*range(8, 12), *range(28, 32)],
        [*range(12, 16), *range(24, 28)],
    ],
    "gfx950": [
        [*range(0, 4), *range(12, 16), *range(20, 28)],
        [*range(4, 12), *range(16, 20), *range(28, 32)],
    ],
}


def served_at_once(arch: str, op: str, size: int) -> list[list[int]]:
    """The groups of lanes that an access of `size` bytes a lane is served in."""
    is_read = op.startswith("ds_read")
    if is_read and size == 16:
        return [
            [half + lane for lane in group] for half in (0, 32) for group in READS_OF_16_BYTES[arch]
        ]
    # Writes reach 32 banks at once on both.
    banks = BANKS[arch] if is_read else 32
    count = banks * 4 // size
    return [list(range(first, first + count)) for first in range(0, 64, count)]


def conflicts(arch: str, op: str, size: int, addresses: Array) -> int:
    """How many more words than one a bank has to give or take for a group of lanes, at worst."""
    worst = 1
    for group in served_at_once(arch, op, size):
        words = collections.defaultdict(set)
        for lane in group:
            for word in range(addresses[lane] // 4, (addresses[lane] + size + 3) // 4):
                words[word % BANKS[arch]].add(word)
        worst = max(worst, *map(len, words.values()))
    return worst - 1


def worst_conflicts(arch: str, accesses: Iterable[tuple[str, int, Array]]) -> dict[str, int]:
    """The most conflicts of an access, by instruction."""
    worst: dict[str, int] = {}
    for op, size, addresses in accesses:
        worst[op] = max(worst.get(op, 0), conflicts(arch, op, size, addresses))
    return worst
