"""The linear layer: values, gradients, torch.compile, state."""

import copy

import pytest

torch = pytest.importorskip("torch", reason="needs PyTorch and an NVIDIA GPU; no PyTorch here")

import triton_plugins.sparsity24 as sp  # noqa: E402
from triton_plugins.sparsity24 import nn  # noqa: E402


def layers(in_features=128, out_features=96, bias=True, dtype=torch.bfloat16):
    """A sparse layer, and a dense one with the same weight."""
    torch.manual_seed(0)
    dense = torch.nn.Linear(in_features, out_features, bias, device="cuda", dtype=dtype)
    sparse = nn.Linear.from_dense(dense)
    dense.weight.data.copy_(sp.decompress(sparse.weight))
    return sparse, dense


def assert_close(one, other):
    torch.testing.assert_close(one, other, rtol=2e-2, atol=2e-2)


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("shape", [(8,), (3, 5), (2, 3, 64), (1,)])
def test_forward(shape, bias):
    sparse, dense = layers(bias=bias)
    x = torch.randn(*shape, 128, device="cuda", dtype=torch.bfloat16)
    y = sparse(x)
    assert y.shape == (*shape, 96)
    assert_close(y, dense(x))


def test_backward():
    sparse, dense = layers()
    x = torch.randn(4, 10, 128, device="cuda", dtype=torch.bfloat16, requires_grad=True)
    again = x.detach().clone().requires_grad_()
    weights = torch.randn(4, 10, 96, device="cuda", dtype=torch.bfloat16)
    (sparse(x) * weights).sum().backward()
    (dense(again) * weights).sum().backward()
    assert_close(x.grad, again.grad)
    assert_close(sparse.bias.grad, dense.bias.grad)
    # The gradient of a value is that of its element in the dense weight.
    grad = sp.decompress(sp.Compressed(sparse.values.grad, sparse.weight.meta))
    kept = sp.decompress(sparse.weight) != 0
    assert_close(grad, torch.where(kept, dense.weight.grad, 0))


def test_torch_library_says_the_op_is_sound():
    sparse, _ = layers()
    x = torch.randn(16, 128, device="cuda", dtype=torch.bfloat16, requires_grad=True)
    arguments = (x, sparse.values, sparse.words)
    torch.library.opcheck(nn._linear, arguments)


@pytest.mark.parametrize("backend", ["aot_eager", "inductor"])
def test_compiled(backend):
    """A model whose layer was replaced, forward and backward, without a break in the graph."""
    sparse, dense = layers()
    model = torch.nn.Sequential(dense, torch.nn.GELU(), torch.nn.Linear(96, 32)).cuda().bfloat16()
    reference = copy.deepcopy(model)
    model[0] = sparse
    compiled = torch.compile(model, backend=backend, fullgraph=True)
    for rows in (16, 24):
        x = torch.randn(rows, 128, device="cuda", dtype=torch.bfloat16, requires_grad=True)
        again = x.detach().clone().requires_grad_()
        y, expected = compiled(x), reference(again)
        assert_close(y, expected)
        y.sum().backward()
        expected.sum().backward()
        assert_close(x.grad, again.grad)


def test_state_travels():
    sparse, _ = layers()
    other, _ = layers()
    with torch.no_grad():
        other.values.zero_()
    other.load_state_dict(sparse.state_dict())
    x = torch.randn(8, 128, device="cuda", dtype=torch.bfloat16)
    assert torch.equal(other(x), sparse(x))
