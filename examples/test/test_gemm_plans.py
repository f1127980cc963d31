"""The model that chooses a form of the persistent Hopper GEMM."""

import dataclasses

import pytest

from examples import hopper_gemm_configs, hopper_gemm_plans
from examples.hopper_gemm_plans import Problem

CONFIGS = hopper_gemm_configs.candidates(2)
PROCESSORS = 132


def test_candidates_fit():
    for element_bytes in (1, 2):
        for config in hopper_gemm_configs.candidates(element_bytes):
            assert config.shared_bytes(element_bytes) < hopper_gemm_configs.SHARED_BYTES
            assert config.stages >= 3


def test_factors_need_registers():
    # Beside 192 accumulators there is no room for the factors of float8.
    config = hopper_gemm_configs.Config(256, 192, 64, 3, 1, False)
    assert config.fits(2) and not dataclasses.replace(config, bk=128).fits(1)
    assert config.shared_bytes(2) == dataclasses.replace(config, bk=128).shared_bytes(1)


def test_strips_make_up_the_columns():
    for config in CONFIGS:
        assert sum(config.widths) == config.bn
        assert not any(width & (width - 1) for width in config.widths)
        for b_by_columns in (False, True):
            _, blocks, (_, columns) = config.blocks(False, b_by_columns)
            loaded = sum(lines * elements for lines, elements in blocks)
            assert loaded * config.cluster_m == config.bk * config.bn
            # A slice of the result lies in one strip.
            assert not any(width % columns for width in config.widths)


def test_the_model_charges_strips():
    def cycles(columns):
        config = dataclasses.replace(CONFIGS[4], bn=columns)
        return hopper_gemm_plans.multiplying_cycles(config, 2) / columns

    # Of narrow ones, shared memory limits the MMAs.
    assert cycles(64) == cycles(128) == cycles(256) < cycles(192) < cycles(160) < cycles(144)


def test_the_model_charges_stores_that_no_product_hides(monkeypatch):
    config = next(each for each in CONFIGS if not (each.stores_late or each.pingpong))
    problem = Problem(12 * config.bm, PROCESSORS // 4 * config.bn, 4096)
    time = hopper_gemm_plans.microseconds(problem, config, PROCESSORS)
    monkeypatch.setattr(hopper_gemm_configs.Config, "stores_late", True)
    assert hopper_gemm_plans.microseconds(problem, config, PROCESSORS) < time


@pytest.mark.parametrize(
    ("rows", "columns", "expected"), [(7760, 576, 192), (6480, 792, 160), (4096, 1024, 256)]
)
def test_the_model_prefers_tiles_that_columns_fill(rows, columns, expected):
    problem = Problem(rows, columns, 5216)
    assert hopper_gemm_plans.best(problem, PROCESSORS, 1)[0].bn == expected


def test_the_model_prefers_what_fills_the_gpu():
    # Small tiles, too, would keep the tensor cores busy, but more is loaded for them.
    for size in (4096, 8192, 16384):
        large = hopper_gemm_plans.best(Problem(size, size, 4096), PROCESSORS, 1)[0]
        assert {large.bm, large.bn} == {128, 256}
    few_rows = hopper_gemm_plans.best(Problem(64, 4096, 4096), PROCESSORS, 1)[0]
    assert few_rows.bm * few_rows.bn < large.bm * large.bn
    # B comes from DRAM once.
    one_row = hopper_gemm_plans.best(Problem(128, 13312, 16384), PROCESSORS, 1)[0]
    assert (one_row.bm, one_row.bn, one_row.bk) == (128, 128, 128)


@pytest.mark.parametrize(
    ("times", "taken"),
    [
        # The second is faster by more than what measurements differ by.
        ([[10.0, 10.1, 10.2], [9.5, 9.6, 9.7]], 1),
        # As fast as the fastest, and what the model likes best.
        ([[10.0, 10.1, 10.2], [9.9, 10.0, 10.1]], 0),
        ([[20.0, 20.0, 20.0], [10.1, 10.1, 10.1], [10.0, 10.0, 10.0]], 1),
        # One slow turn, or a fast one, says nothing.
        ([[10.0, 10.0, 30.0], [11.0, 11.0, 1.0]], 0),
    ],
)
def test_measurements_decide_where_they_differ(times, taken):
    assert hopper_gemm_plans.fastest(times) == taken


@pytest.mark.parametrize("config", [config for config in CONFIGS if config.cluster > 1], ids=str)
def test_the_model_charges_clusters(config):
    # One wave with and without, whose loads take less than its MMAs.
    problem = Problem(2048, 2048, 2048)
    alone = dataclasses.replace(config, cluster_m=1, cluster_n=1)
    together, apart = (
        hopper_gemm_plans.microseconds(problem, each, PROCESSORS) for each in (config, alone)
    )
    assert together - apart == pytest.approx(hopper_gemm_plans.CLUSTER_US)


def test_the_model_charges_lines():
    # One wave of tiles. A step needs 48 KB from L2, or 64, or 96.
    config = CONFIGS[0]
    aligned, a_apart, apart = (
        hopper_gemm_plans.microseconds(
            Problem(2048, 2048, 2048, a_lines=a_lines, b_lines=b_lines), config, PROCESSORS
        )
        for a_lines, b_lines in ((1, 1), (2, 1), (2, 2))
    )
    assert aligned == a_apart < apart
    # In a cluster a program loads two thirds of that, which its MMAs hide.
    together = hopper_gemm_plans.best(Problem(2048, 2048, 2048, 2, 2, 2), PROCESSORS, 1)[0]
    assert together.cluster == 2


def test_one_row_or_column_of_tiles_has_nobody_to_share_with():
    one_row, one_column = Problem(128, 4096, 4096), Problem(4096, 128, 4096)
    every = len(CONFIGS) * hopper_gemm_plans.MOST_SPLITS
    rows = hopper_gemm_plans.best(one_row, PROCESSORS, every)
    columns = hopper_gemm_plans.best(one_column, PROCESSORS, every)
    assert {config.cluster_m for config in rows} == {config.cluster_n for config in columns} == {1}


def test_larger_problems_take_longer():
    for config in CONFIGS:
        times = [
            hopper_gemm_plans.microseconds(Problem(size, size, size), config, PROCESSORS)
            for size in (512, 1024, 2048, 4096, 8192)
        ]
        assert times == sorted(times)
