"""Which persistent GEMM to run: a model of the time proposes, a measurement decides."""

from __future__ import annotations

import dataclasses
import math
import statistics
from collections.abc import Sequence

from examples.hopper_gemm_configs import LINE_BYTES, Config, candidates

# What tensor cores multiply in a cycle: rows and columns of an MMA, with 32 bytes of K.
MULTIPLIED_PER_CYCLE = 128
# What an MMA reads of shared memory.
SHARED_BYTES_PER_CYCLE = 128
# What several MMAs take longer that read the same rows, even if the tensor cores limit them.
SEVERAL_STRIPS = 1.04
# What dense MMAs leave of the clock: large products are limited by power.
CLOCK_GHZ = 1.6
DRAM_BYTES_PER_NS = 4000.0
# What DRAM takes longer where a step is one line of 128 bytes, not two: as many bytes in twice as
# many steps.
SHORT_STEPS = 1.04
# Of lines from L2, for each multiprocessor if all load, and the most for one.
L2_BYTES_PER_CYCLE = 80.0
MOST_L2_BYTES_PER_CYCLE = 110.0
# What comes into shared memory and slows its reader down, however fast it comes.
FILLED_BYTES_PER_CYCLE = 256.0
# Elements that a program rounds and hands to TMA in a cycle.
STORED_PER_CYCLE = 32
# Launch, first loads and last store.
OVERHEAD_US = 5.0
# Until the programs of a cluster have found each other, and until none needs the other any more.
CLUSTER_US = 0.5
# The kernel that adds the parts of a split K, from the end of the first one on.
SUM_US = 8.0
MOST_SPLITS = 16
# Accumulators that a program writes for another one, or reads from it, through L2.
HANDED_BYTES_PER_CYCLE = 40.0
# What handing over takes beside that: fences, flags, and programs that wait for others.
FLAG_CYCLES = 4000
MOST_SHARERS_OF_A_TILE = 8
# Steps below which a sharer does little but fill the ring.
LEAST_SHARE = 4
# What shares tiles is measured if the model says that it takes no more than this time longer.
MODEL_ERROR = 1.1
# By how much measured times differ without a reason: power and what ran before change the clock.
TIE = 1.02


@dataclasses.dataclass(frozen=True)
class Problem:
    """C (m x n) = A (m x k) @ B (k x n); `element_bytes` of A and B.

    `a_lines` and `b_lines` are how many lines of memory the bytes of one, in a row as it is stored,
    lie in: 1 if every row begins with a line, and else 2.
    """

    m: int
    n: int
    k: int
    element_bytes: int = 2
    a_lines: int = 1
    b_lines: int = 1


def tiles_of(problem: Problem, config: Config) -> int:
    """Tiles of the result, each of a cluster."""
    rows, columns = config.tile
    return math.ceil(problem.m / rows) * math.ceil(problem.n / columns)


def splits_of(problem: Problem, config: Config, processors: int) -> list[int]:
    """In how many parts K may be cut, so that tiles that are too few still fill the GPU.

    Parts of float32 do not fit into registers beside the next tile. Only a ping-pong kernel
    multiplies while it stores them.
    """
    if not config.pingpong:
        return [1]
    steps = math.ceil(problem.k / config.bk)
    # A part has enough steps to fill the ring a few times.
    most = min(
        2 * processors // tiles_of(problem, config), steps // (4 * config.stages), MOST_SPLITS
    )
    return list(range(1, max(1, most) + 1))


def shares_of(problem: Problem, config: Config, processors: int) -> list[tuple[int, int]]:
    """By how many programs, or clusters, the tiles that don't fill a wave may be shared."""
    clusters = processors // config.cluster
    rest = tiles_of(problem, config) % clusters
    if rest == 0 or config.pingpong:
        return []
    steps = math.ceil(problem.k / config.bk)
    # Equal parts of each tile, or as many as there can be, where some have parts of two tiles.
    sharers = {rest * count for count in range(2, MOST_SHARERS_OF_A_TILE + 1)} | {clusters}
    return [
        (rest, count)
        for count in sorted(sharers)
        if count <= min(clusters, rest * MOST_SHARERS_OF_A_TILE, rest * steps // LEAST_SHARE)
    ]


def handing_cycles(config: Config) -> float:
    """What it costs a program to hand over a part of a tile and to add those of others."""
    others = config.sharers // config.shared
    # Equal parts are as many as sharers; others may begin and end anywhere in a tile.
    others += 1 if config.sharers % config.shared else -1
    return FLAG_CYCLES + (1 + others) * config.bm * config.bn * 4 / HANDED_BYTES_PER_CYCLE


def multiplying_cycles(config: Config, element_bytes: int) -> float:
    """What MMAs of a step take.

    Tensor cores limit them, or what they read from shared memory, which is more if strips are
    narrow or several.
    """
    rows, k_bytes = 64, 32
    cycles = sum(
        max(
            rows * width / MULTIPLIED_PER_CYCLE,
            (rows + width) * k_bytes / SHARED_BYTES_PER_CYCLE,
        )
        for width in config.widths
    )
    cycles *= SEVERAL_STRIPS if len(config.widths) > 1 else 1
    return cycles * (config.bm // rows) * (config.bk * element_bytes // k_bytes)


def microseconds(problem: Problem, config: Config, processors: int) -> float:
    """What a problem should take: the slowest of MMAs, L2 and DRAM, in waves of tiles."""
    items = tiles_of(problem, config) * config.splits - config.shared
    waves = math.ceil(items / (processors // config.cluster))
    steps = math.ceil(math.ceil(problem.k / config.bk) / config.splits)
    steps_of_all = waves * steps
    if config.shared:
        steps_of_all += math.ceil(config.shared * steps / config.sharers)
    multiply = multiplying_cycles(config, problem.element_bytes)
    fill = (config.bm + config.bn) * config.bk * problem.element_bytes / FILLED_BYTES_PER_CYCLE
    loaded = config.bm / config.cluster_n * problem.a_lines
    loaded += config.bn / config.cluster_m * problem.b_lines
    busy = min(processors, max(items, config.sharers) * config.cluster)
    l2 = min(MOST_L2_BYTES_PER_CYCLE, L2_BYTES_PER_CYCLE * processors / busy)
    load = loaded * config.bk * problem.element_bytes / l2
    # MMAs of the next tile, or of the other consumer, hide the stores but those of the last wave.
    stores = 1 if config.stores_late or config.pingpong else waves + (config.shared > 0)
    store = stores * config.bm * config.bn / STORED_PER_CYCLE
    cycles = steps_of_all * (max(multiply, load) + fill) + store
    if config.shared:
        cycles += handing_cycles(config)
    moved = (problem.m + problem.n) * problem.k * problem.element_bytes + problem.m * problem.n * 2
    if config.bk * problem.element_bytes <= LINE_BYTES:
        moved *= SHORT_STEPS
    total = OVERHEAD_US + max(cycles / CLOCK_GHZ, moved / DRAM_BYTES_PER_NS) / 1000
    if config.cluster > 1:
        total += CLUSTER_US
    if config.splits > 1:
        parts = 2 * 4 * config.splits * problem.m * problem.n
        total += SUM_US + parts / DRAM_BYTES_PER_NS / 1000
    return total


def best(problem: Problem, processors: int, count: int) -> list[Config]:
    """The `count` configurations that should be fastest, the best first; half of them may share."""

    def time(config: Config) -> float:
        return microseconds(problem, config, processors)

    configs = [
        config
        for config in candidates(problem.element_bytes)
        # Programs of a cluster have something to share only where both have work.
        if problem.m > config.bm * (config.cluster_m - 1)
        and problem.n > config.bn * (config.cluster_n - 1)
    ]
    alone = [
        dataclasses.replace(config, splits=splits)
        for config in configs
        for splits in splits_of(problem, config, processors)
    ]
    sharing = [
        min((dataclasses.replace(config, shared=s, sharers=n) for s, n in shares), key=time)
        for config in configs
        if (shares := shares_of(problem, config, processors))
    ]
    alone.sort(key=time)
    longest = MODEL_ERROR * time(alone[0])
    sharing = sorted((config for config in sharing if time(config) < longest), key=time)
    few = count - min(len(sharing), count // 2)
    proposed = alone[:few] + sharing[: max(1, count - few)]
    return sorted(proposed, key=time)[:count]


def fastest(times: Sequence[Sequence[float]]) -> int:
    """Which of some configurations to take.

    Args:
        times: How long each took, several times; the model's favourite first.

    Returns:
        The index of the first that is as fast as any.
    """
    medians = [statistics.median(turns) for turns in times]
    return next(index for index, median in enumerate(medians) if median <= TIE * min(medians))
