"""The examples on a GPU that is not the current one."""

import pytest

torch = pytest.importorskip(
    "torch", reason="needs PyTorch and two Hopper GPUs; PyTorch cannot be imported"
)

from bench import attention_reference, harness  # noqa: E402
from examples.hopper_attention import attention  # noqa: E402
from examples.hopper_grouped_gemm import grouped_matmul  # noqa: E402
from examples.hopper_persistent_gemm import matmul  # noqa: E402
from tools.testing import hopper  # noqa: E402

pytestmark = [
    *hopper.MARKS,
    pytest.mark.skipif(torch.cuda.device_count() < 2, reason="needs two GPUs"),
]
OTHER = "cuda:1"


def draw(*shape: int) -> torch.Tensor:
    return torch.randn(shape, device=OTHER, dtype=torch.float16)


# Kernels are compiled at a shape's first product, and launched again at others. The last shape has
# fewer tiles than there are programs, which share them.
@pytest.mark.parametrize(("m", "n", "k"), [(1000, 520, 264), (128, 256, 8192)])
def test_products(m, n, k):
    for current in (0, 1, 0):
        with torch.cuda.device(current):
            assert harness.check(matmul, draw(m, k), draw(k, n)).passed
    assert harness.check(matmul, draw(m, k).to("cuda:0"), draw(k, n).to("cuda:0")).passed


def test_products_that_tma_cannot_read():
    assert harness.check(matmul, draw(65, 77), draw(77, 33)).passed


def test_products_of_a_list():
    lists = [[draw(200, 128), draw(64, 72)], [draw(128, 264), draw(72, 80)]]
    for a, b, c in zip(*lists, grouped_matmul(*lists), strict=True):
        assert harness.check(lambda _a, _b, out, c=c: out.copy_(c), a, b).passed


def test_attention():
    leaves = [draw(2, 4, 300, 128).requires_grad_() for _ in range(3)]
    out = attention(*leaves, causal=True)
    grad = torch.ones_like(out)
    gradients = torch.autograd.grad(out, leaves, grad)
    plain = [x.detach() for x in leaves]
    assert attention_reference.forward(*plain, True, 128**-0.5)[0].worst(out) <= 1
    wants = attention_reference.backward(*plain, grad, True, 128**-0.5)
    assert all(want.worst(got) <= 1 for want, got in zip(wants, gradients, strict=True))
