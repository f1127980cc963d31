"""To and from PyTorch's semi-structured sparse tensors."""

import pytest

torch = pytest.importorskip("torch", reason="needs PyTorch and an NVIDIA GPU; no PyTorch here")

from torch.sparse import (  # noqa: E402
    SparseSemiStructuredTensorCUSPARSELT,
    SparseSemiStructuredTensorCUTLASS,
)

import triton_plugins.sparsity24 as sp  # noqa: E402
from triton_plugins.sparsity24 import semi_structured  # noqa: E402

FORMS = {
    "cutlass": (SparseSemiStructuredTensorCUTLASS, semi_structured.to_cutlass),
    "cusparselt": (SparseSemiStructuredTensorCUSPARSELT, semi_structured.to_cusparselt),
}
DTYPES = [torch.float16, torch.bfloat16]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("form", FORMS)
def test_from_pytorch(draw, form, dtype):
    dense = draw(128, 256, dtype)
    tensor = FORMS[form][0].from_dense(dense)
    assert torch.equal(sp.decompress(semi_structured.from_semi_structured(tensor)), dense)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("form", FORMS)
def test_there_and_back(draw, form, dtype):
    dense = draw(128, 256, dtype)
    matrix = sp.compress(dense)
    again = semi_structured.from_semi_structured(FORMS[form][1](matrix))
    assert torch.equal(sp.decompress(again), dense)


@pytest.mark.parametrize("form", FORMS)
def test_special_values_survive(form):
    """Bit for bit, on the way from PyTorch's form. cuSPARSELt takes a negative zero for a zero
    when it compresses, so that there is none."""
    dense = torch.zeros(64, 64, device="cuda", dtype=torch.float16)
    dense[0, :4] = torch.tensor([float("nan"), 0, -0.0 if form == "cutlass" else 1.0, 0])
    dense[1, 4:8] = torch.tensor([0, float("inf"), 0, float("-inf")])
    again = semi_structured.from_semi_structured(FORMS[form][1](sp.compress(dense)))
    assert torch.equal(sp.decompress(again).view(torch.int16), dense.view(torch.int16))


@pytest.mark.parametrize("form", FORMS)
def test_pytorch_understands_what_we_made(draw, form):
    dense = draw(128, 256, torch.float16)
    assert torch.equal(FORMS[form][1](sp.compress(dense)).to_dense(), dense)


@pytest.mark.parametrize("form", FORMS)
def test_pytorch_multiplies_what_we_made(draw, form):
    if form == "cutlass" and torch.cuda.get_device_capability()[0] != 8:
        pytest.skip("PyTorch's CUTLASS products need compute capability 8.x")
    dense, b = draw(128, 256, torch.float16), torch.randn(256, 64, device="cuda").half()
    product = torch.mm(FORMS[form][1](sp.compress(dense)), b)
    torch.testing.assert_close(product, dense @ b, rtol=1e-2, atol=1e-1)


def test_others_are_refused():
    with pytest.raises(TypeError, match="a semi-structured sparse tensor is needed, not Tensor"):
        semi_structured.from_semi_structured(torch.zeros(64, 64, device="cuda").half())
