"""What a chain of products multiplies."""

import pytest

torch = pytest.importorskip("torch", reason="needs PyTorch; it cannot be imported")

from bench import gemm_chain  # noqa: E402


def test_each_product_is_of_the_last_one_s_result():
    calls = []
    x, w = torch.zeros(3, 4), torch.zeros(4, 4)
    gemm_chain.chain(lambda *matrices: calls.append(matrices), x, w)()
    assert len(calls) == gemm_chain.PRODUCTS
    assert calls[0][0] is x
    assert all(after[0] is before[2] for before, after in zip(calls, calls[1:], strict=False))
    assert all(factor is w and source is not target for source, factor, target in calls)
