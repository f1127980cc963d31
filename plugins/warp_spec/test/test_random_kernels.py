"""Every kernel from a seed is specialized, or the report says why not."""

import warnings

import pytest

import triton_plugins
import triton_plugins.warp_spec as warp_spec
from plugins.warp_spec.test import random_kernels

# A part of gpu_test/test_random.py's, since each compiles for seconds.
SEEDS = (*range(12), 42)
# Those that a plan refuses, with what it says.
REFUSED = {42: "its products are under a condition"}


@pytest.mark.parametrize("seed", SEEDS)
def test_specialized_or_told_why(seed):
    case = random_kernels.draw(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", warp_spec.NotSpecialized)
        compiled = triton_plugins.compile(
            warp_spec.specialize(case.kernel),
            signature=case.signature,
            constexprs=case.constants,
            attrs={name: "D" for name, kind in case.signature.items() if kind != "fp32"},
            target="cuda:90",
            options={"num_warps": case.num_warps, "num_stages": case.num_stages},
        )
    (loop,) = warp_spec.report(compiled).loops
    if seed in REFUSED:
        assert REFUSED[seed] in loop["reason"]
    else:
        assert loop["specialized"], loop["reason"]
        assert "setmaxnreg" in compiled.asm["ptx"]


def test_a_seed_always_draws_the_same():
    assert random_kernels.draw(7) == random_kernels.draw(7)
