"""What the tests of sparsity24 on hardware share."""

import pytest

try:
    import torch
except ImportError:
    # Every test file skips itself then; a conftest.py cannot.
    torch = None


def pytest_collection_modifyitems(items):
    """Skips everything where there is no GPU with sparse tensor cores."""
    reason = None
    if torch is None:
        return
    if not torch.cuda.is_available() or torch.version.hip:
        reason = "needs an NVIDIA GPU; PyTorch finds none"
    elif torch.cuda.get_device_capability() != (9, 0):
        major, minor = torch.cuda.get_device_capability()
        reason = f"needs a Hopper GPU (sm_90); this one is sm_{major}{minor}"
    for item in items:
        item.add_marker(pytest.mark.nvidia)
        if reason:
            item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture(autouse=True)
def same_numbers_every_time():
    """What a test draws does not depend on the tests before it."""
    if torch is not None:
        torch.manual_seed(0)


@pytest.fixture
def draw():
    """Draws a random 2:4 sparse matrix whose elements lie anywhere in their groups."""

    def draw(rows, columns, dtype, seed=0):
        generator = torch.Generator("cuda").manual_seed(seed)
        kind = {"device": "cuda", "generator": generator}
        dense = torch.randn(rows, columns, dtype=torch.float32, **kind).to(dtype)
        rank = torch.rand(rows, columns // 4, 4, **kind).argsort(-1).argsort(-1)
        return torch.where((rank < 2).view(rows, columns), dense, 0)

    return draw
