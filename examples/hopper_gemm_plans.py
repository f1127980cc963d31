"""Which persistent GEMM to run: a model of the time proposes, a measurement decides."""

from __future__ import annotations

import dataclasses
import math

# Bytes of shared memory that a program may have on Hopper.
SHARED_BYTES = 227 * 1024
# Barriers and what warp groups are passed at their start.
RESERVED_BYTES = 1024
# Programs that run at the same time: one on each multiprocessor of an H200.
PROGRAMS = 132
# What one multiprocessor multiplies in a cycle, 16-bit floats.
MULTIPLICATIONS_PER_CYCLE = 4096 // 2
# What dense MMAs leave of the clock: large products are limited by power.
CLOCK_GHZ = 1.45
DRAM_BYTES_PER_NS = 4000.0
# From L2, for one multiprocessor.
L2_BYTES_PER_CYCLE = 56.0
# Elements that a program rounds and hands to TMA in a cycle.
STORED_PER_CYCLE = 32
# Launch, first loads and last store.
OVERHEAD_US = 4.0
# The kernel that adds the parts of a split K, from the end of the first one on.
SUM_US = 8.0
MOST_SPLITS = 16


@dataclasses.dataclass(frozen=True)
class Problem:
    """C (m x n) = A (m x k) @ B (k x n); `element_bytes` of A and B."""

    m: int
    n: int
    k: int
    element_bytes: int = 2


@dataclasses.dataclass(frozen=True)
class Config:
    """The constants of a kernel; see `hopper_persistent_gemm_kernel`."""

    bm: int
    bn: int
    bk: int
    stages: int
    c_buffers: int
    pingpong: bool
    splits: int = 1

    @property
    def constants(self) -> dict[str, int | bool]:
        """Arguments of the kernel."""
        return {
            "BM": self.bm,
            "BN": self.bn,
            "BK": self.bk,
            "GROUP_M": self.group_m,
            "SPLITS": self.splits,
            "NUM_STAGES": self.stages,
            "SLICES": self.slices,
            "C_BUFFERS": self.c_buffers,
            "PINGPONG": self.pingpong,
        }

    @property
    def group_m(self) -> int:
        """Rows of tiles that programs compute at the same time.

        They read least where all their tiles together are about a square.
        """
        return 2 * round(math.sqrt(PROGRAMS * self.bn / self.bm) / 2)

    @property
    def rows(self) -> int:
        """Rows of a tile that one warp group multiplies."""
        return self.bm if self.pingpong else self.bm // 2

    @property
    def slices(self) -> int:
        """Slices of a tile that TMA stores: each of 128 bytes a row, float32 where K is split."""
        return self.bn * (2 if self.splits == 1 else 4) // 128

    def shared_bytes(self, element_bytes: int) -> int:
        """The ring, and slices of the result for both consumers."""
        ring = self.stages * (self.bm + self.bn) * self.bk * element_bytes
        return ring + 2 * self.c_buffers * self.rows * 128

    def fits(self, element_bytes: int) -> bool:
        """Whether buffers fit into shared memory and accumulators into registers."""
        return (
            self.shared_bytes(element_bytes) <= SHARED_BYTES - RESERVED_BYTES
            and self.rows * self.bn // 128 <= 128
        )


def candidates(element_bytes: int) -> list[Config]:
    """Every tile that is worth trying, with as many stages as shared memory has room for."""
    # The elements of one swizzled line of 128 bytes.
    line = 128 // element_bytes
    found = []
    for bm, bn, bk, c_buffers, pingpong in (
        (128, 256, line, 2, False),
        (256, 128, line, 1, False),
        (128, 128, line, 1, True),
        (64, 256, line, 2, True),
        (128, 128, line, 2, False),
        (128, 128, 2 * line, 2, False),
        (128, 64, line, 2, True),
        (64, 128, line, 2, True),
    ):
        for stages in range(8, 1, -1):
            config = Config(bm, bn, bk, stages, c_buffers, pingpong)
            if config.fits(element_bytes):
                found.append(config)
                break
    return found


def splits_of(problem: Problem, config: Config, processors: int) -> list[int]:
    """In how many parts K may be cut, so that tiles that are too few still fill the GPU.

    Parts of float32 do not fit into registers beside the next tile. Only a ping-pong kernel
    multiplies while it stores them.
    """
    if not config.pingpong:
        return [1]
    tiles = math.ceil(problem.m / config.bm) * math.ceil(problem.n / config.bn)
    steps = math.ceil(problem.k / config.bk)
    # A part has enough steps to fill the ring a few times.
    most = min(2 * processors // tiles, steps // (4 * config.stages), MOST_SPLITS)
    return list(range(1, max(1, most) + 1))


def microseconds(problem: Problem, config: Config, processors: int) -> float:
    """What a problem should take: the slowest of MMAs, L2 and DRAM, in waves of tiles."""
    tiles = math.ceil(problem.m / config.bm) * math.ceil(problem.n / config.bn)
    waves = math.ceil(tiles * config.splits / processors)
    steps = math.ceil(math.ceil(problem.k / config.bk) / config.splits)
    multiply = config.bm * config.bn * config.bk / MULTIPLICATIONS_PER_CYCLE
    multiply *= problem.element_bytes / 2
    load = (config.bm + config.bn) * config.bk * problem.element_bytes / L2_BYTES_PER_CYCLE
    # The other consumer's MMAs hide the stores of a ping-pong kernel.
    store = 0 if config.pingpong else config.bm * config.bn / STORED_PER_CYCLE
    cycles = waves * (steps * max(multiply, load) + store)
    moved = (problem.m + problem.n) * problem.k * problem.element_bytes + problem.m * problem.n * 2
    total = OVERHEAD_US + max(cycles / CLOCK_GHZ, moved / DRAM_BYTES_PER_NS) / 1000
    if config.splits > 1:
        parts = 2 * 4 * config.splits * problem.m * problem.n
        total += SUM_US + parts / DRAM_BYTES_PER_NS / 1000
    return total


def best(problem: Problem, processors: int, count: int) -> list[Config]:
    """The `count` configurations that should be fastest, the best first."""
    return sorted(
        (
            dataclasses.replace(config, splits=splits)
            for config in candidates(problem.element_bytes)
            for splits in splits_of(problem, config, processors)
        ),
        key=lambda config: microseconds(problem, config, processors),
    )[:count]
