"""How many conversions the optimization takes out of the suite, on every target."""

import pytest
import triton

import triton_plugins
import triton_plugins.layout as layout
from bench.layout_suite import CASES
from plugins.layout.test import kernels


@pytest.fixture(autouse=True)
def _cache(tmp_path):
    with triton.knobs.cache.scope():
        triton.knobs.cache.dir = str(tmp_path)
        yield


def count(case, target, *pipelines):
    kernel = triton_plugins.use(*pipelines)(case.kernel) if pipelines else case.kernel
    compiled = triton_plugins.compile(
        kernel,
        signature=case.signature,
        constexprs=case.constexprs,
        target=target,
        options={"num_warps": case.num_warps},
    )
    return layout.report(compiled).count("shared")


@pytest.mark.parametrize("target", ["cuda:90", "hip:gfx942", "hip:gfx950"])
def test_fewer_conversions_go_through_shared_memory(target):
    before = {case.name: count(case, target) for case in CASES}
    after = {case.name: count(case, target, layout.OPTIMIZE) for case in CASES}
    assert all(after[name] <= before[name] for name in before)
    assert sum(after.values()) <= 0.85 * sum(before.values())


def test_pins_hold_against_the_optimization():
    column = layout.blocked([4, 1], [8, 4], [1, 4], [0, 1])
    compiled = triton_plugins.compile(
        triton_plugins.use(layout.OPTIMIZE)(kernels.copy_2d),
        signature={"x": "*fp32:16", "y": "*fp32:16"},
        constexprs={"M": 64, "N": 64, "L": column},
        target="cuda:90",
    )
    assert str(column) in {row.source for row in layout.report(compiled).conversions}
