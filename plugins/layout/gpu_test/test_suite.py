"""The suite of layout conversions on an NVIDIA GPU: the same numbers as stock, to the bit."""

from __future__ import annotations

import pytest

torch = pytest.importorskip(
    "torch", reason="needs PyTorch and an NVIDIA GPU; PyTorch cannot be imported"
)

import triton_plugins  # noqa: E402
import triton_plugins.layout as layout  # noqa: E402
from bench.layout import inputs, launch, same  # noqa: E402
from bench.layout_suite import CASES  # noqa: E402
from tools.testing import hopper  # noqa: E402

pytestmark = hopper.MARKS


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_numbers_are_those_of_stock(case):
    arguments = inputs(case, torch.Generator("cuda"))
    stock, _ = launch(case, case.kernel, arguments)
    optimized, _ = launch(case, triton_plugins.use(layout.OPTIMIZE)(case.kernel), arguments)
    assert same(stock, optimized)
