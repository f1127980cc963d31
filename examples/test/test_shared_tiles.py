"""How programs divide the steps of shared tiles, in Python: the kernel's own functions."""

import dataclasses
import itertools
import random

import pytest

from examples import hopper_gemm_configs, hopper_gemm_plans
from examples import hopper_shared_tiles as shares
from examples.hopper_gemm_plans import Problem

PROCESSORS = 132
# What the kernel's numbers are computed with.
LARGEST = 2**31 - 1


def work(program: int, programs: int, tiles: int, shared: int, sharers: int, steps: int):
    """A program's items, as the kernel finds them: (tile, begin, end), and which it stores."""
    share = shares.share_of.fn(program, shared, sharers, steps)
    first, stored = shares.first_items.fn(program, programs, share, shared, steps, True)
    items = range(first, tiles, programs)
    return [shares.work_of.fn(item, first, share, shared, steps) for item in items], [
        item >= stored for item in items
    ]


def check(programs: int, tiles: int, shared: int, sharers: int, steps: int):
    """Follows all programs, and checks what the kernel relies on."""
    done = [[None] * steps for _ in range(tiles)]
    owners = {}
    handed = {}
    for program in range(programs):
        items, stored = work(program, programs, tiles, shared, sharers, steps)
        for index, (tile, begin, end) in enumerate(items):
            assert 0 <= begin < end <= steps
            assert done[tile][begin:end] == [None] * (end - begin)
            done[tile][begin:end] = [program] * (end - begin)
            # Only what ends with a tile's last step is stored.
            assert stored[index] == (end == steps)
            if end == steps:
                assert tile not in owners
                owners[tile] = program
            else:
                # There is room for one part of a program, and nobody waits for it long: it is
                # first.
                assert index == 0
                handed[program] = tile
            if index > 0 and stored[index - 1]:
                # What is stored late is stored during the steps of a whole tile.
                assert (begin, end) == (0, steps)
    assert all(None not in steps_of_tile for steps_of_tile in done)
    for tile, owner in owners.items():
        givers = sorted(set(done[tile]) - {owner})
        assert givers == [program for program in handed if handed[program] == tile]
        # The kernel waits for these, in this order. They come first in a launch, so that they are
        # never waiting for a place on the GPU that a waiting owner has.
        begin = done[tile].index(owner)
        first = shares.sharer_of.fn(tile * steps, shared, sharers, steps) if begin > 0 else owner
        assert givers == list(range(first, owner))


@pytest.mark.parametrize("programs", range(1, 8))
def test_every_step_is_done_once(programs):
    for sharers, steps in itertools.product(range(1, programs + 1), range(1, 8)):
        for shared in range(-(-sharers // steps), sharers + 1):
            for others in {0, 1, programs - 1, programs, 2 * programs + 1}:
                check(programs, shared + others, shared, sharers, steps)


def random_problems(count: int) -> list[Problem]:
    """Small sizes as likely as large ones."""
    draw = random.Random(2028)
    return [Problem(*(8 * round(2 ** draw.uniform(3, 11)) for _ in "mnk")) for _ in range(count)]


@pytest.mark.parametrize("problem", random_problems(40), ids=lambda p: f"{p.m}x{p.n}x{p.k}")
def test_what_the_model_proposes(problem):
    for config in hopper_gemm_configs.candidates(2):
        tiles = hopper_gemm_plans.tiles_of(problem, config)
        # A step for each slice that is stored late, as in the kernel.
        steps = max(-(-problem.k // config.bk), config.slices)
        for shared, sharers in hopper_gemm_plans.shares_of(problem, config, PROCESSORS):
            # Clusters share tiles as programs do that are alone.
            most = PROCESSORS // config.cluster
            assert most * shared * steps <= LARGEST
            programs = min(most, max(tiles, sharers))
            # The data of tiles that are not shared is the same in every wave.
            check(programs, min(tiles, shared + 2 * programs), shared, sharers, steps)


@pytest.mark.parametrize(("rows", "columns"), [(64, 64), (64, 128), (64, 256), (128, 128)])
def test_places_of_accumulators(rows, columns):
    def place(row, col):
        return shares.place_of.fn(row, col, columns)

    places = {place(row, col) for row in range(rows) for col in range(columns)}
    assert places == set(range(rows * columns))
    for row, col in itertools.product(range(rows), range(0, columns, 2)):
        if row & 8 == 0:
            first = place(row, col)
            four = (row, col), (row, col + 1), (row + 8, col), (row + 8, col + 1)
            assert [place(*each) for each in four] == list(range(first, first + 4))
            # One access of 16 bytes.
            assert first % 4 == 0


def test_few_tiles_are_shared():
    # 80 tiles of 128 x 256 for 132 multiprocessors, and rows that begin anywhere in a line.
    problem = Problem(2472, 904, 7952, a_lines=2, b_lines=2)
    best = hopper_gemm_plans.best(problem, PROCESSORS, 1)[0]
    assert best.shared == hopper_gemm_plans.tiles_of(problem, best)
    alone = dataclasses.replace(best, shared=0, sharers=0)
    assert hopper_gemm_plans.microseconds(
        problem, best, PROCESSORS
    ) < hopper_gemm_plans.microseconds(problem, alone, PROCESSORS)


def test_the_last_wave_is_shared():
    best = hopper_gemm_plans.best(Problem(8192, 8192, 8192), PROCESSORS, 1)[0]
    assert (best.shared, best.sharers) == (2048 % PROCESSORS, PROCESSORS)


@pytest.mark.parametrize(
    "problem",
    # Waves that are full or nearly so, and too few steps to divide.
    [Problem(2048, 2048, 2048), Problem(4096, 4096, 4096), Problem(2048, 1408, 128)],
    ids=lambda p: f"{p.m}x{p.n}x{p.k}",
)
def test_full_waves_are_not_shared(problem):
    assert not hopper_gemm_plans.best(problem, PROCESSORS, 1)[0].shared


def test_both_kinds_are_measured():
    # DRAM decides, as far as the model sees.
    for problem in (Problem(128, 13312, 16384), Problem(2472, 904, 7952)):
        proposed = hopper_gemm_plans.best(problem, PROCESSORS, 5)
        assert sum(config.shared > 0 for config in proposed) == 2
        assert len(set(proposed)) == 5
    # Too few steps to share: handing over takes longer than what it saves.
    short = hopper_gemm_plans.best(Problem(744, 2560, 536), PROCESSORS, 5)
    assert len(short) == 5 and not any(config.shared for config in short)


def test_who_can_share():
    for config in hopper_gemm_configs.candidates(2):
        ways = hopper_gemm_plans.shares_of(Problem(968, 952, 4032), config, PROCESSORS)
        # Consumers that take turns have tiles of their own.
        assert bool(ways) != config.pingpong
        assert all(sharers <= PROCESSORS // config.cluster for _, sharers in ways)
