"""prune, check, compress and decompress on a GPU, bit for bit."""

import pytest

torch = pytest.importorskip("torch", reason="needs PyTorch and an NVIDIA GPU; no PyTorch here")

import triton_plugins.sparsity24 as sp  # noqa: E402


def bits(tensor):
    return tensor.view(torch.int16)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("shape", [(1, 16), (33, 48), (257, 1040)])
def test_there_and_back(draw, dtype, shape):
    dense = draw(*shape, dtype)
    matrix = sp.compress(dense)
    assert matrix.shape == shape
    assert torch.equal(bits(sp.decompress(matrix)), bits(dense))


def test_every_pattern_of_special_values():
    specials = torch.tensor([0.0, -0.0, 1.5, float("nan"), float("inf"), float("-inf")]).half()
    groups = torch.cartesian_prod(*[specials] * 4)
    groups = groups[(bits(groups) != 0).sum(1) <= 2]
    # Sixteen columns a row.
    groups = groups[: len(groups) // 4 * 4].view(-1, 16).cuda()
    assert torch.equal(bits(sp.decompress(sp.compress(groups))), bits(groups))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_prune_keeps_the_two_largest(dtype):
    # Rounded, so that there are ties.
    dense = (torch.randn(100, 64, device="cuda") * 2).round().to(dtype)
    pruned = sp.prune(dense)
    sp.check(pruned)
    order = dense.view(100, 16, 4).abs().float().argsort(dim=-1, descending=True, stable=True)
    expected = torch.zeros_like(dense).view(100, 16, 4)
    kept = order[..., :2]
    expected.scatter_(-1, kept, dense.view(100, 16, 4).gather(-1, kept))
    assert torch.equal(pruned, expected.view(100, 64))


def test_prune_of_a_transposed_matrix():
    dense = torch.randn(64, 100, device="cuda").half().t()
    assert torch.equal(sp.prune(dense), sp.prune(dense.contiguous()))


def test_more_elements_than_32_bits_count(draw):
    # By columns, so that the last elements of every row are behind the first 2**31.
    dense = torch.zeros(16400, 131072, device="cuda", dtype=torch.float16).t()
    dense[-40:, -32:] = draw(40, 32, torch.float16)
    for made in (sp.prune(dense), sp.decompress(sp.compress(dense))):
        assert torch.equal(made[-40:], dense[-40:]) and not made[:-40].any()


def test_a_group_of_three_is_refused(draw):
    dense = draw(300, 512, torch.float16)
    dense[200, 300:303] = 1
    with pytest.raises(sp.SparsityError, match="row 200, columns 300 to 303") as caught:
        sp.compress(dense)
    assert (caught.value.row, caught.value.column) == (200, 300)


@pytest.mark.parametrize("nibble", [0, 1, 2, 3, 5, 6, 7, 10, 11, 15])
def test_illegal_metadata_is_refused(draw, nibble):
    matrix = sp.compress(draw(64, 128, torch.float16))
    meta = matrix.meta.clone()
    word = int(meta[40, 3]) & 0xF0FF | nibble << 8
    meta[40, 3] = word - 65536 if word > 32767 else word
    with pytest.raises(
        sp.SparsityError, match=f"row 40, columns 56 to 59: the metadata is {nibble};"
    ):
        sp.decompress(sp.Compressed(matrix.values, meta))


def test_wrong_types_and_shapes():
    with pytest.raises(TypeError, match="holds torch.float32"):
        sp.compress(torch.zeros(16, 16, device="cuda"))
    with pytest.raises(ValueError, match="multiple of 16 columns"):
        sp.compress(torch.zeros(16, 24, device="cuda", dtype=torch.float16))
